const RULER = 22, BAND = 18, ROW = 16, NAME = 18, TICKS = 26;
const whole = {from: 0, to: Math.max(data.end * 1.01, 1000)};
let view = {...whole}, selected = -1;

// Each row of the picture with its top, from the ruler down.
const rows = [];
let bottom = RULER;
const add = (kind, height, more) => { rows.push({kind, top: bottom, height, ...more}); bottom += height; };
processes.forEach((process, index) => {
  if (processes.length > 1) add("title", NAME, {name: process.name + ", process " + process.pid});
  if (process.stages.length) add("stages", BAND + 4, {process});
  threads.forEach((thread, place) => {
    if (thread.process !== index) return;
    add("name", NAME, {name: thread.name + (thread.name.includes(thread.id) ? "" : " (" + thread.id + ")")});
    for (const lane of markLanes(place)) add("marks", ROW, {lane});
    let depth = -1, hasMoments = false;
    for (let at = thread.from; at < thread.to; at += 1) {
      if (isMoment(spans[at])) hasMoments = true;
      else depth = Math.max(depth, spans[at][DEPTH]);
    }
    if (depth >= 0) add("calls", (depth + 1) * ROW, {thread});
    if (hasMoments) add("moments", TICKS, {thread});
  });
});
bottom += 6;

// The program's spans need not nest, so each goes to the first free lane.
function markLanes(thread) {
  const lanes = [], ends = [];
  marks.forEach((mark, index) => {
    if (mark.thread !== thread) return;
    const room = mark.length === undefined ? 0 : mark.length;
    let lane = ends.findIndex(end => end <= mark.start);
    if (lane < 0) { lane = lanes.length; lanes.push([]); }
    lanes[lane].push(index);
    ends[lane] = mark.start + room;
  });
  return lanes;
}

const lanes = new Picture(byId("lanes"), paintLanes);
lanes.content = bottom;
const xOf = time => (time - view.from) / (view.to - view.from) * lanes.width;
const timeOf = x => view.from + x / lanes.width * (view.to - view.from);

function paintLanes(context, width, height, top) {
  for (const row of rows) {
    const y = row.top - top;
    if (y > height || y + row.height < RULER) continue;
    paintRow[row.kind](context, row, y);
  }
  for (const process of processes) {
    if (process.ready !== undefined) line(context, process.ready, "--ready", height);
  }
  marks.forEach(mark => { if (!mark.isSpan) line(context, mark.start, "--mark", height); });
  ruler(context, width);
  for (const process of processes) {
    if (process.ready !== undefined) flag(context, process.ready, "--ready", "ready");
  }
}

function line(context, time, colour, height) {
  const x = xOf(time);
  if (x < -1 || x > lanes.width + 1) return;
  context.strokeStyle = colours[colour];
  context.setLineDash([5, 3]);
  context.beginPath(); context.moveTo(x, RULER); context.lineTo(x, height); context.stroke();
  context.setLineDash([]);
}

function flag(context, time, colour, name) {
  const x = xOf(time);
  if (x < -1 || x > lanes.width + 1) return;
  const room = name.length * lanes.letter + 8, left = x + room > lanes.width ? x - room : x;
  context.fillStyle = colours[colour];
  context.fillRect(left, 3, room, 16);
  context.fillStyle = colours["--paper"];
  context.fillText(name, left + 4, 11);
}

// Ticks at 1, 2 or 5 times a power of ten.
function ruler(context, width) {
  context.fillStyle = colours["--panel"];
  context.fillRect(0, 0, width, RULER);
  const least = (view.to - view.from) / Math.max(width / 110, 1);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(times => times * power).find(step => step >= least);
  const [scale, unit] = view.to < 1e3 ? [1, "ns"] : view.to < 1e6 ? [1e3, "\u00b5s"]
    : view.to < 1e10 ? [1e6, "ms"] : [1e9, "s"];
  const digits = Math.max(0, Math.ceil(Math.log10(scale / step)));
  context.strokeStyle = colours["--line"];
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = xOf(time);
    context.beginPath(); context.moveTo(x, 14); context.lineTo(x, RULER); context.stroke();
    context.fillStyle = colours["--soft"];
    context.fillText((time / scale).toLocaleString("en", {minimumFractionDigits: digits,
      maximumFractionDigits: digits}) + " " + unit, x + 3, 10);
  }
}

const paintRow = {
  title(context, row, y) {
    lanes.words(row.name, 4, y + NAME / 2, lanes.width, colours["--ink"]);
    context.fillStyle = colours["--line"];
    context.fillRect(0, y, lanes.width, 1);
  },
  name(context, row, y) { lanes.words(row.name, 4, y + NAME / 2, lanes.width, colours["--soft"]); },
  stages(context, row, y) {
    row.process.stages.forEach((stage, index) => {
      const x = xOf(stage.start), width = xOf(stage.start + stage.length) - x;
      if (x < lanes.width && x + width > 0) lanes.block(x, y + 2, width, BAND,
        stage.name + " " + ms(stage.length) + " ms", colours[index % 2 ? "--band" : "--band2"],
        {ink: colours["--ink"]});
    });
  },
  marks(context, row, y) {
    for (const index of row.lane) {
      const mark = marks[index], x = xOf(mark.start);
      const dim = markFits !== null && !markFits[index];
      if (mark.length !== undefined) {
        lanes.block(x, y, xOf(mark.start + mark.length) - x, ROW, mark.name, colours["--band2"],
          {dim, ink: colours["--ink"], match: markFits !== null && markFits[index]});
      } else if (x > -300 && x < lanes.width) {
        context.globalAlpha = dim ? 0.25 : 1;
        lanes.words("\u25c6 " + mark.name + (mark.isSpan ? " (not ended)" : ""), x - 4, y + ROW / 2,
          lanes.width, colours["--mark"]);
        context.globalAlpha = 1;
      }
    }
  },
  calls(context, row, y) {
    // Of calls narrower than a pixel, only one is drawn for each pixel.
    const drawn = [];
    for (let at = row.thread.from; at < row.thread.to; at += 1) {
      const span = spans[at];
      if (isMoment(span) || span[START] > view.to || endOf(span) < view.from) continue;
      const depth = span[DEPTH], top = y + depth * ROW;
      if (top > lanes.height || top + ROW < RULER) continue;
      const x = xOf(span[START]), width = xOf(endOf(span)) - x, match = fits && fits[span[FUNCTION]];
      if (width < 1 && !match && at !== selected) {
        if (drawn[depth] === Math.floor(x)) continue;
        drawn[depth] = Math.floor(x);
      }
      paintCall(context, at, x, top, width, match);
    }
  },
  // Ticks, with a name if it fits before the next one.
  moments(context, row, y) {
    let last = -1, free = 0;
    for (let at = row.thread.from; at < row.thread.to; at += 1) {
      const span = spans[at];
      if (!isMoment(span)) continue;
      const x = xOf(span[START]), match = fits && fits[span[FUNCTION]];
      if (x > lanes.width + 2) break;
      if (x < -2 || Math.floor(x) === last && !match && at !== selected) continue;
      last = Math.floor(x);
      context.globalAlpha = isDim(span[FUNCTION]) ? 0.25 : 1;
      context.fillStyle = at === selected ? colours["--ink"] : match ? colours["--match"]
        : fillOf(span[FUNCTION]);
      context.fillRect(x - (at === selected ? 1 : 0), y + 2, at === selected ? 3 : 1.4, TICKS - 6);
      const next = at + 1 < row.thread.to ? xOf(spans[at + 1][START]) : lanes.width;
      if (x >= free && next - x > 30) {
        lanes.words(nameOf(span), x + 4, y + TICKS / 2 - 1, next - x - 6, colours["--soft"]);
        free = next - 1;
      }
      context.globalAlpha = 1;
    }
  },
};

function paintCall(context, at, x, top, width, match) {
  const span = spans[at];
  lanes.block(x, top, width, ROW, nameOf(span) + " " + ms(span[LENGTH]) + " ms",
    fillOf(span[FUNCTION]),
    {dim: isDim(span[FUNCTION]), dashed: !!data.endings[span[ENDING]], match});
  if (at === selected) {
    context.strokeStyle = colours["--ink"];
    context.lineWidth = 2;
    context.strokeRect(Math.max(x, 0) + 1, top + 1,
      Math.max(Math.min(x + width, lanes.width) - Math.max(x, 0) - 2, 1), ROW - 3);
    context.lineWidth = 1;
  }
}
