// Tables: a form's rows as the package has them, and how the forms compare. Nothing here is written by hand.

import { h, options, svg, table } from "./dom.js";
import { pointName } from "./notation.js";
import { ownOf } from "./source.js";

const BOX = { width: 148, height: 30, across: 18, down: 56 };

export async function view({ state, source, ask, update, facts }) {
  const own = ownOf(state);
  const names = [...facts.forms.map((each) => each.name), ...(own ? [["own", "own (your rows)"]] : [])];
  const given = own ? { own } : {};
  const [form, asked] = await Promise.all([ask("table", { form: state.table, ...given }), ask("family", given)]);
  const family = asked.problem ? await ask("family") : asked;
  const choice = h("select", { id: "table-form", "data-key": "table-form", onchange: () => update({ table: choice.value }) }, options(names, state.table));
  return [
    h("div", { class: "card" }, h("div", { class: "bar" }, h("h2", {}, "Tables"), h("div", { class: "form" }, h("label", { for: "table-form" }, "Form"), choice)),
      form.problem ? h("p", { class: "wrong" }, form.problem) : formTables(form)),
    h("div", { class: "card" }, h("h2", {}, "Which form contains which"),
      h("p", { class: "hint" }, "An arrow leads from a form to one that it contains: every well-formed text of the latter is well-formed in the former, with the same code points. Computed from the rows."),
      own && h("p", { class: "note" }, placed(asked)),
      diagram(family, state.table, (name) => update({ table: name }))),
    h("div", { class: "card" }, h("h2", {}, "Which conversions are lossless"),
      h("p", { class: "hint" }, "From the form of each line to the form of each column, computed from the rows."),
      matrix(family), legend()),
  ];
}

// Says where the form of one's own is in the diagram, or why it is not there.
function placed({ problem, same, edges }) {
  if (problem) return `Your form is not compared: ${problem}`;
  if (same.length > 0) return `Your form reads and writes the same as ${same.join(", ")}.`;
  if (!edges.some((edge) => edge.includes("own"))) return "Your form contains none of the others, and none contains it: it is not in the diagram.";
  return "Your form is in the diagram and in the matrix as own.";
}

function formTables(form) {
  const chips = [
    `${form.unit_bits}-bit units`, form.byte_order && `${form.byte_order}-endian`, form.longest_match && "the longest row that matches wins",
    form.joins_pairs && "encoding joins surrogate pairs", ...form.signatures.map((each) => `signature ${each.mark}: ${each.form} follows`),
    ...Object.entries(form.refuses).map(([policy, reason]) => `refuses ${policy}: ${reason}`),
    ...form.variants.map((each) => `errors=${each.policy}: other rows`),
  ].filter(Boolean);
  const rows = form.shown.rows.map((each) => [h("code", {}, each.points), h("code", {}, each.units), each.source]);
  const faultRows = (entries) => entries.map((each) => [each.kind, h("code", {}, each.points), h("code", {}, each.units), each.source]);
  return [
    form.note && h("p", {}, form.note), form.source && h("p", { class: "source" }, "source: ", h("cite", {}, form.source)),
    h("ul", { class: "chips" }, chips.map((each) => h("li", {}, each))),
    table("Rows: what is well-formed", ["code points", "units", "source"], rows),
    form.shown.units.length > 0 && table("Units: ill-formed sequences that are one decoding unit", ["kind", "meant", "units", "source"], faultRows(form.shown.units)),
    form.shown.names.length > 0 && table("Names: ill-formed sequences with a name", ["kind", "meant", "units", "source"], faultRows(form.shown.names)),
    h("dl", { class: "compared" }, said("contains", form.contains), said("contained in", form.contained_in), said("lossless to", form.lossless_to),
      said("lossy to", Object.entries(form.lost).map(([name, points]) => `${name} (${points.map(pointName).join(" ")})`))),
  ];
}

function said(title, names) {
  return names.length > 0 && [h("dt", {}, title), h("dd", {}, names.join(", "))];
}

const MARKS = {
  same: ["=", "the same form"],
  contained: ["<", "contained: unchanged text is well-formed in the other"],
  lossless: ["+", "lossless: every text comes back"],
  lossy: ["·", "not lossless"],
};

function markOf(line, other) {
  if (line.form === other) return "same";
  if (line.contained_in.includes(other)) return "contained";
  return other in line.lost ? "lossy" : "lossless";
}

function matrix({ forms }) {
  const head = h("tr", {}, h("td", {}), forms.map((each) => h("th", { scope: "col" }, h("span", {}, each.form))));
  const lines = forms.map((line) => h("tr", {}, h("th", { scope: "row" }, line.form), forms.map(({ form }) => {
    const kind = markOf(line, form);
    const example = kind === "lossy" ? `: ${line.lost[form].map(pointName).join(" ")} does not come back` : "";
    return h("td", { class: `mark ${kind}`, title: `${line.form} to ${form}: ${MARKS[kind][1]}${example}` }, MARKS[kind][0]);
  })));
  return h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Conversion matrix" }, h("table", { class: "matrix" }, h("caption", { class: "hidden" }, "Conversion matrix"), h("thead", {}, head), h("tbody", {}, lines)));
}

function legend() {
  return h("ul", { class: "legend" }, Object.entries(MARKS).map(([kind, [mark, meaning]]) => h("li", {}, h("span", { class: `mark ${kind}` }, mark), " ", meaning)));
}

// Lays the forms out in layers: each form is below all forms that contain it. Forms related to no other are left out.
function diagram({ forms, edges, same }, chosen, choose) {
  const label = (name) => (same.includes(name) ? `${name} = own` : name);
  const names = forms.map((each) => each.form).filter((name) => edges.some((edge) => edge.includes(name)));
  const depth = new Map(names.map((name) => [name, 0]));
  for (let round = 0; round < names.length; round++) for (const [outer, inner] of edges) depth.set(inner, Math.max(depth.get(inner), depth.get(outer) + 1));
  const layers = [];
  for (const name of names) (layers[depth.get(name)] ??= []).push(name);
  for (const layer of layers.slice(1)) layer.sort((one, other) => middle(one, edges, layers) - middle(other, edges, layers));
  const widest = Math.max(...layers.map((layer) => layer.length));
  const place = new Map();
  layers.forEach((layer, row) => layer.forEach((name, column) => {
    const left = ((widest - layer.length) / 2 + column) * (BOX.width + BOX.across);
    place.set(name, { x: left, y: row * (BOX.height + BOX.down) });
  }));
  const width = widest * (BOX.width + BOX.across) - BOX.across;
  const height = layers.length * (BOX.height + BOX.down) - BOX.down;
  const lines = edges.map(([outer, inner]) => {
    const from = place.get(outer), to = place.get(inner);
    const [x, y, X, Y] = [from.x + BOX.width / 2, from.y + BOX.height, to.x + BOX.width / 2, to.y - 5];
    const near = outer === chosen || inner === chosen ? "edge near" : "edge";
    return svg("path", { class: near, "marker-end": "url(#arrow)", d: `M${x} ${y} C${x} ${y + BOX.down / 2} ${X} ${Y - BOX.down / 2} ${X} ${Y}` });
  });
  const boxes = names.map((name) => {
    const { x, y } = place.get(name);
    return svg("g", { class: name === chosen ? "box chosen" : "box", onclick: () => choose(name) },
      svg("rect", { x, y, width: BOX.width, height: BOX.height, rx: 8 }), svg("text", { x: x + BOX.width / 2, y: y + BOX.height / 2 + 4.5, "text-anchor": "middle" }, label(name)));
  });
  const arrow = svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { class: "head", d: "M0 0 L8 4 L0 8 z" })));
  const told = edges.map(([outer, inner]) => `${label(outer)} contains ${label(inner)}`).join("; ");
  return h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Containment diagram" },
    svg("svg", { class: "diagram", viewBox: `-4 -4 ${width + 8} ${height + 8}`, width: width + 8, height: height + 8, role: "img", "aria-label": told }, arrow, lines, boxes));
}

function middle(name, edges, layers) {
  const above = edges.filter(([, inner]) => inner === name).map(([outer]) => layers.find((layer) => layer?.includes(outer))?.indexOf(outer) ?? 0);
  return above.length ? above.reduce((sum, each) => sum + each, 0) / above.length : 0;
}
