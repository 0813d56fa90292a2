// Runs the package in the browser: the same functions as the server's, in Python compiled to WebAssembly.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const ASK = `
import json
from eightfold.web.api import answer

def ask(name, request):
    return json.dumps(answer(name, json.loads(request)))

ask
`;

async function started() {
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const archive = await fetch(new URL("./eightfold.zip", import.meta.url));
  if (!archive.ok) throw new Error(`eightfold.zip: status ${archive.status}`);
  python.unpackArchive(await archive.arrayBuffer(), "zip", { extractDir: "/eightfold" });
  python.runPython("import sys; sys.path.insert(0, '/eightfold')");
  return python.runPython(ASK);
}

const starting = started();

self.addEventListener("message", async ({ data: { id, name, request } }) => {
  try {
    const ask = await starting;
    self.postMessage({ id, answer: ask(name, request) });
  } catch (error) {
    self.postMessage({ id, error: String(error.message ?? error).trim().split("\n").at(-1) });
  }
});
