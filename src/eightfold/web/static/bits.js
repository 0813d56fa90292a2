// Bits: one sequence, bit by bit. Toggle a bit and see the code point and its row, or the fault and the rule it breaks.

import { h } from "./dom.js";
import { bytesOf, hexOf, hexOfBytes, pointName, pointOf, spaced } from "./notation.js";
import { about, windowOf } from "./source.js";

const MOST = 16;

export async function view({ state, source, ask, update, facts }) {
  const plain = { ...source, form: source.plain };
  const { hex, form } = state.bits ? { hex: state.bits, form: plain.form } : await chosen(state, source, plain, ask);
  const bytes = bytesOf(hex).slice(0, MOST);
  const shown = hexOfBytes(bytes);
  const read = shown ? await ask("read", about({ ...source, form }, { bytes: shown, limit: MOST })) : { rows: [] };
  if (read.problem) return [h("p", { class: "wrong" }, read.problem)];
  const set = (next) => update({ bits: next });
  return [h("div", { class: "card bits" },
    h("div", { class: "bar" }, h("h2", {}, "Bits"), h("p", { class: "hint" }, `read as ${form}`)),
    inputs(read.rows, shown, plain, ask, set),
    shown ? h("div", { class: "octets", role: "group", "aria-label": "Bits" }, octets(bytes, payloadOf(read.rows, unitBytes(plain, facts)), set)) : h("p", { class: "empty" }, "Enter a code point or bytes."),
    h("p", { class: "legend" }, h("span", { class: "key marker" }, "marker: fixed by the rule"), h("span", { class: "key payload" }, "payload: gives the code point")),
    h("div", { class: "results", role: "status" }, read.rows.map(result)),
    shown && h("p", {}, h("button", { type: "button", "data-key": "use", onclick: () => update({ mode: "bytes", hex: spaced(shown), bits: "", at: "0", chosen: "0", form }) }, "Use these bytes as the input")))];
}

// Returns the bytes of the chosen sequence, and their form: a signature alone is one only in the form that has it.
async function chosen(state, source, plain, ask) {
  const shown = await windowOf(state, source, ask);
  const item = shown.items.find((each) => String(each.key) === state.chosen) ?? shown.items[0];
  if (!item) return { hex: "", form: plain.form };
  if (item.units) return { hex: item.units.replace(/ /g, ""), form: item.point < 0 && !item.fault ? source.form : plain.form };
  const written = await ask("encode", about(plain, { points: [item.point] }));
  return { hex: written.bytes ?? "", form: plain.form };
}

function inputs(rows, shown, plain, ask, set) {
  const wrong = h("p", { class: "wrong", role: "alert" });
  const point = rows.length === 1 ? rows[0].code_point ?? rows[0].fault?.code_point : null;
  const pointField = h("input", { id: "bits-point", "data-key": "bits-point", value: point === null || point === undefined ? "" : pointName(point), size: 10, autocomplete: "off" });
  const hexField = h("input", { id: "bits-hex", "data-key": "bits-hex", value: spaced(shown), size: 26, autocomplete: "off" });
  pointField.addEventListener("change", async () => {
    const asked = pointOf(pointField.value);
    if (asked === null) return wrong.replaceChildren(`“${pointField.value}” is not a code point such as U+1F600`);
    const written = await ask("encode", about(plain, { points: [asked] }));
    if (written.problem) return wrong.replaceChildren(written.problem);
    if (written.problems.length) wrong.replaceChildren(written.problems[0].problem);
    return written.bytes && set(written.bytes);
  });
  hexField.addEventListener("change", () => {
    const found = hexOf(hexField.value);
    if (found.error) return wrong.replaceChildren(found.error);
    return set(found.hex.slice(0, 2 * MOST));
  });
  return h("div", { class: "fields" }, h("div", {}, h("label", { for: "bits-point" }, "Code point"), pointField),
    h("div", {}, h("label", { for: "bits-hex" }, "Bytes"), hexField), wrong);
}

function unitBytes(plain, facts) {
  const width = facts.forms.find((each) => each.name === plain.form)?.unit_bits ?? plain.own?.unit_bits ?? 8;
  return width / 8;
}

// Returns for each bit of the bytes whether it is payload, from the brackets that the package puts around payload bits.
function payloadOf(rows, width) {
  return rows.flatMap((row) => {
    const shown = bitsOf(row);
    return isAsStored(row) ? shown.flat() : chunks(shown, width).flatMap((unit) => unit.reverse().flat());
  });
}

// Returns the bits of a row byte by byte, as they are written: the highest byte of a unit first.
function bitsOf(row) {
  let inside = false;
  const found = [];
  for (const each of row.bits || "0".repeat(8 * bytesOf(row.units).length)) {
    if (each === "[" || each === "]") inside = each === "[";
    else if (each !== " ") found.push(inside);
  }
  return chunks(found, 8);
}

function chunks(list, length) {
  return Array.from({ length: Math.ceil(list.length / length) }, (_, at) => list.slice(at * length, (at + 1) * length));
}

function isAsStored(row) {
  const bits = row.bits.replace(/[[\] ]/g, "");
  return !bits || bits === Array.from(bytesOf(row.units), (byte) => byte.toString(2).padStart(8, "0")).join("");
}

function octets(bytes, payload, set) {
  return Array.from(bytes, (byte, at) => h("div", { class: "octet" },
    h("div", { class: "hex" }, byte.toString(16).padStart(2, "0").toUpperCase()),
    h("div", { class: "toggles" }, Array.from({ length: 8 }, (_, bit) => {
      const on = (byte >> (7 - bit)) & 1;
      const kind = payload[8 * at + bit] ? "payload" : "marker";
      return h("button", { type: "button", class: `bit ${kind}`, "data-key": `bit-${at}-${bit}`, "aria-pressed": on ? "true" : "false",
        "aria-label": `byte ${at + 1}, bit ${7 - bit}: ${on}`, onclick: () => set(toggled(bytes, at, bit)) }, on);
    }))));
}

function toggled(bytes, at, bit) {
  const next = Uint8Array.from(bytes);
  next[at] ^= 0x80 >> bit;
  return hexOfBytes(next);
}

function result(row) {
  const entry = row.entry;
  const rule = entry && h("p", { class: "rule" }, entry.kind ? "rule: " : "row: ", h("code", {}, [entry.points, entry.units].filter(Boolean).join(": ")));
  const head = row.fault
    ? [h("span", { class: "badge bad" }, row.fault.kind), h("p", { class: "said" }, row.fault.sentence)]
    : [h("span", { class: "glyph large" }, h("bdi", {}, row.character || "·")), h("p", { class: "said" }, h("strong", {}, row.code_point === null ? "" : pointName(row.code_point)), " ", row.name)];
  return h("article", { class: row.fault ? "result bad" : "result good" }, h("p", { class: "span" }, h("code", {}, row.units)), head, rule, row.source && h("p", { class: "source" }, "source: ", h("cite", {}, row.source)));
}
