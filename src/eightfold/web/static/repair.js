// Repair: a policy, what it changes, and which ways lead back to the original. Each way is gone, not promised.

import { h, table } from "./dom.js";
import { count, spaced } from "./notation.js";
import { ofBytesOf } from "./source.js";

const SHOWN = 256;

export async function view({ state, source, ask, update, facts }) {
  const found = await ask("repair", ofBytesOf(source, { errors: state.policy }));
  return [h("div", { class: "card" }, h("div", { class: "bar" }, h("h2", {}, "Repair to UTF-8"), h("p", { class: "hint" }, `from ${source.form}`)),
    policies(state, facts, update),
    found.problem ? h("p", { class: "wrong", role: "status" }, found.problem) : outcome(found, source, update))];
}

function policies(state, facts, update) {
  return h("fieldset", { class: "policies" }, h("legend", {}, "For each fault, write"), Object.entries(facts.policies).map(([name, meaning]) =>
    h("label", {}, h("input", { type: "radio", name: "policy", value: name, checked: state.policy === name, "data-key": `policy-${name}`, onchange: () => update({ policy: name }) }),
      h("strong", {}, name), " ", h("span", {}, meaning))));
}

function outcome(found, source, update) {
  const changes = found.changes.filter((each) => each.start < SHOWN);
  return h("div", { role: "status" },
    h("p", { class: "verdict" }, found.count ? `${count(found.count, "change")}, ${found.lossy} lossy` : "Nothing to change: this is UTF-8 already."),
    h("div", { class: "split even" },
      h("div", {}, h("h3", {}, "Before"), h("p", { class: "dump", id: "before" }, before(source.hex, changes))),
      h("div", {}, h("h3", {}, "After"), h("p", { class: "dump", id: "after" }, after(source.hex, changes)))),
    h("h3", {}, `Does ${source.offset ? "this page" : "it"} come back exactly?`),
    h("ul", { class: "ways" }, found.ways.map(way)),
    h("p", { class: "hint" }, "SHA-256 of the original ", h("code", {}, found.original_sha256.slice(0, 16)), "… and of the result ", h("code", {}, found.result_sha256.slice(0, 16)), "…"),
    found.count > 0 && changesTable(found, source),
    found.result.length === 2 * found.result_length && h("p", {}, h("button", { type: "button", "data-key": "use-result", onclick: () => update({ mode: "bytes", hex: spaced(found.result), form: "utf-8", at: "0", chosen: "0", bits: "", fault: "0" }) }, "Use the result as the input")));
}

function way({ way: told, exact, why, sha256 }) {
  return h("li", { class: exact ? "good" : "bad" }, h("span", { class: exact ? "badge good" : "badge bad" }, exact ? "exact" : "not exact"), " ", told,
    h("span", { class: "why" }, exact ? ` gives the original, SHA-256 ${sha256.slice(0, 16)}…` : ` ${why}`));
}

function before(hex, changes) {
  return dump(hex, changes, (change) => [change.old, "old"]);
}

function after(hex, changes) {
  return dump(hex, changes, (change) => [change.new, "new"]);
}

function dump(hex, changes, shown) {
  const parts = [];
  let at = 0;
  for (const change of changes) {
    parts.push(spaced(hex.slice(2 * at, 2 * change.start)), " ");
    const [units, kind] = shown(change);
    parts.push(h("mark", { class: kind }, units || "∅"), " ");
    at = change.end;
  }
  const end = Math.max(at, Math.min(hex.length / 2, SHOWN));
  parts.push(spaced(hex.slice(2 * at, 2 * end)), end < hex.length / 2 && " …");
  return parts;
}

function changesTable(found, source) {
  const rows = found.changes.map((each) => [`${each.line}:${each.column}`, each.kind, h("code", {}, each.old), h("code", {}, each.new), each.lossy ? "lossy" : "reversible"]);
  const more = found.count > found.changes.length ? ` (the first ${found.changes.length})` : "";
  return table(`Changes${more}`, [source.offset ? "line:column of this page" : "line:column", "kind", "before", "after", ""], rows);
}
