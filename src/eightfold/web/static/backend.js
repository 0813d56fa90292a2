// Answers questions: by the server that served the page, or by Python in the browser. Both have the same `ask`.

export async function connect(tell) {
  const kind = document.querySelector('meta[name="eightfold-backend"]').content;
  const { open } = await import(kind === "pyodide" ? "./backend-pyodide.js" : "./backend-server.js");
  return remembering(await open(tell));
}

const REMEMBERED = 200;

function remembering(backend) {
  const answers = new Map();
  return {
    ...backend,
    ask(name, request = {}) {
      const key = `${name} ${JSON.stringify(request)}`;
      if (!answers.has(key)) {
        if (answers.size >= REMEMBERED) answers.delete(answers.keys().next().value);
        const asked = backend.ask(name, request);
        answers.set(key, asked);
        asked.catch(() => answers.delete(key));
      }
      return answers.get(key);
    },
  };
}
