// The page: keeps the state, asks the backend, and shows one view at a time.

import { view as beside } from "./beside.js";
import { view as bits } from "./bits.js";
import { connect } from "./backend.js";
import { fill, h } from "./dom.js";
import { view as faults } from "./faults.js";
import { inputOf } from "./input.js";
import { view as own } from "./own.js";
import { view as repair } from "./repair.js";
import { load } from "./source.js";
import { DEFAULTS, read, written } from "./state.js";
import { view as tables } from "./tables.js";

const VIEWS = { beside: ["Side by side", beside], bits: ["Bits", bits], faults: ["Faults", faults], repair: ["Repair", repair], tables: ["Tables", tables], own: ["Your form", own] };
const PAUSE = 120;
const place = (id) => document.getElementById(id);

let state = DEFAULTS;
let dropped = null;
let backend, facts, refresh;
let turn = 0;
let timer = 0;
let linking = 0;

function update(changes, { quietly = false } = {}) {
  const before = state;
  state = { ...state, ...changes };
  clearTimeout(linking);
  linking = setTimeout(link, PAUSE);
  if (quietly) return;
  const typed = "text" in changes || "hex" in changes || "own" in changes;
  clearTimeout(timer);
  timer = setTimeout(show, typed && before.mode === state.mode ? PAUSE : 0);
}

// Puts the state into the address, not for each key: browsers limit how often that may change.
function link() {
  const fragment = written(state);
  history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  place("status").dataset.link = fragment === null ? "The input is too long for a link." : "";
}

async function show() {
  const mine = ++turn;
  const ask = (name, request) => backend.ask(name, request, () => mine === turn);
  place("view").setAttribute("aria-busy", "true");
  try {
    const source = await load(state, ask, facts.limits, dropped);
    if (mine !== turn) return;
    refresh(state, source, dropped);
    const [, view] = VIEWS[state.tab];
    const idle = source.error && state.tab !== "own" && state.tab !== "tables";
    const nodes = idle ? [] : await view({ state, source, ask, update, facts });
    if (mine !== turn) return;
    keepTyping(nodes);
  } catch (error) {
    if (mine === turn) fill(place("view"), h("p", { class: "wrong card", role: "alert" }, `This could not be answered: ${error.message}`));
  }
  if (mine === turn) {
    showTabs();
    place("view").removeAttribute("aria-busy");
  }
}

// Shows new content without disturbing a field that is being typed in: its text and selection stay.
function keepTyping(nodes) {
  const active = document.activeElement;
  const typing = active?.matches?.("#view textarea, #view input:not([type])") ? { from: active.selectionStart, to: active.selectionEnd } : null;
  fill(place("view"), ...nodes);
  const now = document.activeElement;
  if (typing && now.dataset.key && now.dataset.key === active.dataset.key) now.setSelectionRange(typing.from, typing.to);
}

function showTabs() {
  const chosen = state.tab;
  fill(place("tabs"), ...Object.entries(VIEWS).map(([name, [label]]) => h("button", {
    type: "button", role: "tab", id: `tab-${name}`, "data-key": `tab-${name}`, "aria-controls": "view", "aria-selected": name === chosen ? "true" : "false",
    tabindex: name === chosen ? 0 : -1, onclick: () => update({ tab: name }),
  }, label)));
  place("view").setAttribute("aria-labelledby", `tab-${chosen}`);
  showWhole(place(`tab-${chosen}`), place("tabs"));
}

// On a narrow screen the tabs scroll; `scrollIntoView` would scroll the page too.
function showWhole(tab, strip) {
  const inner = tab.getBoundingClientRect(), outer = strip.getBoundingClientRect();
  strip.scrollLeft += Math.max(0, inner.right - outer.right) + Math.min(0, inner.left - outer.left);
}

function moveTab(event) {
  const names = Object.keys(VIEWS);
  const at = names.indexOf(state.tab);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const name = names[(to + names.length) % names.length];
  place(`tab-${name}`).focus();
  update({ tab: name });
}

function drop(file) {
  dropped = { file, pages: null };
  update({ mode: "file", at: "0", chosen: "0", bits: "", fault: "0" });
}

function turnPage(direction, end) {
  if (direction > 0) dropped.pages.starts.push(end);
  else dropped.pages.starts.pop();
  update({ at: "0", chosen: "0", bits: "", fault: "0" });
}

// Takes files that are dropped anywhere; text goes where it is dropped.
function takeFiles() {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    place("file").files = event.dataTransfer.files;
    drop(file);
  });
}

async function begin() {
  const status = place("status");
  const tell = (words) => { status.textContent = words; };
  showTabs();
  place("tabs").addEventListener("keydown", moveTab);
  place("skip").addEventListener("click", (event) => {
    event.preventDefault();
    place("view").focus();
  });
  try {
    backend = await connect(tell);
    facts = { ...(await backend.ask("about")), tabs: Object.keys(VIEWS) };
    state = read(location.hash, facts);
  } catch (error) {
    tell("");
    fill(place("view"), h("p", { class: "wrong card", role: "alert" }, `The explorer cannot start: ${error.message}`));
    return;
  }
  tell(`eightfold ${facts.version} · ${facts.python} · engine ${facts.engine}`);
  place("privacy").textContent = backend.privacy;
  refresh = inputOf(place("input"), facts.forms, { update, drop, turn: turnPage });
  takeFiles();
  addEventListener("hashchange", () => {
    state = read(location.hash, facts);
    show();
  });
  await show();
  document.body.dataset.ready = "true";
}

begin();
