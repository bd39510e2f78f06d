const hasTimes = spans.some(span => !isMoment(span));
// For moments: the time until the thread's next first call.
const quiet = spans.map((span, index) => {
  const thread = threads[span[THREAD]];
  if (index + 1 < thread.to) return spans[index + 1][START] - span[START];
  const process = processes[thread.process];
  return thread.id === process.pid ? process.end - span[START] : 0;
});
const faults = span => span[MINOR] + span[MAJOR];
const columns = hasTimes ? [
  {title: "Self ms", key: index => spans[index][SELF], cell: index => selfOf(spans[index]),
    number: true},
  {title: "Total ms", key: index => spans[index][LENGTH], number: true,
    cell: index => isMoment(spans[index]) ? "-"
      : (spans[index][KIND] & AT_LEAST ? "\u2265 " : "") + ms(spans[index][LENGTH])},
  {title: "Faults", key: index => faults(spans[index]), number: true,
    cell: index => isMoment(spans[index]) ? "-" : number(faults(spans[index]))},
] : [
  {title: "Until next ms", key: index => quiet[index], cell: index => ms(quiet[index]), number: true},
];
columns.push(
  {title: "At ms", key: index => startOf(spans[index]), cell: index => ms(startOf(spans[index])),
    number: true, up: true},
  {title: "Function", key: index => nameOf(spans[index]), name: true},
  {title: "Place", key: index => functions[spans[index][FUNCTION]].place, className: "place"},
  {title: "Thread", key: index => threads[spans[index][THREAD]].name
    + (processes.length > 1 ? " of " + processes[threads[spans[index][THREAD]].process].pid : "")});
byId("table-words").textContent = hasTimes
  ? "Self: time in the function itself, and in functions it called that had run before."
  : "Until next: time until the next function's first call on that thread.";

let sorted = {column: 0, down: true}, shown = 100;
const head = document.querySelector("#list thead tr"), body = document.querySelector("#list tbody");
columns.forEach((column, index) => {
  const cell = document.createElement("th"), button = document.createElement("button");
  cell.scope = "col";
  if (column.number) cell.className = "n";
  button.type = "button";
  button.textContent = column.title;
  button.addEventListener("click", () => {
    sorted = {column: index,
      down: sorted.column === index ? !sorted.down : !!column.number && !column.up};
    shown = 100;
    fill();
  });
  cell.append(button);
  head.append(cell);
});

function chosen() {
  const kind = byId("kind").value;
  return [...spans.keys()].filter(index => !isDim(spans[index][FUNCTION])
    && (kind === "" || (kind === "initializers" ? spans[index][KIND] & INITIALIZER
      : data.endings[spans[index][ENDING]])));
}

function fill() {
  const key = columns[sorted.column].key, sign = sorted.down ? -1 : 1;
  const list = chosen().map(index => [key(index), index]);
  list.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
  [...head.children].forEach((cell, index) => cell.setAttribute("aria-sort",
    index !== sorted.column ? "none" : sorted.down ? "descending" : "ascending"));
  body.replaceChildren(...list.slice(0, shown).map(([, index]) => tableRow(index)));
  byId("listed").textContent = number(list.length) + " of " + number(spans.length);
  byId("more").hidden = list.length <= shown;
}

function tableRow(index) {
  const tr = document.createElement("tr");
  for (const column of columns) {
    const td = document.createElement("td"), text = (column.cell || column.key)(index);
    td.className = column.number ? "n" : column.name ? "name" : column.className || "";
    if (column.name) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.title = wholeNameOf(spans[index]);
      button.addEventListener("click", () => { select(index, true); byId("lanes").scrollIntoView({block: "center"}); });
      td.append(button);
    } else td.textContent = text;
    tr.append(td);
  }
  return tr;
}

function step(by) {
  if (!matches.length) return;
  const place = matches.indexOf(selected);
  select(matches[place < 0 ? (by > 0 ? 0 : matches.length - 1)
    : (place + by + matches.length) % matches.length], true);
}
const steps = () => { byId("previous").disabled = byId("next").disabled = matches.length === 0; };
steps();
byId("search").addEventListener("input", event => {
  look(event.target.value);
  steps();
  shown = 100;
  fill(); lanes.draw(); flame.draw();
});
byId("search").addEventListener("keydown", event => {
  if (event.key === "Enter") { event.preventDefault(); step(event.shiftKey ? -1 : 1); }
});
byId("next").addEventListener("click", () => step(1));
byId("previous").addEventListener("click", () => step(-1));
byId("kind").addEventListener("change", () => { shown = 100; fill(); });
byId("more").addEventListener("click", () => { shown += 1000; fill(); });
addEventListener("keydown", event => {
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "n") step(1);
  else if (event.key === "N") step(-1);
  else if (event.key === "/") { event.preventDefault(); byId("search").focus(); }
});
addEventListener("resize", () => { lanes.content = bottom; lanes.draw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => lanes.draw());
fill(); lanes.now();
