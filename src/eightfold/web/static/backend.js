// Answers questions: by the server that served the page, or by Python in the browser. Both have the same `ask`.

export async function connect(tell) {
  const kind = document.querySelector('meta[name="eightfold-backend"]').content;
  const { open } = await import(kind === "pyodide" ? "./backend-pyodide.js" : "./backend-server.js");
  return remembering(await open(tell));
}

const REMEMBERED = 200;

// Answers come one after another. So does each question: the next is asked when the last is answered, and not at all if
// nobody wants it any more.
function remembering(backend) {
  const questions = new Map();
  let last = Promise.resolve();

  function begin(key, ask) {
    const question = {};
    question.answer = new Promise((resolve, reject) => {
      last = last.then(async () => {
        try {
          if (question.isWanted()) return resolve(await ask());
        } catch (error) {
          reject(error);
        }
        return questions.delete(key);
      });
    });
    return question;
  }

  return {
    ...backend,
    ask(name, request = {}, isWanted = () => true) {
      const key = `${name} ${JSON.stringify(request)}`;
      if (!questions.has(key)) {
        if (questions.size >= REMEMBERED) questions.delete(questions.keys().next().value);
        questions.set(key, begin(key, () => backend.ask(name, request)));
      }
      const question = questions.get(key);
      question.isWanted = isWanted;
      return question.answer;
    },
  };
}
