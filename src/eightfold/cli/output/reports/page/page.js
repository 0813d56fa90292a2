"use strict";
// Filters and sorts what is on the page. It makes no element and reads no HTML: it hides and moves what is there.
const place = (id) => document.getElementById(id);
const [form, words, kind, order] = ["find", "words", "kind", "order"].map(place);
const lists = ["files", "lines"].map((name) => ({ name, list: place(name), items: [...document.querySelectorAll(`#${name} > li`)] }));
const compare = {
  faults: (one, other) => other.dataset.faults - one.dataset.faults || one.dataset.at - other.dataset.at,
  path: (one, other) => one.dataset.at - other.dataset.at,
};

function fits(item) {
  const wanted = words.value.trim().toLowerCase();
  return item.dataset.words.toLowerCase().includes(wanted) && (!kind.value || item.dataset.kinds.split(" ").includes(kind.value));
}

function show() {
  const counts = lists.map(({ name, list, items }) => {
    if (!list) return null;
    for (const item of items) item.hidden = !fits(item);
    list.append(...[...items].sort(compare[order.value]));
    return `${items.filter((item) => !item.hidden).length} of ${items.length} ${name}`;
  });
  place("status").textContent = `Shown: ${counts.filter(Boolean).join(", ")}.`;
}

if (form) {
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  words.addEventListener("input", show);
  for (const each of [kind, order]) each.addEventListener("change", show);
  show();
}
