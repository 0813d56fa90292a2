// What Node makes of bytes and of 16-bit code units: one request a line on standard input, one answer a line.
// A request is an operation and hex digits; an answer is hex digits, `true`, `false`, or `refused`.
import { createInterface } from "node:readline";
import { isUtf8 } from "node:buffer";

const bytesOf = (hex) => Buffer.from(hex, "hex");
const stringOf = (hex) => bytesOf(hex).swap16().toString("utf16le"); // code units as they are, unpaired ones too
const unitsOf = (string) => Buffer.from(string, "utf16le").swap16().toString("hex");
const refusing = (decode) => {
  try {
    return unitsOf(decode());
  } catch (error) {
    if (error instanceof TypeError) return "refused";
    throw error;
  }
};
const fatal = (label) => new TextDecoder(label, { fatal: true, ignoreBOM: true });
const replacing = (label) => new TextDecoder(label, { ignoreBOM: true });

const operations = {
  "is-utf-8": (hex) => isUtf8(bytesOf(hex)),
  "utf-8-fatal": (hex) => refusing(() => fatal("utf-8").decode(bytesOf(hex))),
  "utf-8-replacing": (hex) => unitsOf(replacing("utf-8").decode(bytesOf(hex))),
  "utf-8-sig": (hex) => unitsOf(new TextDecoder("utf-8").decode(bytesOf(hex))),
  "buffer-to-string": (hex) => unitsOf(bytesOf(hex).toString("utf8")),
  "utf-16-fatal": (hex) => refusing(() => fatal("utf-16le").decode(bytesOf(hex))),
  "utf-16-replacing": (hex) => unitsOf(replacing("utf-16le").decode(bytesOf(hex))),
  "is-well-formed": (hex) => stringOf(hex).isWellFormed(),
  "to-well-formed": (hex) => unitsOf(stringOf(hex).toWellFormed()),
  "buffer-from-string": (hex) => Buffer.from(stringOf(hex), "utf8").toString("hex"),
  "text-encoder": (hex) => Buffer.from(new TextEncoder().encode(stringOf(hex))).toString("hex"),
  "code-points": (hex) => Array.from(stringOf(hex), (each) => each.codePointAt(0).toString(16)).join("."),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [operation, hex] = line.split(" ");
  console.log(`${operations[operation](hex)}`);
}
