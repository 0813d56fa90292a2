// Faults: each with span, kind, sentence and source; and what other programs make of the same bytes.

import { h } from "./dom.js";
import { bytesOf, count, pointName, spaced, unitsOf } from "./notation.js";
import { about, ofBytesOf } from "./source.js";

const CONTEXT = 8;
const LABELS = { "utf-16-le": "utf-16le", "utf-16-be": "utf-16be" };

export async function view({ state, source, ask, update, facts }) {
  const skip = 100 * Math.floor(Number(state.fault) / 100);
  const found = await ask("faults", ofBytesOf(source, { skip: Math.min(skip, facts.limits.bytes) }));
  if (found.problem) return [h("p", { class: "wrong" }, found.problem)];
  if (found.count && !found.faults.length) return view({ state: { ...state, fault: String(found.count - 1) }, source, ask, update, facts });
  const at = Math.min(Number(state.fault) - skip, found.faults.length - 1);
  const fault = found.faults[at];
  const whole = source.hex.length / 2 <= facts.limits.bytes_for_peers;
  const unpaired = source.problems.map((each) => h("li", {}, each.problem, " ", h("cite", {}, each.source)));
  const examined = whole ? source.hex : fault ? source.hex.slice(2 * fault.start, 2 * Math.min(fault.end, fault.start + 64)) : "";
  return [
    h("div", { class: "card" }, h("div", { class: "bar" }, h("h2", {}, "Faults"), h("p", { class: "hint" }, `read as ${source.form}`)),
      h("p", { class: found.count ? "verdict bad" : "verdict good" }, found.count ? `${count(found.count, "fault")}: ${Object.entries(found.kinds).map(([kind, number]) => `${number.toLocaleString("en")} × ${kind}`).join(", ")}` : `Well-formed in ${source.form}.`),
      unpaired.length > 0 && [h("p", {}, "In the text:"), h("ul", {}, unpaired)],
      found.count > 0 && h("div", { class: "split" }, listOf(found, at, skip, source, update), detailOf(fault, source, facts))),
    examined && (await peersCard(examined, whole, fault, source, found.form, ask)),
  ];
}

function listOf(found, at, skip, source, update) {
  const to = (number) => update({ fault: String(number) });
  const items = found.faults.map((fault, index) => h("li", {}, h("button", {
    type: "button", class: "choice", "data-key": `fault-${skip + index}`, "aria-current": index === at ? "true" : null, onclick: () => to(skip + index),
  }, h("span", { class: "place" }, source.offset + fault.start), h("span", { class: "badge bad" }, fault.kind), h("code", {}, unitsOf(fault)))));
  return h("div", {}, h("ol", { class: "choices", start: skip + 1 }, items),
    found.count > 100 && h("div", { class: "moves" },
      h("button", { type: "button", "data-key": "faults-back", disabled: skip === 0, onclick: () => to(skip - 100) }, "Previous 100"),
      h("button", { type: "button", "data-key": "faults-on", disabled: skip + 100 >= found.count, onclick: () => to(skip + 100) }, "Next 100")));
}

function detailOf(fault, source, facts) {
  const start = Math.max(0, fault.start - CONTEXT);
  const part = (from, to) => spaced(source.hex.slice(2 * from, 2 * to));
  const long = fault.end - fault.start > 64;
  const entry = fault.entry;
  return h("div", { class: "fault-detail" },
    h("p", { class: "said" }, fault.sentence),
    h("p", { class: "context" }, h("code", {}, part(start, fault.start), " ", h("mark", {}, part(fault.start, long ? fault.start + 64 : fault.end), long && " …"), " ", part(fault.end, fault.end + CONTEXT))),
    h("dl", {},
      h("dt", {}, "span"), h("dd", {}, placeOf(fault, source.offset)),
      h("dt", {}, "kind"), h("dd", {}, h("code", {}, fault.kind), `: ${facts.kinds[fault.kind]}`),
      fault.code_point !== null && [h("dt", {}, "intended"), h("dd", {}, pointName(fault.code_point))],
      entry && [h("dt", {}, "rule"), h("dd", {}, h("code", {}, [entry.points, entry.units].filter(Boolean).join(": ")))],
      h("dt", {}, "source"), h("dd", {}, h("cite", {}, fault.source || "the rows of the form"))));
}

// Of a page the first byte in the file is known, not the first line.
function placeOf({ start, end, line, column }, offset) {
  const place = `line ${line}, column ${column}`;
  return offset ? `bytes ${offset + start} to ${offset + end} of the file; ${place} of this page` : `bytes ${start} to ${end}, ${place}`;
}

// Bytes that are cut out have no signature, so they are read in the plain form.
async function peersCard(hex, whole, fault, source, plain, ask) {
  const found = await ask("peers", about(whole ? source : { ...source, form: plain }, { bytes: hex }));
  if (found.problem) return null;
  const span = fault && whole && !found.java.length ? source.hex.slice(2 * fault.start, 2 * fault.end) : "";
  if (span) found.java = (await ask("peers", about(source, { bytes: span }))).java;
  const own = found.own.map((each) => ["eightfold", each]);
  const rows = [...own, ...found.python.map((each) => [each.program, each]), ...browserResults(hex, plain).map((each) => ["this browser", each]), ...found.java.map((each) => [each.program, each])];
  const told = whole ? `What each program makes of this ${source.offset ? "page" : "input"}.` : "What each program makes of the bytes of this fault, alone.";
  return h("div", { class: "card" }, h("h2", {}, "Beside other programs"), h("p", { class: "hint" }, `${told} `, h("code", {}, spaced(hex))),
    h("div", { class: "peers" }, rows.map(([program, each]) => peer(program, each))),
    h("p", { class: "hint" }, javaTold(found.java.length, span)));
}

function javaTold(number, span) {
  if (!number) return "Java: no result is recorded for exactly these bytes.";
  return ["Java: recorded results", span && [" for the bytes of the fault alone, ", h("code", {}, spaced(span))], "."];
}

function peer(program, { title, ok, start, end, reason, points }) {
  const place = start !== null && start !== undefined ? `bytes ${start} to ${end}` : "";
  return h("article", { class: ok ? "peer good" : "peer bad" }, h("h3", {}, program, h("span", {}, title)),
    h("p", {}, h("span", { class: ok ? "badge good" : "badge bad" }, ok ? "accepts" : "refuses"), " ", [place, reason].filter(Boolean).join(": ")),
    points.length > 0 && h("p", { class: "points" }, points.map((point) => h("code", { class: point === 0xfffd ? "replaced" : "" }, pointName(point)))));
}

// What this browser's own decoder makes of the bytes, now.
function browserResults(hex, plain) {
  const labels = [...new Set(["utf-8", LABELS[plain]].filter(Boolean))];
  return labels.map((label) => {
    let ok = true;
    try {
      new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytesOf(hex));
    } catch {
      ok = false;
    }
    const replaced = new TextDecoder(label, { ignoreBOM: true }).decode(bytesOf(hex));
    return { title: `TextDecoder ${label}`, ok, reason: "", points: Array.from(replaced, (each) => each.codePointAt(0)) };
  });
}
