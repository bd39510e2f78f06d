function setView(from, to) {
  const length = Math.min(Math.max(to - from, 200), whole.to - whole.from);
  from = Math.min(Math.max(from, whole.from), whole.to - length);
  view = {from, to: from + length};
  lanes.draw();
}
const zoom = (factor, x = lanes.width / 2) => {
  const at = timeOf(x);
  setView(at - (at - view.from) * factor, at + (view.to - at) * factor);
};
const move = part => {
  const by = (view.to - view.from) * part;
  setView(view.from + by, view.to + by);
};
const zoomTo = span => {
  const room = Math.max(span[LENGTH], 2000) * 0.1;
  setView(span[START] - room, Math.max(endOf(span), span[START] + 1000) + room);
};

// The span at a place of the picture; -1: none.
function spanAt(x, y) {
  y += lanes.box.scrollTop;
  const row = rows.find(row => y >= row.top && y < row.top + row.height);
  if (!row || !row.thread) return -1;
  let best = -1, nearest = 5;
  const depth = Math.floor((y - row.top) / ROW);
  for (let at = row.thread.from; at < row.thread.to; at += 1) {
    const span = spans[at];
    if (isMoment(span) !== (row.kind === "moments")) continue;
    if (row.kind === "calls" && span[DEPTH] !== depth) continue;
    const left = xOf(span[START]), right = xOf(endOf(span));
    const away = x < left ? left - x : x > right ? x - right : 0;
    if (away < nearest) { nearest = away; best = at; }
  }
  return best;
}

function describe(at) {
  const span = spans[at], its = functions[span[FUNCTION]];
  const words = [wholeNameOf(span), ...new Set([its.module, its.place]), "at " + ms(startOf(span)) + " ms on "
    + threads[span[THREAD]].name];
  if (!isMoment(span)) {
    words.push((span[KIND] & AT_LEAST ? "at least " : "") + ms(span[LENGTH]) + " ms",
      selfOf(span) + " ms self",
      number(span[MINOR]) + " minor and " + number(span[MAJOR]) + " major faults");
  }
  if (span[KIND] & INITIALIZER) words.push("initializer of " + its.image);
  if (span[PARENT] >= 0) words.push("called from " + shortOf(spans[span[PARENT]][FUNCTION]));
  return words.join(" \u00b7 ");
}

function select(at, show = false) {
  selected = at;
  byId("detail").textContent = at < 0 ? "" : describe(at);
  if (at >= 0 && show) {
    const span = spans[at];
    const row = rows.find(row => row.thread === threads[span[THREAD]]
      && row.kind === (isMoment(span) ? "moments" : "calls"));
    const top = row.top + (isMoment(span) ? 0 : span[DEPTH] * ROW), box = lanes.box;
    if (top < box.scrollTop + RULER || top + ROW > box.scrollTop + lanes.height)
      box.scrollTop = top - lanes.height / 2;
    const x = xOf(span[START]);
    if (x < 0 || x > lanes.width - 20 || xOf(endOf(span)) - x < 3 && !isMoment(span)) zoomTo(span);
  }
  lanes.draw();
}

{
  const box = lanes.box;
  let held = null;
  box.addEventListener("wheel", event => {
    const x = event.clientX - box.getBoundingClientRect().left;
    if (event.ctrlKey || event.metaKey) { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.002), x); }
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      move((event.deltaX || event.deltaY) / lanes.width);
    }
  }, {passive: false});
  lanes.canvas.addEventListener("pointerdown", event => {
    held = {x: event.clientX, y: event.clientY, from: view.from, to: view.to, top: box.scrollTop, moved: false};
    lanes.canvas.setPointerCapture(event.pointerId);
  });
  lanes.canvas.addEventListener("pointermove", event => {
    if (!held) {
      const at = spanAt(event.offsetX, event.offsetY);
      lanes.canvas.style.cursor = at < 0 ? "" : "pointer";
      if (at >= 0 && selected < 0) byId("detail").textContent = describe(at);
      return;
    }
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    if (!held.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    held.moved = true;
    box.classList.add("moving");
    const by = -dx / lanes.width * (held.to - held.from);
    setView(held.from + by, held.to + by);
    box.scrollTop = held.top - dy;
  });
  lanes.canvas.addEventListener("pointerup", event => {
    if (held && !held.moved) select(spanAt(event.offsetX, event.offsetY));
    held = null;
    box.classList.remove("moving");
  });
  lanes.canvas.addEventListener("pointercancel", () => { held = null; box.classList.remove("moving"); });
  lanes.canvas.addEventListener("dblclick", event => {
    const at = spanAt(event.offsetX, event.offsetY);
    if (at >= 0) zoomTo(spans[at]);
  });
  const keys = {
    ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15), "+": () => zoom(0.6), "=": () => zoom(0.6),
    "-": () => zoom(1 / 0.6), 0: () => setView(whole.from, whole.to),
    Enter: () => { if (selected >= 0) zoomTo(spans[selected]); }, Escape: () => select(-1),
    ".": () => select(Math.min(selected + 1, spans.length - 1), true),
    ",": () => select(Math.max(selected - 1, 0), true),
  };
  box.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    if (spans.length) keys[event.key]();
  });
  byId("zoom-in").addEventListener("click", () => zoom(0.5));
  byId("zoom-out").addEventListener("click", () => zoom(2));
  byId("whole").addEventListener("click", () => setView(whole.from, whole.to));
  const ready = processes.find(process => process.ready !== undefined);
  if (ready) {
    byId("to-ready").hidden = false;
    byId("to-ready").addEventListener("click", () =>
      setView(ready.start, ready.start + (ready.ready - ready.start) * 1.02));
  }
}
