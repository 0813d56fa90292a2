// What the page shows, kept in the fragment of its URL, which browsers never send to a server.

import { escaped } from "./notation.js";

export const DEFAULTS = {
  mode: "text", text: "na\u00efve \u20ac \\u{1F600} \\uD83D", hex: "", form: "auto", tab: "beside", at: "0", chosen: "0",
  bits: "", fault: "0", policy: "escape", table: "utf-8", own: "", width: "8", longest: "", joins: "",
};
const LONGEST = 8000;

const MOST_OWN = 4096;
const NUMBER = /^\d{1,9}$/;
const FIXED = { mode: ["text", "bytes", "file"], width: ["8", "16", "32"], longest: ["", "1"], joins: ["", "1"] };

// Returns the state in a fragment. Whatever is not a value of its kind becomes the default.
export function read(fragment, facts) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const names = [...facts.forms.map((each) => each.name), "own"];
  const words = { ...FIXED, form: ["auto", ...names], table: names, policy: Object.keys(facts.policies), tab: facts.tabs };
  const found = Object.entries(DEFAULTS).map(([name, usual]) => {
    const value = given.get(name) ?? usual;
    const fits = name in words ? words[name].includes(value) : !["at", "chosen", "fault"].includes(name) || NUMBER.test(value);
    return [name, fits ? value : usual];
  });
  const state = Object.fromEntries(found);
  return { ...state, own: state.own.slice(0, MOST_OWN), bits: /^([0-9A-F]{2})*$/.test(state.bits) ? state.bits : "" };
}

// Returns the fragment, or null if the input is too long for a link.
export function written(state) {
  const kept = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    if ((name === "hex" && state.mode !== "bytes") || (name === "text" && state.mode !== "text")) continue;
    if (state[name].length > LONGEST) return null;
    const value = name === "text" || name === "own" ? escaped(state[name]) : state[name];
    if (value !== usual) kept.set(name, value);
  }
  const fragment = kept.toString();
  return fragment.length > LONGEST ? null : fragment;
}
