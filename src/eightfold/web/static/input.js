// The input: text, bytes or a file, and the form.

import { fill, h, options } from "./dom.js";
import { count, escaped } from "./notation.js";

const EXAMPLES = [
  ["A cut emoji", { mode: "text", text: "status: \\uD83D", form: "auto" }],
  ["CESU-8 in a UTF-8 file", { mode: "bytes", hex: "4F 4B 20 ED A0 BD ED B8 80", form: "utf-8" }],
  ["Latin-1 in a UTF-8 file", { mode: "bytes", hex: "63 61 66 E9 20 6E 6F 69 72", form: "utf-8" }],
  ["Java’s NUL", { mode: "bytes", hex: "41 C0 80 42", form: "mutf-8" }],
  ["Overlong slash", { mode: "bytes", hex: "2E 2E C0 AF", form: "utf-8" }],
  ["UTF-16 with a lone surrogate", { mode: "bytes", hex: "FF FE 41 00 3D D8 42 00", form: "auto" }],
];
const MODES = [["text", "Text"], ["bytes", "Bytes"], ["file", "File"]];

// Builds the input once; `refresh` shows a state in it.
export function inputOf(place, forms, { update, drop, turn }) {
  const text = h("textarea", { id: "text", rows: 3, spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "hint" });
  const hex = h("textarea", { id: "hex", rows: 3, spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "hint" });
  const file = h("input", { id: "file", type: "file", onchange: () => file.files[0] && drop(file.files[0]) });
  const pages = h("div", { class: "pages" });
  const choice = h("select", { id: "form", onchange: () => update({ form: choice.value, at: "0", bits: "", fault: "0" }) });
  const modes = MODES.map(([value, label]) => [
    h("input", { type: "radio", name: "mode", id: `mode-${value}`, value, onchange: () => update({ mode: value, at: "0", bits: "", fault: "0" }) }),
    h("label", { for: `mode-${value}` }, label),
  ]);
  const areas = { text: field("Text", text), bytes: field("Bytes in hex", hex), file: h("div", { class: "drop" }, h("label", { for: "file" }, "Choose a file, or drop one anywhere on this page"), file, pages) };
  const hint = h("p", { id: "hint", class: "hint" });
  const notes = h("div", { class: "notes", "aria-live": "polite" });
  const identified = h("p", { class: "hint", id: "identified" });
  text.addEventListener("input", () => update({ text: text.value, at: "0", chosen: "0", bits: "", fault: "0" }));
  hex.addEventListener("input", () => update({ hex: hex.value, at: "0", chosen: "0", bits: "", fault: "0" }));
  text.addEventListener("paste", (event) => paste(event, text));
  const examples = h("div", { class: "examples" }, h("span", { id: "examples" }, "Try"),
    EXAMPLES.map(([label, given]) => h("button", { type: "button", class: "link", onclick: () => update({ at: "0", chosen: "0", bits: "", fault: "0", ...given }) }, label)));
  fill(place, h("div", { class: "bar" }, h("fieldset", { class: "segments" }, h("legend", { class: "hidden" }, "Input as"), modes),
    h("div", { class: "form" }, h("label", { for: "form" }, "Form"), choice)),
    areas.text, areas.bytes, areas.file, hint, identified, notes, examples);

  return function refresh(state, source, dropped) {
    for (const [value] of MODES) {
      place.querySelector(`#mode-${value}`).checked = state.mode === value;
      areas[value].hidden = state.mode !== value;
    }
    if (text.value !== state.text) text.value = state.text;
    if (hex.value !== state.hex) hex.value = state.hex;
    const auto = state.mode === "text" ? "utf-8 (default)" : "identify";
    fill(choice, options([["auto", auto], ...forms.map((each) => each.name), ...(state.own.trim() ? [["own", "own (your rows)"]] : [])], state.form));
    choice.value = state.form;
    hint.textContent = hints(state);
    identified.textContent = told(source);
    identified.hidden = !identified.textContent;
    fill(notes, source.error && h("p", { class: "wrong" }, source.error), source.notes.map((note) => h("p", { class: "note" }, note)));
    fill(pages, ...pager(source, dropped, turn));
  };
}

function field(label, area) {
  return h("div", { class: "field" }, h("label", { for: area.id, class: "hidden" }, label), area);
}

function hints(state) {
  if (state.mode === "text") return "Escapes: \\uD83D, \\u{1F600}, \\xFF, \\n, \\\\. Each escape is one code point, so \\uD83D\\uDE00 stays two.";
  if (state.mode === "bytes") return "Bytes as ED A0 80, eda080, 0xED, \\xED or b'caf\\xE9'.";
  return "The file stays in the browser; 64 KiB of it are shown at a time.";
}

function told(source) {
  const [best, second] = source.candidates;
  if (!best) return "";
  const state = best.well_formed ? "well-formed" : count(best.fault_count, "fault");
  const legacy = best.reads_as ? ` It reads as ${best.reads_as}.` : "";
  const others = second ? ` Next: ${source.candidates.slice(1, 4).map((each) => each.form).join(", ")}.` : "";
  return `Identified as ${best.form}, ${state}.${legacy}${others}`;
}

function pager(source, dropped, turn) {
  if (!dropped || !source.page) return [];
  const { start, end, size, number } = source.page;
  return [
    h("p", {}, h("strong", {}, h("bdi", {}, dropped.file.name)), ` · bytes ${start.toLocaleString("en")} to ${end.toLocaleString("en")} of ${size.toLocaleString("en")}`),
    h("button", { type: "button", "data-key": "page-back", disabled: number === 1, onclick: () => turn(-1) }, "Previous 64 KiB"),
    h("button", { type: "button", "data-key": "page-on", disabled: end >= size, onclick: () => turn(1, end) }, "Next 64 KiB"),
  ];
}

// Text with unpaired surrogates is pasted as escapes: browsers lose them on the way out.
function paste(event, area) {
  const pasted = event.clipboardData?.getData("text/plain") ?? "";
  const kept = escaped(pasted);
  if (kept === pasted) return;
  event.preventDefault();
  area.setRangeText(kept, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input"));
}

