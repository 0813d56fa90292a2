// Writes messages-utf-16le.txt: chat messages cut into lines of 17 16-bit code units, as JavaScript counts them.
// `slice` ignores surrogate pairs: a cut inside an emoji leaves two unpaired surrogates, one on each of two lines.
"use strict";
const fs = require("fs");
const path = require("path");

const messages = [
  "Grüße aus Köln! 🎉 Bis morgen",
  "Der Zug hat 40 Minuten Verspätung 🚆😡",
  "Schau mal: 👩‍🚀 im Supermarkt",
  "Danke für alles 💙💙💙",
];

function* pieces(text, length) {
  for (let start = 0; start < text.length; start += length) {
    yield text.slice(start, start + length);
  }
}

const lines = messages.flatMap((text) => [...pieces(text, 17)]);
fs.writeFileSync(path.join(__dirname, "messages-utf-16le.txt"), Buffer.from(lines.join("\n") + "\n", "utf16le"));
