// Node.js and packages of npm: one request a line, one answer a line.
//
//   node programs.mjs buffer | textdecoder | wtf-8 | cto-af-wtf8 | mutf-8 [FOLDER OF node_modules]
import { isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const which = process.argv[2];
const folder = resolve(process.argv[3] ?? ".");
const unsupported = (why) => ({ unsupported: why ?? true });
const bytesOf = (hex) => Buffer.from(hex, "hex");
const hexOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
const pointsOf = (text) => (text === "" ? [] : text.split(" ").map((point) => parseInt(point, 16)));
const stringOf = (points) => points.map((point) => String.fromCodePoint(point)).join("");
const answerOf = (string) => ({
  code_points: Array.from(string, (each) => each.codePointAt(0).toString(16).toUpperCase()).join(" "),
});
const refusing = (work) => {
  try {
    return work();
  } catch {
    return { error: [] };
  }
};

// Calls a decoder with the interface of TextDecoder.
function decoded({ op, input, chunks }, make) {
  if (op === "decode") return refusing(() => answerOf(make({ fatal: true }).decode(bytesOf(input))));
  if (op === "replace") return answerOf(make({ fatal: false }).decode(bytesOf(input)));
  if (op !== "decode-stream") return unsupported();
  const decoder = make({ fatal: false });
  let [text, at] = ["", 0];
  chunks.forEach((size, place) => {
    text += decoder.decode(bytesOf(input).subarray(at, at + size), { stream: place < chunks.length - 1 });
    at += size;
  });
  return answerOf(text);
}

// Encodes by a function that replaces what it cannot write: that it does so is no answer to whether it refuses.
// A string holds no two code points that are a pair of surrogates: it holds the supplementary one.
function encodedIfWellFormed(input, encode) {
  const points = pointsOf(input);
  if (points.some((point) => point > 0x10ffff)) return unsupported("above U+10FFFF");
  const string = stringOf(points);
  if (Array.from(string).length !== points.length) return unsupported("a string joins pairs");
  return !/\p{Surrogate}/u.test(string) ? { bytes: hexOf(encode(string)) } : unsupported("replaces unpaired surrogates");
}

function encodedAnyhow(input, encode) {
  const points = pointsOf(input);
  return points.some((point) => point > 0x10ffff) ? unsupported("above U+10FFFF") : { bytes: encode(stringOf(points)) };
}

const labels = { "utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be" };

const programs = {
  buffer: async () => ({
    name: "Node.js Buffer",
    version: process.versions.node,
    answer: ({ form, op, input }) => {
      const data = op.startsWith("encode") ? null : bytesOf(input);
      if (form === "wtf-16-le") {
        if (op === "decode") return answerOf(data.toString("utf16le"));
        if (op === "encode") return encodedAnyhow(input, (string) => Buffer.from(string, "utf16le").toString("hex"));
      }
      if (form !== "utf-8") return unsupported();
      if (op === "decode") return isUtf8(data) ? answerOf(data.toString("utf8")) : { error: [] };
      if (op === "replace") return answerOf(data.toString("utf8"));
      return op === "encode" ? encodedIfWellFormed(input, (string) => Buffer.from(string, "utf8")) : unsupported();
    },
  }),
  textdecoder: async () => ({
    name: "Node.js TextDecoder, TextEncoder",
    version: `${process.versions.node}, ICU ${process.versions.icu}`,
    answer: (request) => {
      if (request.op === "encode" && request.form === "utf-8") {
        return encodedIfWellFormed(request.input, (string) => new TextEncoder().encode(string));
      }
      const label = labels[request.form];
      if (!label) return unsupported();
      const ignoreBOM = request.form !== "utf-8-sig";
      return decoded(request, (options) => new TextDecoder(label, { ...options, ignoreBOM }));
    },
  }),
  "wtf-8": async (require) => {
    const wtf8 = require("wtf-8");
    return {
      answer: ({ form, op, input }) => {
        if (form !== "wtf-8") return unsupported();
        if (op === "decode") return refusing(() => answerOf(wtf8.decode(bytesOf(input).toString("latin1"))));
        if (op !== "encode") return unsupported();
        return encodedAnyhow(input, (string) => Buffer.from(wtf8.encode(string), "latin1").toString("hex"));
      },
    };
  },
  "@cto.af/wtf8": async (_, imported) => {
    const { Wtf8Decoder, Wtf8Encoder } = await imported("lib/index.js");
    return {
      answer: (request) => {
        if (request.form !== "wtf-8") return unsupported();
        if (request.op === "encode") {
          return encodedAnyhow(request.input, (string) => hexOf(new Wtf8Encoder().encode(string)));
        }
        return decoded(request, (options) => new Wtf8Decoder("wtf-8", { ...options, ignoreBOM: true }));
      },
    };
  },
  "mutf-8": async (require) => {
    const { MUtf8Decoder, MUtf8Encoder } = require("mutf-8");
    return {
      answer: (request) => {
        if (request.form !== "mutf-8") return unsupported();
        if (request.op === "encode") {
          return encodedAnyhow(request.input, (string) => hexOf(new MUtf8Encoder().encode(string)));
        }
        return decoded(request, (options) => new MUtf8Decoder("mutf-8", { ...options, ignoreBOM: true }));
      },
    };
  },
};

const place = join(folder, "node_modules", which);
const make = programs[which];
const program = await make(createRequire(join(folder, "here.cjs")), (path) => import(pathToFileURL(join(place, path))));
if (!program.name) {
  program.name = `${which} (npm)`;
  program.version = JSON.parse(readFileSync(join(place, "package.json"), "utf8")).version;
}
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const { name, version } = program;
  console.log(JSON.stringify(request.op === "hello" ? { name, version } : program.answer(request)));
}
