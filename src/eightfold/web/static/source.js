// What is being looked at: bytes with a form, and for text its code points. From what was typed or dropped.

import { hexOf, hexOfBytes, pointsOf } from "./notation.js";

const PAGE = 65536;
export const WINDOW = 48;

// Returns the typed form, or null if there is none.
export function ownOf(state) {
  if (!state.own.trim() || !/^[ -~\t\n]*$/.test(state.own)) return null;
  const longest = state.longest === "1";
  return { rows: state.own, unit_bits: Number(state.width), longest_match: longest, joins_pairs: state.joins === "1" };
}

export async function load(state, ask, limits, dropped) {
  const own = ownOf(state);
  const source = { own, points: null, notes: [], candidates: [], problems: [], page: null, offset: 0, hex: "", error: "" };
  if (state.mode === "text") return ofText(source, state, ask, limits);
  if (state.mode === "file") return dropped ? ofFile(source, state, ask, limits, dropped) : ofBytes(source, state.form, ask);
  Object.assign(source, hexOf(state.hex));
  if (source.hex.length > 2 * PAGE) {
    source.hex = source.hex.slice(0, 2 * limits.bytes);
    source.notes.push("Only the first 64 KiB are used. Drop longer input as a file.");
  }
  return ofBytes(source, state.form, ask);
}

async function ofText(source, state, ask, limits) {
  const points = pointsOf(state.text, limits.points + 1);
  source.points = points.slice(0, limits.points);
  if (points.length > limits.points) source.notes.push(`Only the first ${limits.points} code points are used.`);
  source.form = state.form === "auto" ? "utf-8" : state.form;
  const written = await ask("encode", about(source, { points: source.points }));
  if (written.problem) return { ...source, error: written.problem };
  source.hex = written.bytes;
  source.plain = written.form;
  source.problems = written.problems;
  if (written.lenient) source.notes.push(`${source.form} cannot write this text. Bits, faults and repairs show the bytes that a lenient program would write.`);
  if (written.lacking) source.notes.push(`${source.form} cannot write ${written.lacking} of the code points in any way; they are left out of its bytes.`);
  if (written.cut) source.notes.push("The bytes are cut after 64 KiB.");
  return source;
}

async function ofFile(source, state, ask, limits, dropped) {
  const pages = pagesOf(source, state, dropped);
  const start = pages.starts.at(-1);
  const bytes = new Uint8Array(await dropped.file.slice(start, start + limits.bytes).arrayBuffer());
  source.hex = hexOfBytes(bytes);
  source.offset = start;
  await ofBytes(source, start ? pages.plain : state.form, ask);
  pages.plain = source.plain;
  source.page = { start, end: start + source.hex.length / 2, size: dropped.file.size, number: pages.starts.length };
  return source;
}

// Another form begins the file again: a page ends where a sequence of its form ends, and only the first page has the
// signature.
function pagesOf(source, state, dropped) {
  const form = JSON.stringify(about({ ...source, form: state.form }));
  if (dropped.pages?.form !== form) dropped.pages = { form, starts: [0], plain: null };
  return dropped.pages;
}

async function ofBytes(source, form, ask) {
  const given = source.hex;
  if (form === "auto") source.candidates = await candidatesOf(source, ask);
  source.form = form === "auto" ? source.candidates[0].form : form;
  await endPage(source, ask);
  if (form !== "auto" || source.hex === given) return source;
  const candidates = await candidatesOf(source, ask);
  if (candidates[0].form === source.form) source.candidates = candidates;
  return source;
}

async function candidatesOf(source, ask) {
  return (await ask("identify", { bytes: source.hex })).candidates;
}

// Finds the plain form, that of the bytes behind a signature. Ends a page after a whole sequence, so that the next one
// begins with a whole sequence.
async function endPage(source, ask) {
  const isLong = source.hex.length > 2 * PAGE;
  const found = await ask("read", ofBytesOf(source, { start: isLong ? PAGE : 0, limit: 1 }));
  source.plain = found.form ?? source.form;
  if (!isLong) return;
  const row = found.rows?.[0];
  source.hex = source.hex.slice(0, 2 * (row && row.offset !== PAGE ? row.end : PAGE));
}

// Returns the parameters of a question about a source.
export function about(source, more = {}) {
  const own = source.form === "own" && source.own ? { own: source.own } : {};
  return { form: source.form, ...own, ...more };
}

export function ofBytesOf(source, more = {}) {
  return about(source, { bytes: source.hex, ...more });
}

// Returns the sequences that are shown at once: {items, at, next}; an item without a code point has point -1.
export async function windowOf(state, source, ask) {
  return source.points ? windowOfText(state, source, ask) : windowOfBytes(state, source, ask);
}

async function windowOfText(state, source, ask) {
  const at = Math.min(Number(state.at), Math.max(0, source.points.length - 1));
  const points = source.points.slice(at, at + WINDOW);
  const named = (await ask("name", { points })).points;
  const items = points.map((point, index) => ({ key: at + index, start: at + index, point, units: "", ...named[index] }));
  return { items, at, next: at + points.length < source.points.length ? at + points.length : null };
}

async function windowOfBytes(state, source, ask) {
  const start = Math.min(Number(state.at), Math.max(0, source.hex.length / 2 - 1));
  const found = await ask("read", ofBytesOf(source, { start, limit: WINDOW }));
  if (found.problem) return { items: [], at: 0, next: null, problem: found.problem };
  const items = found.rows.map((row) => ({ ...row, key: row.offset, start: row.offset, point: row.code_point ?? -1 }));
  return { items, at: items[0]?.key ?? 0, next: found.more ? found.end : null };
}
