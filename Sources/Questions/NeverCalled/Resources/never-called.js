"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const [NAME, MODULE, FILE, LINE, BYTES, CALLED, WATCHED, VERDICT, BOUND, OWNER, LISTING,
  GROUP, REFERENCES, RANK, DEPTH] = Array(15).keys();
const rows = data.rows;
const verdictOf = row => data.verdicts[row[VERDICT]];
const isDead = row => ["never called", "below threshold"].includes(verdictOf(row));
// The page's numbers exclude other code and functions of the baseline.
const OTHER_CODE = 0, KNOWN = 2;
const isOwn = row => row[LISTING] !== OTHER_CODE;
const isListed = row => isDead(row) && row[LISTING] !== KNOWN;
const fileOf = row => row[FILE] < 0 ? "" : data.files[row[FILE]];
const share = row => row[WATCHED] ? row[CALLED] / row[WATCHED] : 0;
const number = value => value.toLocaleString("en");
// The same format as CountText.bytes.
function size(value) {
  if (value < 1024) return number(value) + " B";
  const units = ["KiB", "MiB", "GiB"];
  let scaled = value / 1024;
  while (scaled >= 1023.95 && units.length > 1) { scaled /= 1024; units.shift(); }
  return scaled.toLocaleString("en", {minimumFractionDigits: 1, maximumFractionDigits: 1}) + " "
    + units[0];
}
const percent = value => (value * 100).toFixed(value < 0.1 ? 2 : 1) + "%";

// The table.
const hasOwners = data.owners.some(owner => owner);
const columns = [
  {title: "Size", key: row => row[BYTES], cell: row => size(row[BYTES]), number: true},
  {title: "Function", key: row => row[NAME], className: "name", tree: true},
  {title: "Module", key: row => data.modules[row[MODULE]]},
  {title: "Place", key: row => fileOf(row) + String(row[LINE]).padStart(8, "0"), place: true,
    className: "place"},
  {title: "Runs", key: share, number: true,
    cell: row => number(row[CALLED]) + " of " + number(row[WATCHED])},
  {title: "At most", key: row => row[BOUND], number: true, cell: row => percent(row[BOUND])},
  {title: "Verdict", key: row => verdictOf(row)},
];
if (hasOwners) columns.push({title: "Owner", key: row => data.owners[row[OWNER]]});
// With an index, functions that can be deleted come first: trees of such functions, largest first.
const rankOf = row => row[GROUP] === undefined ? rows.length : row[RANK];
const referencesOf = row => row[GROUP] === undefined ? "" : data.references[row[REFERENCES]];
if (data.groups) {
  columns.splice(2, 0, {title: "References", key: rankOf, cell: referencesOf, className: "name"});
}
let sorted = {column: data.groups ? 2 : 0, down: !data.groups}, shown = 200;
const head = document.querySelector("#list thead tr");
const body = document.querySelector("#list tbody");
columns.forEach((column, index) => {
  const cell = document.createElement("th");
  cell.scope = "col";
  if (column.number) cell.className = "n";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = column.title;
  button.addEventListener("click", () => {
    sorted = {column: index, down: sorted.column === index ? !sorted.down : !!column.number};
    shown = 200;
    fill();
  });
  cell.append(button);
  head.append(cell);
});
const search = document.getElementById("search");
const verdict = document.getElementById("verdict");
for (const name of new Set(rows.map(verdictOf))) verdict.add(new Option("only: " + name, name));
const group = document.getElementById("group");
if (group) {
  data.groups.forEach((title, index) => {
    if (rows.some(row => row[GROUP] === index)) group.add(new Option(title, index));
  });
}
const texts = rows.map(row => [row[NAME], data.modules[row[MODULE]], fileOf(row),
  data.owners[row[OWNER]], referencesOf(row)].join("\n").toLowerCase());

function chosen() {
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
  const wanted = verdict.value;
  return rows.filter((row, index) =>
    (wanted === "" || (wanted === "own" ? isListed(row) && isOwn(row)
      : wanted === "dead" ? isListed(row) : verdictOf(row) === wanted))
    && (!group || group.value === "" || row[GROUP] === Number(group.value))
    && words.every(word => texts[index].includes(word)));
}

const text = (column, row) => String((column.cell || column.key)(row));
// Columns whose rows are all alike: the line above the table says them.
let alike = [];

function fill() {
  const key = columns[sorted.column].key, sign = sorted.down ? -1 : 1;
  const list = chosen().map(row => [key(row), row]);
  list.sort((a, b) => a[0] < b[0] ? -sign : a[0] > b[0] ? sign : b[1][BYTES] - a[1][BYTES]);
  alike = list.length < 2 ? [] : columns.filter((column, index) => index > 1
    && !column.className && index !== sorted.column
    && list.every(([, row]) => text(column, row) === text(column, list[0][1])));
  [...head.children].forEach((cell, index) => {
    cell.hidden = alike.includes(columns[index]);
    cell.setAttribute("aria-sort",
      index !== sorted.column ? "none" : sorted.down ? "descending" : "ascending");
  });
  body.replaceChildren(...list.slice(0, shown).map(([, row]) => line(row)));
  const bytes = list.reduce((sum, [, row]) => sum + row[BYTES], 0);
  document.getElementById("count").textContent =
    number(list.length) + (list.length === 1 ? " function, " : " functions, ") + size(bytes)
    + alike.map(column => column.title !== "At most" && text(column, list[0][1])
      && "; " + column.title.toLowerCase() + ": " + text(column, list[0][1])).filter(Boolean).join("");
  document.getElementById("more").hidden = list.length <= shown;
}

const isTree = () => columns[sorted.column].key === rankOf && !sorted.down;

function line(row) {
  const tr = document.createElement("tr");
  for (const column of columns.filter(column => !alike.includes(column))) {
    const td = document.createElement("td");
    td.className = column.number ? "n" : column.className || "";
    // Narrow windows show no head above the cell.
    if (column.number) td.dataset.title = column.title;
    if (column.place && row[FILE] >= 0) {
      const link = document.createElement("a");
      link.href = data.links[row[FILE]] + (row[LINE] ? "#L" + row[LINE] : "");
      link.textContent = fileOf(row) + (row[LINE] ? ":" + row[LINE] : "");
      td.append(link);
    } else if (!column.place) {
      td.textContent = text(column, row);
      // Indented below the function with which this one can be deleted.
      if (column.tree && isTree()) td.style.paddingLeft = Math.min(row[DEPTH] || 0, 20) * 1.2 + "em";
    }
    tr.append(td);
  }
  return tr;
}

document.getElementById("controls").addEventListener("submit", event => event.preventDefault());
search.addEventListener("input", () => { shown = 200; fill(); });
verdict.addEventListener("change", () => { shown = 200; path = []; fill(); draw(); });
if (group) group.addEventListener("change", () => { shown = 200; fill(); });
document.getElementById("more").addEventListener("click", () => { shown += 1000; fill(); });

// The treemap: modules, then a module's files, then a file's functions.
const map = document.getElementById("map");
let path = [];
// The number of leading levels of the path without an alternative.
let fixed = 0;
const unknown = new Set(["inlined", "not instrumented", "not called while watched", "unwatched",
  "dropped"]);

function children(path) {
  const groups = new Map();
  for (const row of rows) {
    if (verdict.value === "own" && !isOwn(row)) continue;
    if (path.length > 0 && row[MODULE] !== path[0]) continue;
    if (path.length > 1 && row[FILE] !== path[1]) continue;
    const key = path.length === 0 ? row[MODULE] : path.length === 1 ? row[FILE] : row;
    const group = groups.get(key) || {key, bytes: 0, known: 0, weight: 0, dead: 0};
    group.bytes += row[BYTES];
    if (!unknown.has(verdictOf(row))) {
      group.known += row[BYTES];
      group.weight += row[BYTES] * share(row);
      if (isDead(row)) group.dead += row[BYTES];
    }
    groups.set(key, group);
  }
  return [...groups.values()].filter(group => group.bytes > 0).sort((a, b) => b.bytes - a.bytes);
}

const label = group => path.length === 0 ? data.modules[group.key]
  : path.length === 1 ? (group.key < 0 ? "(no file)" : data.files[group.key].split("/").pop())
  : group.key[NAME];

function colour(group) {
  if (group.known === 0) return "var(--unknown)";
  const part = group.weight / group.known;
  if (part === 0) return "var(--never)";
  return "color-mix(in oklab, var(--all) " + Math.round(part * 100) + "%, var(--low))";
}

const element = name => document.createElementNS("http://www.w3.org/2000/svg", name);

// A single tile shows nothing: replaces it by its contents. Returns the tiles.
function descend() {
  fixed = 0;
  let tiles = children([]);
  for (; fixed < 2 && tiles.length === 1; tiles = children(path.slice(0, fixed))) {
    path[fixed] = tiles[0].key;
    fixed += 1;
  }
  tiles = children(path);
  for (; path.length < 2 && tiles.length === 1; tiles = children(path)) path.push(tiles[0].key);
  return tiles;
}

function draw() {
  const tiles = descend();
  map.closest("section").hidden = path.length === fixed && tiles.length < 2;
  // Few tiles need little room.
  map.style.height = tiles.length < 6 ? "120px" : "";
  const box = map.getBoundingClientRect();
  map.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  map.replaceChildren();
  // Tiles beyond these are too small to be seen.
  squarify(tiles.slice(0, 2000), 0, 0, box.width, box.height, (group, x, y, width, height) => {
    const g = element("g"), rect = element("rect"), title = element("title");
    rect.setAttribute("x", x); rect.setAttribute("y", y);
    rect.setAttribute("width", width); rect.setAttribute("height", height);
    rect.setAttribute("fill", colour(group));
    const known = group.known ? percent(group.dead / group.known) + " never called" : "unknown";
    title.textContent = label(group) + "\n" + size(group.bytes) + ", " + known;
    g.append(title, rect);
    if (width > 46 && height > 18) {
      const text = element("text"), most = Math.floor((width - 8) / 7);
      text.setAttribute("x", x + 5); text.setAttribute("y", y + 15);
      const name = label(group);
      text.textContent = name.length > most ? name.slice(0, most - 1) + "\u2026" : name;
      g.append(text);
    }
    const open = () => {
      if (path.length < 2) { path.push(group.key); draw(); }
      else { search.value = group.key[NAME]; verdict.value = ""; fill(); }
    };
    g.setAttribute("tabindex", "0");
    g.addEventListener("click", open);
    g.addEventListener("keydown", event => { if (event.key === "Enter") open(); });
    map.append(g);
  });
  const crumbs = document.getElementById("crumbs");
  const names = ["All modules", ...path.map((key, level) => level === 0 ? data.modules[key]
    : key < 0 ? "(no file)" : data.files[key])];
  crumbs.replaceChildren(...names.flatMap((name, level) => {
    if (level === names.length - 1) return [name];
    if (level < fixed) return [name, " > "];
    const link = document.createElement("a");
    link.href = "#";
    link.textContent = name;
    link.addEventListener("click", event => {
      event.preventDefault(); path = path.slice(0, level); draw();
    });
    return [link, " > "];
  }));
}

fill();
draw();
addEventListener("resize", draw);
