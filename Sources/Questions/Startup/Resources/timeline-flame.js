const [N_PARENT, N_FUNCTION, N_LABEL, N_ENDING, N_WEIGHT, N_TOTAL] = Array(6).keys();
const nodes = data.nodes, LEVEL = 17;
const below = nodes.map(() => []), roots = [];
nodes.forEach((node, index) => (node[N_PARENT] < 0 ? roots : below[node[N_PARENT]]).push(index));
for (const list of [roots, ...below]) list.sort((a, b) => nodes[b][N_TOTAL] - nodes[a][N_TOTAL]);
const sumOf = list => list.reduce((sum, index) => sum + nodes[index][N_TOTAL], 0);
const all = sumOf(roots) || 1;
// Left edge (a fraction of the width) and level of each node; parents come before their children.
const left = new Float64Array(nodes.length), level = new Int32Array(nodes.length);
{
  const spread = (list, from, depth) => {
    for (const index of list) {
      left[index] = from;
      level[index] = depth;
      from += nodes[index][N_TOTAL] / all;
    }
  };
  spread(roots, 0, 0);
  nodes.forEach((node, index) => spread(below[index], left[index], level[index] + 1));
}
let zoomed = -1, pointed = -1, deepest = 0;
for (const depth of level) deepest = Math.max(deepest, depth);

const nodeName = (index, nameOf = shortOf) => nodes[index][N_FUNCTION] < 0
  ? data.labels[nodes[index][N_LABEL]]
  : nameOf(nodes[index][N_FUNCTION]) + remark(nodes[index][N_ENDING]);
const amount = value => data.unit === "calls" ? number(value) + (value === 1 ? " call" : " calls")
  : ms(value) + " ms";
const ancestors = index => {
  const list = [];
  for (; index >= 0; index = nodes[index][N_PARENT]) list.push(index);
  return list.reverse();
};

// The change of a stack between two compared runs.
const changeOf = index => nodes[index][N_TOTAL] - Math.max(data.before[index], 0);
const mostChange = data.before
  ? Math.max(1, ...[...nodes.keys()].map(index => Math.abs(changeOf(index)))) : 0;
const changeWords = index => !data.before ? ""
  : data.before[index] < 0 ? "new" : "before " + amount(data.before[index]) + ", "
    + (changeOf(index) < 0 ? "" : "+") + amount(changeOf(index));

const flame = new Picture(byId("flame"), paintFlame);
flame.content = (deepest + 1) * LEVEL + 2;

function boxOf(index) {
  const from = zoomed < 0 ? 0 : left[zoomed], part = zoomed < 0 ? 1 : nodes[zoomed][N_TOTAL] / all || 1;
  return {x: (left[index] - from) / part * flame.width,
    width: nodes[index][N_TOTAL] / all / part * flame.width, y: level[index] * LEVEL};
}

function paintFlame(context, width, height, top) {
  const open = [...roots];
  while (open.length) {
    const index = open.pop(), box = boxOf(index), node = nodes[index];
    // Children are no wider than their parents, so an invisible node ends the branch.
    if (box.x > width || box.x + box.width < 0 || box.width < 0.4) continue;
    open.push(...below[index]);
    const y = box.y - top;
    if (y > height || y + LEVEL < 0) continue;
    const isFunction = node[N_FUNCTION] >= 0, isAbove = zoomed >= 0 && level[index] < level[zoomed];
    const match = isFunction && fits !== null && fits[node[N_FUNCTION]];
    flame.block(box.x, y, box.width, LEVEL, nodeName(index) + " " + amount(node[N_TOTAL]),
      flameColour(index),
      {dim: fits !== null && !match, pale: isAbove, dashed: !!data.endings[node[N_ENDING]], match,
        ink: isFunction && !data.before ? colours["--tag"] : colours["--ink"]});
    if (index === pointed) {
      context.strokeStyle = colours["--ink"];
      context.lineWidth = 2;
      context.strokeRect(Math.max(box.x, 0) + 1, y + 1, Math.max(Math.min(box.x + box.width, width)
        - Math.max(box.x, 0) - 2, 1), LEVEL - 3);
      context.lineWidth = 1;
    }
  }
}

function flameColour(index) {
  const node = nodes[index];
  if (data.before) {
    const change = changeOf(index), part = Math.min(Math.abs(change) / mostChange * 100, 100);
    return `color-mix(in oklab, ${colours[change > 0 ? "--worse" : "--better"]} ${part}%, ${colours["--same"]})`;
  }
  return node[N_FUNCTION] < 0 ? colours["--band2"]
    : fillOf(node[N_FUNCTION]);
}

function nodeAt(x, y) {
  const depth = Math.floor((y + flame.box.scrollTop) / LEVEL);
  let list = roots;
  for (let at = 0; ; at += 1) {
    const found = list.find(index => {
      const box = boxOf(index);
      return x >= box.x && x < box.x + box.width;
    });
    if (found === undefined || at === depth) return found === undefined ? -1 : found;
    list = below[found];
  }
}

function point(index) {
  if (index === pointed) return;
  pointed = index;
  const node = nodes[index];
  byId("flame-detail").textContent = index < 0 ? "" : [
    nodeName(index, found => functions[found].name),
    amount(node[N_TOTAL]) + " (" + (node[N_TOTAL] / all * 100).toFixed(1) + "% of all)",
    amount(node[N_WEIGHT]) + " self",
    changeWords(index),
    node[N_FUNCTION] < 0 ? "" : functions[node[N_FUNCTION]].place].filter(word => word).join(" \u00b7 ");
  flame.draw();
}

function zoomFlame(index) {
  zoomed = index;
  byId("flame-reset").disabled = index < 0;
  const names = ancestors(index).map(found => nodeName(found))
    .map(name => name.length > 48 ? name.slice(0, 47) + "\u2026" : name);
  byId("crumbs").textContent = (names.length > 6 ? "\u2026 > " : "") + names.slice(-6).join(" > ");
  flame.draw();
}

{
  const box = flame.box, canvas = flame.canvas;
  canvas.addEventListener("pointermove", event => {
    const index = nodeAt(event.offsetX, event.offsetY);
    canvas.style.cursor = index < 0 ? "" : "pointer";
    point(index);
  });
  canvas.addEventListener("click", event => {
    const index = nodeAt(event.offsetX, event.offsetY);
    if (index >= 0) zoomFlame(nodes[index][N_PARENT] < 0 ? -1 : index);
  });
  const beside = by => {
    if (pointed < 0) return point(roots[0]);
    const parent = nodes[pointed][N_PARENT], list = parent < 0 ? roots : below[parent];
    point(list[Math.min(Math.max(list.indexOf(pointed) + by, 0), list.length - 1)]);
  };
  const keys = {
    ArrowDown: () => point(pointed < 0 ? roots[0] : below[pointed][0] ?? pointed),
    ArrowUp: () => { if (pointed >= 0 && nodes[pointed][N_PARENT] >= 0) point(nodes[pointed][N_PARENT]); },
    ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
    Enter: () => { if (pointed >= 0) zoomFlame(nodes[pointed][N_PARENT] < 0 ? -1 : pointed); },
    Escape: () => zoomFlame(-1), 0: () => zoomFlame(-1),
  };
  box.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || !roots.length) return;
    event.preventDefault();
    keys[event.key]();
    if (pointed < 0) return;
    const y = level[pointed] * LEVEL;
    if (y < box.scrollTop || y + LEVEL > box.scrollTop + flame.height) box.scrollTop = y - flame.height / 2;
  });
  byId("flame-reset").addEventListener("click", () => zoomFlame(-1));
}
addEventListener("resize", () => { flame.content = (deepest + 1) * LEVEL + 2; flame.draw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readColours(); flame.draw();
});
flame.now();
