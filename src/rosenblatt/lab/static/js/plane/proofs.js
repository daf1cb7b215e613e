// What is proved about the points, drawn into a plane: the widest street with the points that hold it, or the
// few points whose hulls meet; and R and γ, of which the bound on mistakes is made.

import {number, s} from '../dom.js';
import {between, distance, foot, hull, lineIn, path} from '../geometry.js';
import {arrow, label, lineLayer, street} from './layers.js';
import {starPath} from './dots.js';

/** The certificate: of two classes, or of one against the rest. */
export function certificate(plane, {proof, points}) {
  if (proof?.kind === 'separable') {
    const {w, b, margin, support} = proof;
    return [...street(plane, w, b, margin, 'proof'), ...lineLayer(plane, proof, 'proof'),
      ...rings(plane, points, support, 'support', 'data-support')];
  }
  return proof?.kind === 'inseparable' ? meeting(plane, proof, points) : [];
}

function rings(plane, points, which, name, mark) {
  return which.filter((i) => points[i]).map((i) => {
    const [cx, cy] = plane.at(points[i]);
    return s('circle', {class: name, cx, cy, r: plane.points.radius + 4, [mark]: i});
  });
}

function meeting(plane, proof, points) {
  const which = proof.points.filter((i) => points[i]);
  const own = proof.class ?? Math.max(...which.map((i) => points[i][2]));
  const hulls = [true, false].flatMap((mine, k) => {
    const side = which.filter((i) => (points[i][2] === own) === mine);
    const kinds = [...new Set(side.map((i) => points[i][2]))];
    const look = kinds.length === 1 ? `k${kinds[0]}` : 'rest';
    const lines = s('pattern', {id: `hatch-${k}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse',
      patternTransform: `rotate(${45 + 90 * k})`}, s('path', {class: `hatch ${look}`, d: 'M0 4H8'}));
    const d = path(hull(side.map((i) => plane.at(points[i]))), true);
    return [lines, s('path', {class: `hull ${look}`, d, fill: `url(#hatch-${k})`})];
  });
  return [...hulls, ...rings(plane, points, which, 'support meets', 'data-meets')];
}

/** Where the hulls meet; above the points, as it may be one of them. */
export function star(plane, {proof}) {
  return proof?.meeting ? [s('path', {class: 'star', d: starPath(8), 'data-meeting': '',
    transform: `translate(${plane.at(proof.meeting).join(' ')})`})] : [];
}

/** R as a circle about the origin with the arrow to the farthest point, γ as a bracket from line to point. With a
 *  bias R and γ are lengths in the space of (x, 1), and what is drawn has others. */
export function radiusAndMargin(plane, {verdict, points}) {
  const {bound, bias} = verdict ?? {};
  if (!bound || !points[bound.farthest]) return [];
  const words = (name, length, drawn) => (bias ? `${number(drawn, 3)}; ${name} = ${number(length, 3)} in (x, 1)`
    : `${name} = ${number(length, 3)}`);
  const found = radius(plane, bound, points[bound.farthest], words);
  return verdict.kind === 'separable' ? [...found, ...gap(plane, bound, points, words)] : found;
}

function radius(plane, bound, far, words) {
  const {plot} = plane;
  const size = bound.drawn.radius;
  const origin = plane.at([0, 0]);
  const [rx, ry] = [plane.X(size) - origin[0], origin[1] - plane.Y(size)];
  const to = plane.at(far);
  // If the origin is out of view, the arrow starts where the way from there comes in.
  const late = [plot.width, plot.height].map((edge, k) => {
    const start = Math.min(Math.max(origin[k], 0), edge);
    return (start - origin[k]) / (to[k] - origin[k]) || 0;
  });
  const from = between(origin, to, Math.max(...late));
  const long = distance(from, to) || 1;
  const out = to[0] > from[0] ? 1 : -1; // to the outer side, where less is drawn
  const anchor = out > 0 ? 'start' : 'end';
  const steep = Math.abs(to[1] - from[1]) / long;
  const [x, y] = between(from, to, 0.6);
  const place = [x + out * 12 * steep, y + (12 * Math.abs(to[0] - from[0])) / long + 4];
  return [s('ellipse', {class: 'radius', cx: origin[0], cy: origin[1], rx, ry, 'data-radius': bound.radius}),
    ...arrow(from, to, 'radius'),
    label(plane, place, words('R', bound.radius, size), 'radius', steep < 0.3 ? 'middle' : anchor)];
}

function gap(plane, {u, offset, margin, drawn, nearest}, points, words) {
  // Of several that are as near, the one nearest to the middle of the view is easiest to see.
  const {width, height} = plane.plot;
  const out = (i) => distance(plane.at(points[i]), [width / 2, height / 2]);
  const near = points[nearest.filter((i) => points[i]).sort((i, j) => out(i) - out(j))[0]];
  if (!near || drawn.margin === null) return [];
  const [a, c] = [plane.at(foot(u, offset, near)), plane.at(near)];
  const long = distance(a, c) || 1;
  const [nx, ny] = [(-6 * (c[1] - a[1])) / long, (6 * (c[0] - a[0])) / long];
  const tick = ([x, y]) => `M${x - nx} ${y - ny}L${x + nx} ${y + ny}`;
  const [x, y] = between(a, c, 0.5);
  return [...(lineIn(plane.view, u, offset) ? lineLayer(plane, {w: u, b: offset}, 'best') : []),
    s('path', {class: 'gap', d: `${path([a, c])}${tick(a)}${tick(c)}`, 'data-margin': margin}),
    label(plane, [x + 2.2 * nx, y + 2.2 * ny + 4], words('γ', margin, drawn.margin), 'gap',
      nx > 1 ? 'start' : nx < -1 ? 'end' : 'middle')];
}
