// A form of one's own: rows, checked as they are typed, and used at once in all views.

import { h, options, table } from "./dom.js";
import { count } from "./notation.js";
import { ownOf } from "./source.js";

const BEGINNING = `# CODE POINTS: UNITS, one row a line
U+0000-U+007F: 00-7F
U+0080-U+00FF: C2-C3 80-BF
U+0100-U+013F: 80-BF
`;

export async function view({ state, ask, update, facts }) {
  const own = ownOf(state);
  const set = (changes) => update({ ...changes, fault: "0" });
  const checked = own ? await ask("check", { own }) : state.own.trim() ? { problem: "Rows are written in printable ASCII." } : null;
  const area = h("textarea", { id: "own-rows", "data-key": "own-rows", rows: 9, spellcheck: "false", autocomplete: "off", "aria-describedby": "own-hint", maxlength: 4096 });
  area.value = state.own;
  area.addEventListener("input", () => set({ own: area.value }));
  const box = (id, label, name) => h("label", {}, h("input", { type: "checkbox", id, "data-key": id, checked: state[name] === "1", onchange: (event) => set({ [name]: event.target.checked ? "1" : "" }) }), label);
  const width = h("select", { id: "own-width", "data-key": "own-width", onchange: () => set({ width: width.value }) }, options(["8", "16", "32"], state.width));
  return [h("div", { class: "card" }, h("h2", {}, "A form of your own"),
    h("p", { class: "hint", id: "own-hint" }, `Each line is CODE POINTS: UNITS, in hex. The product of the units’ ranges must be the number of code points, so a row proves itself. At most ${facts.limits.own_rows} rows of ${facts.limits.own_units} units.`),
    h("label", { for: "own-rows", class: "hidden" }, "Rows"), area,
    h("div", { class: "fields" }, h("div", {}, h("label", { for: "own-width" }, "Bits of a unit"), width),
      box("own-longest", "The longest row that matches wins", "longest"), box("own-joins", "Encoding joins surrogate pairs", "joins")),
    h("div", { id: "own-checked" }, verdict(checked, update)))];
}

function verdict(checked, update) {
  if (!checked) return h("p", {}, h("button", { type: "button", "data-key": "own-begin", onclick: () => update({ own: BEGINNING }) }, "Begin with an example"));
  if (checked.problem) return h("p", { class: "wrong", role: "status" }, checked.problem);
  const rows = checked.rows.map((each) => [h("code", {}, each.points), h("code", {}, each.units)]);
  return [
    h("p", { class: "verdict good", role: "status" }, `A form: ${count(checked.count, "code point")}. It is a line of its own in Side by side.`),
    h("p", { class: "buttons" }, h("button", { type: "button", "data-key": "own-use", onclick: () => update({ form: "own", at: "0", bits: "", fault: "0" }) }, "Read and write the input in it"),
      h("button", { type: "button", "data-key": "own-table", onclick: () => update({ table: "own", tab: "tables" }) }, "Compare it with the others")),
    table("Rows", ["code points", "units"], rows),
  ];
}
