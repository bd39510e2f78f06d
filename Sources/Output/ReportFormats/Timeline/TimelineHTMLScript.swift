/// What the page of a timeline does.
enum TimelineHTMLScript {
  static let all = model + canvas + lanes + lanesInput + flame + table

  /// Of the page that compares two runs: the flame graph alone.
  static let flameAlone = model + canvas + flame + flameSearch

  /// Names for the numbers of the data, and the search.
  static let model = #"""
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
    const nameOf = span => functions[span[FUNCTION]].name + remark(span[ENDING]);
    const selfOf = span => isMoment(span) ? "-"
      : (span[KIND] & SELF_AT_MOST ? "\u2264 " : "") + ms(span[SELF]);
    const startOf = span => span[START] - processes[threads[span[THREAD]].process].start;

    // Colours are modules: of Swift, or files that functions are linked into. The most frequent first,
    // so that neighbours differ.
    const modules = new Map();
    for (const span of spans) {
      const name = functions[span[FUNCTION]].module;
      modules.set(name, (modules.get(name) || 0) + 1);
    }
    const colourOf = new Map([...modules].sort((a, b) => b[1] - a[1])
      .map(([name], index) => [name, "--c" + index % 8]));
    const fillOf = index => colours[colourOf.get(functions[index].module)] || colours["--band2"];
    let colours = {};
    function readColours() {
      const style = getComputedStyle(document.documentElement);
      for (const name of ["paper", "ink", "soft", "line", "panel", "link", "tag", "match", "band",
        "band2", "mark", "ready", "worse", "better", "same", ...[...Array(8).keys()].map(index => "c" + index)])
        colours["--" + name] = style.getPropertyValue("--" + name).trim();
    }
    readColours();

    // The search: every word has to be in a function's name, module, image or place.
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

    """#

  /// A canvas as high as what it shows, of which only the part in view is drawn.
  static let canvas = #"""
    // What a canvas may be high.
    const PAPER = 8000;
    const FONT = '11px ui-monospace, "DejaVu Sans Mono", monospace';
    class Picture {
      constructor(box, paint) {
        this.box = box;
        this.paint = paint;
        this.canvas = document.createElement("canvas");
        this.space = document.createElement("div");
        box.append(this.canvas, this.space);
        this.context = this.canvas.getContext("2d");
        this.context.font = FONT;
        this.letter = this.context.measureText("M").width;
        this.waits = false;
        box.addEventListener("scroll", () => this.draw());
        new ResizeObserver(() => this.draw()).observe(box);
        // On paper nobody scrolls.
        for (const [event, whole] of [["beforeprint", true], ["afterprint", false]]) {
          addEventListener(event, () => {
            this.isWhole = whole;
            this.content = this.contentHeight;
            this.now();
          });
        }
      }
      get width() { return this.box.clientWidth; }
      set content(height) {
        this.contentHeight = height;
        const most = this.isWhole ? PAPER : Math.max(200, innerHeight * 0.66);
        this.height = Math.min(height, most);
        this.canvas.style.height = this.height + "px";
        this.space.style.height = height - this.height + "px";
      }
      draw() {
        if (this.waits) return;
        this.waits = true;
        requestAnimationFrame(() => { this.waits = false; this.now(); });
      }
      now() {
        const scale = devicePixelRatio || 1, width = this.width, height = this.height;
        if (this.canvas.width !== Math.round(width * scale)
          || this.canvas.height !== Math.round(height * scale)) {
          this.canvas.width = Math.round(width * scale);
          this.canvas.height = Math.round(height * scale);
          this.canvas.style.width = width + "px";
        }
        const context = this.context;
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.fillStyle = colours["--paper"];
        context.fillRect(0, 0, width, height);
        context.font = FONT;
        context.textBaseline = "middle";
        this.paint(context, width, height, this.box.scrollTop);
      }
      // A box with as much of its name as there is room for.
      block(x, y, width, height, name, fill, {dim = false, pale = false, dashed = false, match = false,
        ink = colours["--tag"]} = {}) {
        const context = this.context, left = Math.max(x, 0), right = Math.min(x + width, this.width);
        const shown = Math.max(right - left, 0.7);
        context.globalAlpha = dim ? 0.25 : pale ? 0.55 : 1;
        context.fillStyle = fill;
        context.fillRect(left, y, shown > 3 ? shown - 0.7 : shown, height - 1);
        if (match) {
          context.fillStyle = colours["--match"];
          context.fillRect(left, y + height - 4, shown > 3 ? shown - 0.7 : Math.max(shown, 1.5), 3);
        }
        if (dashed && shown > 6) {
          context.strokeStyle = ink;
          context.setLineDash([3, 2]);
          context.strokeRect(left + 0.5, y + 0.5, shown - 2, height - 2.5);
          context.setLineDash([]);
        }
        this.words(name, left + 4, y + height / 2, shown - 8, ink);
        context.globalAlpha = 1;
      }
      words(text, x, y, room, ink) {
        const most = Math.floor(room / this.letter);
        if (most < 2) return;
        this.context.fillStyle = ink;
        this.context.fillText(
          text.length > most ? text.slice(0, most - 1) + "\u2026" : text, x, y);
      }
    }

    """#
}
