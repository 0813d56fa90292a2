// Makes elements. All content becomes text nodes and attributes; nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  const kept = children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false);
  made.append(...kept.map((each) => (each instanceof Node ? each : String(each))));
  return made;
}

export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// Replaces what an element holds. The focus stays on the element with the same data-key, or else on the outer element:
// lost to the body, it would be at the beginning of the page again.
export function fill(element, ...children) {
  const { activeElement } = document;
  const key = activeElement.dataset.key;
  const held = element.contains(activeElement);
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (!held) return;
  if (key !== undefined) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  if (!element.contains(document.activeElement)) element.focus({ preventScroll: true });
}

export function options(names, chosen) {
  return names.map((each) => {
    const [value, label] = Array.isArray(each) ? each : [each, each];
    return h("option", { value, selected: value === chosen }, label);
  });
}

// A table that scrolls sideways by itself on narrow screens.
export function table(caption, head, rows, attributes = {}) {
  const titles = head.map((title) => h("th", { scope: "col" }, title || h("span", { class: "hidden" }, "mark")));
  return h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": caption },
    h("table", attributes, h("caption", {}, caption), h("thead", {}, h("tr", {}, titles)),
      h("tbody", {}, rows.map((row) => h("tr", row.attributes ?? {}, (row.cells ?? row).map((cell) => h("td", {}, cell)))))));
}
