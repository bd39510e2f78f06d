// The largest height of a canvas.
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
    // Paper cannot scroll, so the whole picture is printed.
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
  // A box with as much of its name as fits.
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
