// Questions go to Python in a worker. Work that takes too long ends with its worker, and a new one starts.

const MILLISECONDS = 60000;
let worker = null;
let waiting = new Map();
let number = 0;

export async function open(tell) {
  tell("Loading Python …");
  start();
  await ask("about", {});
  return { ask, privacy: "Everything happens in this page: nothing that you enter leaves your browser." };
}

function start() {
  worker = new Worker("pyodide-worker.js", { type: "module" });
  worker.addEventListener("message", ({ data }) => settle(data.id, data));
  worker.addEventListener("error", (event) => end(new Error(event.message || "Python did not start")));
}

function settle(id, data) {
  const asked = waiting.get(id);
  if (!asked) return;
  waiting.delete(id);
  clearTimeout(asked.timer);
  if (data.error) asked.reject(new Error(data.error));
  else asked.resolve(JSON.parse(data.answer));
}

function end(error) {
  worker.terminate();
  for (const { reject, timer } of waiting.values()) {
    clearTimeout(timer);
    reject(error);
  }
  waiting = new Map();
  worker = null;
}

function ask(name, request) {
  if (!worker) start();
  return new Promise((resolve, reject) => {
    const id = ++number;
    const timer = setTimeout(() => end(new Error("the work took too long and was stopped")), MILLISECONDS);
    waiting.set(id, { resolve, reject, timer });
    worker.postMessage({ id, name, request: JSON.stringify(request) });
  });
}
