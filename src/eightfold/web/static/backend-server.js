// Questions go to the server. Their JSON is ASCII: text travels as code points, bytes as hex digits.

const MILLISECONDS = 20000;

export async function open() {
  return { ask, privacy: "What you enter goes to this server, which keeps nothing. The address after # stays in your browser." };
}

async function ask(name, request) {
  const answer = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(MILLISECONDS),
  });
  if (answer.ok) return answer.json();
  const values = await answer.json().catch(() => ({}));
  throw new Error(values.error ?? `status ${answer.status}`);
}
