// What is being looked at: bytes with a form, and for text its code points. From what was typed or dropped.

import { hexOf, hexOfBytes, pointsOf } from "./notation.js";

const PAGE = 65536;
const LOOK_AHEAD = 256;
export const WINDOW = 48;

// Returns the typed form, or null if there is none.
export function ownOf(state) {
  if (!state.own.trim() || !/^[ -~\n]*$/.test(state.own)) return null;
  const longest = state.longest === "1";
  return { rows: state.own, unit_bits: Number(state.width), longest_match: longest, joins_pairs: state.joins === "1" };
}

export async function load(state, ask, limits, dropped) {
  const own = ownOf(state);
  const source = { own, points: null, notes: [], candidates: [], problems: [], page: null, hex: "", error: "" };
  if (state.mode === "text") return ofText(source, state, ask, limits);
  if (state.mode === "file") await readPage(source, dropped);
  else Object.assign(source, hexOf(state.hex));
  if (source.hex.length > 2 * limits.bytes) {
    source.hex = source.hex.slice(0, 2 * PAGE);
    source.notes.push("Only the first 64 KiB are used. Drop longer input as a file.");
  }
  return ofBytes(source, state, ask, dropped);
}

async function ofText(source, state, ask, limits) {
  const points = pointsOf(state.text);
  source.points = points.slice(0, limits.points);
  if (points.length > limits.points) source.notes.push(`Only the first ${limits.points} code points are used.`);
  source.form = state.form === "auto" ? "utf-8" : state.form;
  const written = await ask("encode", about(source, { points: source.points }));
  if (written.problem) return { ...source, error: written.problem };
  source.hex = written.bytes;
  source.problems = written.problems;
  if (written.lenient) source.notes.push(`${source.form} cannot write this text. Bits, faults and repairs show the bytes that a lenient program would write.`);
  if (written.lacking) source.notes.push(`${source.form} cannot write ${written.lacking} of the code points in any way; they are left out of its bytes.`);
  if (written.cut) source.notes.push("The bytes are cut after 64 KiB.");
  return source;
}

async function ofBytes(source, state, ask, dropped) {
  if (state.form === "auto") {
    const later = state.mode === "file" && dropped && dropped.starts.length > 1;
    if (!later) source.candidates = (await ask("identify", { bytes: source.hex })).candidates;
    source.form = later ? dropped.form : source.candidates[0].form;
    if (state.mode === "file" && dropped) dropped.form = source.form;
  } else source.form = state.form;
  if (source.page) await endPage(source, ask, dropped);
  return source;
}

async function readPage(source, dropped) {
  if (!dropped) return;
  const start = dropped.starts.at(-1);
  const bytes = new Uint8Array(await dropped.file.slice(start, start + PAGE + LOOK_AHEAD).arrayBuffer());
  source.hex = hexOfBytes(bytes);
  source.page = { start, end: start + bytes.length, size: dropped.file.size, number: dropped.starts.length };
}

// Ends a page of a file after a whole sequence, so that the next one begins with a whole sequence.
async function endPage(source, ask, dropped) {
  const { page } = source;
  if (page.number > 1) source.form = dropped.plain ?? source.form;
  if (page.end - page.start <= PAGE) return;
  const found = await ask("read", about(source, { bytes: source.hex, start: PAGE, limit: 1 }));
  if (found.problem) return;
  const [row] = found.rows;
  const length = row.offset === PAGE ? PAGE : Math.min(row.end, PAGE + LOOK_AHEAD);
  dropped.plain = found.form;
  source.hex = source.hex.slice(0, 2 * length);
  page.end = page.start + length;
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
