"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const [FUNCTION, THREAD, PARENT, DEPTH, START, LENGTH, SELF, ENDING, KIND, MINOR, MAJOR] =
  Array(11).keys();
const INITIALIZER = 1, AT_LEAST = 2, MOMENT = 4, SELF_AT_MOST = 8;
const {spans, threads, processes, functions, marks} = data;
const byId = id => document.getElementById(id);
const number = value => value.toLocaleString("en");
const ms = time => (time / 1e6).toLocaleString("en",
  {minimumFractionDigits: 3, maximumFractionDigits: 3});
const isMoment = span => (span[KIND] & MOMENT) !== 0;
const endOf = span => span[START] + span[LENGTH];
const remark = ending => data.endings[ending] ? " (" + data.endings[ending] + ")" : "";
// Without module and types, which details show.
const shortOf = index => functions[index].short ?? functions[index].name;
const nameOf = span => shortOf(span[FUNCTION]) + remark(span[ENDING]);
const wholeNameOf = span => functions[span[FUNCTION]].name + remark(span[ENDING]);
const selfOf = span => isMoment(span) ? "-"
  : (span[KIND] & SELF_AT_MOST ? "\u2264 " : "") + ms(span[SELF]);
const startOf = span => span[START] - processes[threads[span[THREAD]].process].start;

// Each colour is a module: a Swift module, or the file that functions are linked into. The most
// frequent ones come first, so that neighbours differ.
const modules = new Map();
for (const span of spans) {
  const name = functions[span[FUNCTION]].module;
  modules.set(name, (modules.get(name) || 0) + 1);
}
const colourOf = new Map([...modules].sort((a, b) => b[1] - a[1])
  .map(([name], index) => [name, "--c" + index % 8]));
const fillOf = index => colours[colourOf.get(functions[index].module)] || colours["--band2"];
const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "ink", "soft", "line", "panel", "link", "tag", "match", "band",
    "band2", "mark", "ready", "worse", "better", "same", ...[...Array(8).keys()].map(index => "c" + index)])
    colours["--" + name] = style.getPropertyValue("--" + name).trim();
}
readColours();

// The search: each word has to occur in a function's name, module, image or place.
const texts = functions.map(each => [each.name, each.image, each.module, each.place].join("\n").toLowerCase());
const markTexts = marks.map(mark => mark.name.toLowerCase());
let fits = null, markFits = null, matches = [];
const isDim = index => fits !== null && !fits[index];

function look(text) {
  const words = text.toLowerCase().split(/\s+/).filter(word => word);
  if (words.length === 0) { fits = markFits = null; matches = []; }
  else {
    const test = text => words.every(word => text.includes(word));
    fits = texts.map(test);
    markFits = markTexts.map(test);
    matches = [...spans.keys()].filter(index => fits[spans[index][FUNCTION]]);
    matches.sort((a, b) => spans[a][START] - spans[b][START] || a - b);
  }
  const found = markFits ? markFits.filter(fit => fit).length : 0;
  byId("count").textContent = fits === null ? ""
    : number(matches.length) + " of " + number(spans.length) + " calls"
      + (marks.length ? ", " + number(found) + " of " + number(marks.length) + " marks" : "");
}
look("");
