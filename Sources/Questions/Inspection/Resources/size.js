"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const [NAME, MODULE, BYTES, CALLED] = Array(4).keys();
const map = document.getElementById("map");
const back = document.getElementById("back");
const place = document.getElementById("place");
const NS = "http://www.w3.org/2000/svg";
// A single tile shows nothing: its contents are shown instead.
const modules = data.modules.filter(module => module.bytes > 0);
const only = modules.length === 1 ? data.modules.indexOf(modules[0]) : null;
let chosen = only;

function size(value) {
  if (value < 1024) return value + " B";
  const units = ["KiB", "MiB", "GiB"];
  let scaled = value / 1024;
  while (scaled >= 1023.95 && units.length > 1) { scaled /= 1024; units.shift(); }
  return scaled.toLocaleString("en", {minimumFractionDigits: 1, maximumFractionDigits: 1}) + " "
    + units[0];
}

// A module with its symbols' bytes, or one symbol.
function groups() {
  if (chosen === null) return data.modules;
  return data.symbols.filter(row => row[MODULE] === chosen).map(row => ({
    name: row[NAME], bytes: row[BYTES], watched: row[CALLED] === null ? 0 : row[BYTES],
    called: row[CALLED] ? row[BYTES] : 0,
  }));
}

function colour(group) {
  if (!group.watched) return "var(--unknown)";
  const part = group.called / group.watched;
  if (part === 0) return "var(--never)";
  return "color-mix(in oklab, var(--all) " + Math.round(part * 100) + "%, var(--low))";
}

function tile(group, index, x, y, width, height) {
  const node = document.createElementNS(NS, "g");
  const rect = document.createElementNS(NS, "rect");
  for (const [key, value] of Object.entries({x, y, width, height})) {
    rect.setAttribute(key, value.toFixed(2));
  }
  rect.style.fill = colour(group);
  const called = group.watched
    ? ", " + (100 * group.called / group.watched).toFixed(1) + "% called" : "";
  const title = document.createElementNS(NS, "title");
  title.textContent = group.name + ": " + size(group.bytes) + called;
  node.append(title, rect);
  if (width > 50 && height > 16) {
    const text = document.createElementNS(NS, "text");
    text.setAttribute("x", (x + 4).toFixed(2));
    text.setAttribute("y", (y + 14).toFixed(2));
    text.textContent = group.name.slice(0, Math.floor(width / 7));
    node.append(text);
  }
  if (chosen === null && data.symbols.some(row => row[MODULE] === index)) {
    const open = () => { chosen = index; draw(); back.focus(); };
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", title.textContent);
    node.addEventListener("click", open);
    node.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); }
    });
  }
  return node;
}

function draw() {
  const items = groups().map((group, index) => ({bytes: group.bytes, group, index}))
    .filter(item => item.bytes > 0).sort((a, b) => b.bytes - a.bytes);
  // Few tiles need little room.
  map.style.height = items.length < 6 ? "120px" : "";
  const width = map.clientWidth || 900, height = map.clientHeight || 420;
  map.setAttribute("viewBox", "0 0 " + width + " " + height);
  const tiles = [];
  squarify(items, 0, 0, width, height, (item, ...where) => {
    tiles.push(tile(item.group, item.index, ...where));
  });
  map.replaceChildren(...tiles);
  back.hidden = chosen === only;
  place.textContent = chosen === null ? "All modules"
    : data.modules[chosen].name + ": " + size(data.modules[chosen].bytes);
}

back.addEventListener("click", () => { chosen = only; draw(); });
window.addEventListener("resize", draw);
draw();
