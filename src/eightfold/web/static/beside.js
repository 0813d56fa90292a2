// Side by side: every form's bytes for the same text, linked by code point.

import { h } from "./dom.js";
import { bytesOf, count, pointName, unitsOf } from "./notation.js";
import { windowOf } from "./source.js";

const HUES = 8;
const GROUPS = [[8, "8-bit units"], [16, "16-bit units"], [32, "32-bit units"]];

export async function view({ state, source, ask, update, facts }) {
  const shown = await windowOf(state, source, ask);
  if (shown.problem) return [h("p", { class: "wrong" }, shown.problem)];
  if (!shown.items.length) return [h("p", { class: "empty" }, "Nothing to show yet: type some text or bytes.")];
  const points = shown.items.map((item) => item.point);
  const withOwn = source.own ? await ask("write", { points, own: source.own }) : { problem: "" };
  const written = withOwn.lines ? withOwn : await ask("write", { points });
  const detail = h("div", { class: "detail", id: "detail" });
  const width = new Map(facts.forms.map((each) => [each.name, each.unit_bits]));
  const begins = source.offset + shown.at === 0;
  const lines = written.lines.map((line) => ({ ...(begins ? line : withoutMark(line)), bits: width.get(line.form) ?? source.own?.unit_bits }));
  const grids = GROUPS.map(([bits, title]) => gridOf(title, lines.filter((line) => line.bits === bits), shown, source));
  const tell = (item, line) => detail.replaceChildren(...detailOf(item, line, update));
  const card = h("div", { class: "card beside" },
    h("div", { class: "bar" }, h("h2", {}, "Side by side"), moves(state, shown, update, source)),
    withOwn.problem && h("p", { class: "wrong" }, `Your form: ${withOwn.problem}`),
    detail,
    gridOf("", [], shown, source),
    grids.filter(Boolean));
  listen(card, shown, lines, tell, update);
  const first = shown.items.find((item) => String(item.key) === state.chosen) ?? shown.items[0];
  tell(first, null);
  mark(card, shown.items.indexOf(first), "chosen");
  return [card];
}

// A mark is written once, where the input begins.
function withoutMark(line) {
  return { ...line, signature: "", length: line.length - bytesOf(line.signature).length };
}

function moves(state, shown, update, source) {
  if (shown.at === 0 && shown.next === null) return null;
  const what = source.points ? "code point" : "byte";
  const to = (at) => update({ at: String(at), chosen: String(at) });
  return h("div", { class: "moves" }, h("span", {}, `from ${what} ${(source.offset + shown.at).toLocaleString("en")}`),
    h("button", { type: "button", "data-key": "back", disabled: shown.at === 0, onclick: () => to(Math.max(0, shown.at - shown.items.length)) }, "Back"),
    h("button", { type: "button", "data-key": "on", disabled: shown.next === null, onclick: () => to(shown.next) }, "On"));
}

function gridOf(title, lines, shown, source) {
  if (title && !lines.length) return null;
  const rows = title ? lines.map((line) => rowOf(line, shown, source)) : [pointsRow(shown)];
  return h("div", { class: "width" }, title && h("h3", {}, title),
    h("div", { role: "grid", "aria-label": title || "Code points", class: "grid" }, rows));
}

function pointsRow(shown) {
  const cells = shown.items.map((item, index) => cell(index, index === 0, "point", [
    h("span", { class: "glyph" }, item.point < 0 ? "" : h("bdi", {}, glyph(item))),
    h("span", { class: "code" }, item.point < 0 ? (item.fault ? "ill-formed" : "signature") : pointName(item.point)),
  ], item.point < 0 ? (item.fault ? "fault" : "signature") : hue(index)));
  return h("div", { role: "row", class: "row points" }, h("div", { role: "rowheader" }, "code point"), h("div", { role: "none", class: "cells" }, cells));
}

function glyph(item) {
  return item.point === 0x20 ? "␣" : item.character || "·";
}

function hue(index) {
  return `hue-${index % HUES}`;
}

// Makes a cell; one that stands for a joined pair of surrogates has the index of the second one too.
function cell(index, first, kind, content, colour, pair = false) {
  const also = pair ? index + 1 : null;
  return h("div", { role: "gridcell", class: `cell ${kind} ${colour}`, "data-i": index, "data-also": also, tabindex: first ? 0 : -1 }, content);
}

function ofIndex(place, index) {
  return [...place.querySelectorAll(`[data-i="${index}"], [data-also="${index}"]`)];
}

function rowOf(line, shown, source) {
  const cells = [];
  if (line.signature) cells.push(h("div", { role: "gridcell", class: "cell signature", tabindex: -1 }, line.signature));
  const byStart = new Map(line.cells.map((each) => [each.start, each]));
  shown.items.forEach((item, index) => {
    const each = byStart.get(index);
    if (each?.units) cells.push(cell(index, index === 0, "units", each.units, hue(index), each.end - each.start > 1));
    else if (each) cells.push(cell(index, index === 0, "lack", [h("span", { "aria-hidden": "true" }, "∅"), h("span", { class: "hidden" }, "cannot be written")], ""));
    else if (item.point < 0 && item.fault) cells.push(cell(index, index === 0, line.form === source.form ? "units fault" : "gap", line.form === source.form ? unitsOf(item) : h("span", { class: "hidden" }, "ill-formed"), ""));
  });
  if (cells.length && !cells.some((each) => each.tabIndex === 0)) cells[0].tabIndex = 0;
  const [problem] = line.cells.filter((each) => each.problem);
  const chosen = line.form === source.form;
  const header = h("div", { role: "rowheader" }, h("strong", {}, line.form), chosen && h("span", { class: "hidden" }, " (the chosen form)"),
    h("span", { class: "length" }, lengthOf(line, shown, chosen)));
  const why = problem && h("p", { class: "why" }, problem.problem, problem.source && h("cite", {}, ` ${problem.source}`), line.problems > 1 && ` and ${line.problems - 1} more`);
  return h("div", { role: "row", class: `row${chosen ? " current" : ""}`, "data-form": line.form }, header, h("div", { role: "none", class: "cells" }, cells.length ? cells : h("div", { role: "gridcell", class: "cell gap" }, "nothing"), why && h("div", { role: "gridcell", class: "whys" }, why)));
}

function lengthOf(line, shown, chosen) {
  if (line.problems) return `${line.problems} missing`;
  const faulty = chosen ? shown.items.filter((item) => item.fault).reduce((sum, item) => sum + item.end - item.start, 0) : 0;
  return count(line.length + faulty, "byte");
}

function detailOf(item, line, update) {
  const cellShown = line?.cells.find((each) => each.key === item.key) ?? null;
  const name = item.point < 0 ? (item.fault ? item.fault.sentence : item.name) : item.name;
  const show = () => update({ tab: "bits", chosen: String(item.key), bits: "" });
  return [
    h("span", { class: "glyph large", "aria-hidden": "true" }, h("bdi", {}, glyph(item))),
    h("p", { class: "said" }, h("strong", {}, item.point < 0 ? (item.fault ? item.fault.kind : "signature") : pointName(item.point)), " ", name,
      cellShown && h("span", { class: "in" }, `${line.form}: ${cellShown.problem || cellShown.units}`)),
    h("button", { type: "button", "data-key": "show-bits", onclick: show }, "Show bits"),
  ];
}

function mark(card, index, kind) {
  for (const each of card.querySelectorAll(`.${kind}`)) each.classList.remove(kind);
  for (const each of ofIndex(card, index)) each.classList.add(kind);
}

function listen(card, shown, lines, tell, update) {
  const point = (event) => {
    const found = event.target.closest?.("[data-i]");
    if (!found) return;
    const item = shown.items[Number(found.dataset.i)];
    mark(card, found.dataset.i, "linked");
    const line = lines.find((each) => each.form === found.closest(".row").dataset.form);
    tell(item, line && { ...line, cells: line.cells.map((each) => ({ ...each, key: shown.items[each.start].key })) });
  };
  card.addEventListener("pointerover", point);
  card.addEventListener("focusin", point);
  card.addEventListener("click", (event) => {
    const found = event.target.closest("[data-i]");
    if (found) found.focus({ preventScroll: true });
    if (found) mark(card, found.dataset.i, "chosen");
    if (found) update({ chosen: String(shown.items[Number(found.dataset.i)].key) }, { quietly: true });
  });
  card.addEventListener("keydown", (event) => {
    const from = event.target.closest(".cell");
    if (!from) return;
    const to = neighbour(card, from, event.key);
    if (event.key === "Enter" && from.dataset.i) update({ tab: "bits", chosen: String(shown.items[Number(from.dataset.i)].key), bits: "" });
    if (!to) return;
    event.preventDefault();
    const row = to.closest(".row");
    for (const each of row.querySelectorAll(".cell")) each.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
}

function neighbour(card, from, key) {
  const cells = [...from.closest(".row").querySelectorAll(".cell")];
  const at = cells.indexOf(from);
  if (key === "ArrowRight") return cells[at + 1];
  if (key === "ArrowLeft") return cells[at - 1];
  if (key === "Home") return cells[0];
  if (key === "End") return cells.at(-1);
  const rows = [...card.querySelectorAll(".row")];
  const row = rows[rows.indexOf(from.closest(".row")) + { ArrowDown: 1, ArrowUp: -1 }[key]];
  return row && (ofIndex(row, from.dataset.i)[0] ?? row.querySelector(".cell"));
}
