// Writes request.json: a request to a chat service, with a conversation that was shortened to fit.
// `slice` counts 16-bit code units, and cuts an emoji in half; `JSON.stringify` writes the half as an escape.
"use strict";
const fs = require("fs");
const path = require("path");

const LONGEST = 32;
const messages = [
  { role: "user", content: "Wie war dein Urlaub in Málaga? 🏖️" },
  { role: "assistant", content: "Sonne, Meer und Paella 🥘 jeden Tag! 😎" },
  { role: "user", content: "Ich komme mit 👍" },
];

for (const message of messages) {
  message.content = message.content.slice(0, LONGEST);
}
fs.writeFileSync(path.join(__dirname, "request.json"), JSON.stringify({ messages }, null, 2) + "\n");
