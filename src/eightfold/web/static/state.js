// What the page shows, kept in the fragment of its URL, which browsers never send to a server.

import { escaped } from "./notation.js";

export const DEFAULTS = {
  mode: "text", text: "na\u00efve \u20ac \\u{1F600} \\uD83D", hex: "", form: "auto", tab: "beside", at: "0", chosen: "0",
  bits: "", fault: "0", policy: "escape", table: "utf-8", own: "", width: "8", longest: "", joins: "",
};
const LONGEST = 8000;

export function read(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const found = Object.keys(DEFAULTS).map((name) => [name, given.get(name) ?? DEFAULTS[name]]);
  return Object.fromEntries(found);
}

// Returns the fragment, or null if the input is too long for a link.
export function written(state) {
  const kept = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = name === "text" || name === "own" ? escaped(state[name]) : state[name];
    const unused = (name === "hex" && state.mode !== "bytes") || (name === "text" && state.mode !== "text");
    if (value !== usual && !unused) kept.set(name, value);
  }
  const fragment = kept.toString();
  return fragment.length > LONGEST ? null : fragment;
}
