"use strict";
// What a page can do beyond being read: sort and copy its tables, save its figures, print what is closed.

// A cell as something that can be compared: numbers come before texts, and what is missing stays last.
function key(cell) {
  const number = cell.dataset.value ?? cell.dataset.sort;
  if (number !== undefined && !Number.isNaN(Number(number))) return { rank: 0, value: Number(number) };
  const text = cell.textContent;
  return text === "–" || number !== undefined ? { rank: 2, value: 0 } : { rank: 1, value: text };
}

const texts = new Intl.Collator("en", { numeric: true });

function compare(a, b, sign) {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.rank === 1) return sign * texts.compare(a.value, b.value);
  return a.value === b.value ? 0 : sign * (a.value < b.value ? -1 : 1);
}

// Upwards, downwards, and back to the order in which the rows were written.
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

function makeSortable(table) {
  const body = table.tBodies[0];
  const written = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Sort by this column";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const order = NEXT[head.getAttribute("aria-sort") ?? "none"];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (order === "none") return body.append(...written);
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const keyed = written.map((row) => ({ row, key: key(row.cells[column]) }));
      keyed.sort((a, b) => compare(a.key, b.key, sign));
      body.append(...keyed.map((item) => item.row));
    });
  });
}

// As a spreadsheet takes it: tabs between cells, numbers at full precision.
function tabbed(table) {
  const text = (cell) => cell.dataset.value ?? cell.textContent;
  return [...table.rows].map((row) => [...row.cells].map(text).join("\t")).join("\n");
}

// Browsers that do not trust a file on disk with the clipboard still copy what is selected.
async function copy(text, table) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "unseen";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (copied) return "Copied";
    getSelection().selectAllChildren(table);
    return "Selected: press Ctrl+C";
  }
}

function addButton(figure, label, title, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "tool";
  button.textContent = label;
  button.title = title;
  button.addEventListener("click", () => action(button));
  figure.querySelector("figcaption").append(button);
}

function say(button, text) {
  const label = button.textContent;
  button.textContent = text;
  button.disabled = true;
  setTimeout(() => {
    button.textContent = label;
    button.disabled = false;
  }, 1500);
}

function save(svg, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

for (const figure of document.querySelectorAll("figure.table")) {
  const table = figure.querySelector("table");
  makeSortable(table);
  addButton(figure, "Copy", "Copy the table for a spreadsheet", async (button) => {
    say(button, await copy(tabbed(table), table));
  });
}
for (const figure of document.querySelectorAll("figure.figure")) {
  const name = figure.id.replace(/^figure-/, "") + ".svg";
  addButton(figure, "SVG", "Save the figure as " + name, () => save(figure.querySelector("svg"), name));
}

// On paper nothing can be opened or scrolled: what is closed is printed open, what is too wide in smaller letters.
const PAPER = { width: 660, letters: 8.5 }; // pixels of 1/96 inch between the margins of A4, and points
let opened = [];

function fit(table) {
  table.classList.add("fitted"); // as it will be on paper, and as narrow as its words allow
  const excess = table.offsetWidth / PAPER.width;
  if (excess > 1) table.style.fontSize = PAPER.letters / excess + "pt";
}

addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((details) => (details.open = true));
  document.querySelectorAll("table").forEach(fit);
});
addEventListener("afterprint", () => {
  opened.forEach((details) => (details.open = false));
  document.querySelectorAll("table").forEach((table) => {
    table.classList.remove("fitted");
    table.style.fontSize = "";
  });
});
