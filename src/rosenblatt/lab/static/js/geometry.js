// Geometry for drawing. A view is [x0, x1, y0, y1].

/** Return a round number (1, 2 or 5 times a power of ten) near span / n. */
export function niceStep(span, n) {
  const raw = span / Math.max(n, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const times = raw / power;
  return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/** Return round numbers from lo to hi, about n of them. */
export function ticks(lo, hi, n) {
  const step = niceStep(hi - lo, n);
  const [first, last] = [Math.ceil(lo / step - 1e-9), Math.floor(hi / step + 1e-9)];
  return Array.from({length: Math.max(last - first + 1, 0)}, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** Round to what a pixel of a view can tell. */
export function roundTo(value, span) {
  return Number(value.toFixed(Math.max(0, Math.min(15, -Math.floor(Math.log10(span / 200)))))) + 0;
}

export const corners = ([x0, x1, y0, y1]) => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
export const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);
export const inside = ([x0, x1, y0, y1], [x, y]) => x >= x0 && x <= x1 && y >= y0 && y <= y1;

/** Return the place a part t of the way from p to q. */
export const between = (p, q, t) => [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];

/** Return the part of a convex polygon where w·x + b ≥ 0. */
export function clip(polygon, w, b) {
  const sides = polygon.map(([x, y]) => w[0] * x + w[1] * y + b);
  return polygon.flatMap((p, k) => {
    const n = (k + 1) % polygon.length;
    const cut = (sides[k] >= 0) !== (sides[n] >= 0);
    return [...(sides[k] >= 0 ? [p] : []), ...(cut ? [between(p, polygon[n], sides[k] / (sides[k] - sides[n]))] : [])];
  });
}

/** Return the two ends of the line w·x + b = 0 in a view, or null if it does not cross it. */
export function lineIn(view, w, b) {
  if (!w || (!w[0] && !w[1])) return null;
  const box = corners(view);
  const sides = box.map(([x, y]) => w[0] * x + w[1] * y + b);
  const ends = box.flatMap((p, k) => {
    const [here, next] = [sides[k], sides[(k + 1) % 4]];
    return !here ? [p] : here * next < 0 ? [between(p, box[(k + 1) % 4], here / (here - next))] : [];
  });
  const far = ends.reduce((best, p) => (distance(p, ends[0]) > distance(best, ends[0]) ? p : best), ends[0]);
  return ends.length && distance(far, ends[0]) > 0 ? [ends[0], far] : null;
}

/** Return the foot of the perpendicular from a point to the line w·x + b = 0. */
export function foot(w, b, [x, y]) {
  const away = (w[0] * x + w[1] * y + b) / (w[0] ** 2 + w[1] ** 2);
  return [x - away * w[0], y - away * w[1]];
}

/** Return the corners of the convex hull, in order (Andrew's chain). */
export function hull(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  if (sorted.length < 3) return sorted;
  const turn = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (list) => list.reduce((chain, p) => {
    while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
    return [...chain, p];
  }, []).slice(0, -1);
  return [...half(sorted), ...half(sorted.reverse())];
}

/** Write a place in pixels. */
export const px = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Write a path through places in pixels. */
export const path = (places, closed = false) => places.length ? `M${places.map(px).join('L')}${closed ? 'Z' : ''}` : '';

/** Fit a view to a box of pixels: both axes with one scale, unless the data's scales are too different. */
export function fitView([x0, x1, y0, y1], width, height) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  if (Math.max(dx / dy, dy / dx) > 4) return [x0, x1, y0, y1];
  const half = Math.max(dx / width, dy / height) / 2;
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return [cx - half * width, cx + half * width, cy - half * height, cy + half * height];
}

/** Return a view of the same middle that shows more, or less if `by` is below 1. */
export function zoomed([x0, x1, y0, y1], by) {
  const wide = (lo, hi) => [-1, 1].map((side) => Number(((lo + hi + side * by * (hi - lo)) / 2).toPrecision(6)));
  return [...wide(x0, x1), ...wide(y0, y1)];
}

/** Return a view that shows all points, with room around them. */
export function viewOf(points) {
  if (!points.length) return [-4, 4, -3, 3];
  const range = (k) => {
    const values = points.map((p) => p[k]);
    const [lo, hi] = [Math.min(...values), Math.max(...values)];
    const room = hi > lo ? 0.15 * (hi - lo) : Math.max(1, Math.abs(hi) * 0.1);
    return [lo - room, hi + room];
  };
  return [...range(0), ...range(1)];
}
