// What a step is about, drawn into a plane: the line and its normal, the example looked at, the update as an
// arrow. Each function returns elements of SVG, in pixels of the plot.

import {number, s} from '../dom.js';
import {between, clip, corners, distance, foot, inside, lineIn, path} from '../geometry.js';

const isPlane = (model) => model?.w && !Array.isArray(model.w[0]) && (model.w[0] || model.w[1]);

/** An arrow between two places in pixels, as a line and a tip. */
export function arrow(from, to, name, tip = 12) {
  const long = distance(from, to);
  if (long < 2) return [];
  const part = Math.min(tip / long, 0.7);
  const neck = between(to, from, part);
  const side = (k) => [neck[0] + 0.42 * k * part * (from[1] - to[1]), neck[1] + 0.42 * k * part * (to[0] - from[0])];
  return [s('g', {class: `arrow ${name}`}, s('path', {d: path([from, neck])}),
    s('path', {class: 'tip', d: path([to, side(1), side(-1)], true)}))];
}

/** A text with a halo; kept inside the plot. */
export function label(plane, [x, y], text, name = '', anchor = 'middle') {
  const {width, height} = plane.plot;
  const wide = text.length * 8.4;
  const [low, high] = {start: [4, wide], end: [wide, 4], middle: [wide / 2, wide / 2]}[anchor];
  return s('text', {
    class: `label ${name}`, x: Math.min(Math.max(x, low), Math.max(width - high, low)),
    y: Math.min(Math.max(y, 14), height - 5), 'text-anchor': anchor,
  }, text);
}

/** The line w·x + b = 0. */
export function lineLayer(plane, model, name) {
  const ends = isPlane(model) ? lineIn(plane.view, model.w, model.b) : null;
  return ends ? [s('path', {class: `line ${name}`, d: path(ends.map(plane.at))})] : [];
}

/** The line after the step, and the one before it if it has moved; of averages, the mean's is the bold one. */
export function hyperplanes(plane, {frame, before, options}) {
  const {mean} = frame;
  return [
    ...(options.update && frame.updated && !frame.region ? lineLayer(plane, before?.mean ?? before, 'old') : []),
    ...(mean ? lineLayer(plane, frame, 'thin') : []),
    ...lineLayer(plane, mean ?? frame, 'bold'),
  ];
}

/** The band as wide as the nearest point is far, if all points are on their side. */
export function band(plane, {frame, points}) {
  const {w, b} = frame.mean ?? frame;
  const place = frame.margin ? points[frame.nearest] : null;
  if (!place) return [];
  const [cx, cy] = plane.at(place);
  return [...street(plane, w, b, frame.margin, 'margin'),
    s('circle', {class: 'edge margin', cx, cy, r: plane.points.radius + 4, 'data-nearest': frame.nearest})];
}

/** Two dashed parallels to a line, at a distance, and the ground between them. */
export function street(plane, w, b, margin, name) {
  const away = margin * Math.hypot(...w);
  const edges = [-away, away].map((shift) => lineIn(plane.view, w, b + shift)).filter(Boolean);
  const strip = clip(clip(corners(plane.view), w, b + away), [-w[0], -w[1]], away - b);
  return [s('path', {class: `ground ${name}`, d: path(strip.map(plane.at), true)}),
    ...edges.map((ends) => s('path', {class: `edge ${name}`, d: path(ends.map(plane.at))}))];
}

/** Where normals start: at the line's foot of the origin, or at its point nearest to the middle of the view. */
function anchorOf(plane, model) {
  const [x0, x1, y0, y1] = plane.view;
  const middle = [(x0 + x1) / 2, (y0 + y1) / 2];
  const places = [[0, 0], middle].map((p) => (isPlane(model) ? foot(model.w, model.b, p) : p));
  const {width, height} = plane.plot;
  return places.find((p) => inside([20, width - 20, 20, height - 20], plane.at(p))) ?? middle;
}

/** A factor for vectors, so that they are neither specks nor longer than the view; a power of two if not 1. */
function factorFor(plane, from, vectors) {
  const short = Math.min(plane.plot.width, plane.plot.height);
  const tips = vectors.map((v) => [from[0] + v[0], from[1] + v[1]]);
  const most = Math.max(...tips.map((tip) => distance(plane.at(from), plane.at(tip))));
  if (!most || (tips.every((tip) => inside(plane.view, tip)) && most > 26 && most < 0.8 * short)) return 1;
  return 2 ** Math.floor(Math.log2((0.32 * short) / most));
}

/** The normal vector; after an update, the old one, what was added, and the sum, as the lectures draw it. */
export function normal(plane, {frame, before, options}) {
  const updated = options.update && frame.updated && before?.w;
  const {w} = frame.mean && !updated ? frame.mean : frame;
  if (!w || Array.isArray(w[0])) return [];
  const from = anchorOf(plane, frame.mean && !updated ? frame.mean : frame);
  const factor = factorFor(plane, from, updated ? [w, before.w] : [w]);
  const tip = (v) => plane.at([from[0] + factor * v[0], from[1] + factor * v[1]]);
  const [start, end] = [plane.at(from), tip(w)];
  const found = [];
  if (updated) {
    const old = tip(before.w);
    found.push(arrow(start, old, 'old'), arrow(old, end, 'step'));
    const long = distance(old, end);
    const [x, y] = between(old, end, 0.5);
    const place = [x + (17 * (end[1] - old[1])) / long, y - (17 * (end[0] - old[0])) / long + 4];
    if (long > 30) found.push(label(plane, place, stepText(frame, before), 'step'));
  }
  if (options.normal && (w[0] || w[1])) {
    const long = distance(start, end) || 1;
    const [ux, uy] = [(end[0] - start[0]) / long, (end[1] - start[1]) / long];
    const scaled = factor === 1 ? '' : factor > 1 ? ` × ${number(factor)}` : ` ÷ ${number(1 / factor)}`;
    const anchor = ux > 0.4 ? 'start' : ux < -0.4 ? 'end' : 'middle';
    const place = [end[0] + 8 * ux, end[1] + 14 * uy + 4];
    found.push(arrow(start, end, 'normal', 13), label(plane, place, `w${scaled}`, 'strong', anchor));
  }
  return found.flat();
}

/** "+ x" if the example itself was added; else what was added. */
export function stepText({factor, w}, old) {
  if (factor === null) return `+ (${number(w[0] - old.w[0], 3)}, ${number(w[1] - old.w[1], 3)})`;
  return `${factor < 0 ? '−' : '+'} ${Math.abs(factor) === 1 ? '' : `${number(Math.abs(factor), 3)} `}x`;
}

/** Rings about the examples looked at; of one alone, its score. */
export function looked(plane, {frame, points}) {
  const r = plane.points.radius;
  const {rows, mistake, score} = frame;
  return rows.filter((i) => points[i]).flatMap((i) => {
    const [x, y] = plane.at(points[i]);
    const look = `ring${mistake ? ' bad' : ''}${rows.length > 8 ? ' many' : ''}`;
    const ring = s('circle', {class: look, cx: x, cy: y, r: r + 6, 'data-looked': i});
    if (rows.length > 1 || typeof score !== 'number') return [ring];
    const text = `score ${number(score, 3)} ${mistake ? '✗' : '✓'}`;
    return [ring, label(plane, [x, y > 40 ? y - r - 13 : y + r + 22], text, mistake ? 'bad' : 'good')];
  });
}

/** The points that hold a kernel's boundary up. */
export function supports(plane, {frame, points}) {
  const most = Math.max(...(frame.support ?? []).map(([, a]) => Math.abs(a)), 1e-12);
  return (frame.support ?? []).filter(([i]) => points[i]).map(([i, a]) => {
    const [cx, cy] = plane.at(points[i]);
    return s('circle', {class: 'held', cx, cy, r: plane.points.radius + 3 + (2 * Math.abs(a)) / most});
  });
}

/** The classes' centres. */
export function centroids(plane, {frame, present}) {
  const d = 'M-11 0A11 11 0 1 1 11 0A11 11 0 1 1 -11 0M-16 0H16M0 -16V16';
  return (frame.centroids ?? []).map((centre, k) => s('path', {class: `centre k${present[k]}`, d,
    transform: `translate(${plane.at(centre).join(' ')})`}));
}
