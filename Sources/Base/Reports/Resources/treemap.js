"use strict";
// Places items with a field `bytes`, largest first, in a rectangle: squarified (Bruls, Huizing and van Wijk,
// "Squarified treemaps", 2000).
function squarify(items, x, y, width, height, place) {
  let total = items.reduce((sum, item) => sum + item.bytes, 0), start = 0;
  while (start < items.length && width > 0.5 && height > 0.5) {
    const side = Math.min(width, height), scale = width * height / total;
    let end = start, sum = 0, worst = Infinity;
    while (end < items.length) {
      const next = sum + items[end].bytes, length = next * scale / side;
      const ratio = Math.max(...[items[start], items[end]].map(item => {
        const other = item.bytes * scale / length;
        return Math.max(other / length, length / other);
      }));
      if (ratio > worst) break;
      worst = ratio; sum = next; end += 1;
    }
    const length = sum * scale / side;
    let offset = 0;
    for (const item of items.slice(start, end)) {
      const part = item.bytes * scale / length;
      if (width >= height) place(item, x, y + offset, length, part);
      else place(item, x + offset, y, part, length);
      offset += part;
    }
    if (width >= height) { x += length; width -= length; } else { y += length; height -= length; }
    total -= sum; start = end;
  }
}
