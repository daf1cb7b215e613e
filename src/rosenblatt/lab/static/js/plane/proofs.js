// What is proved about the points, drawn into a plane: the widest street with the points that hold it, or the
// few points whose hulls meet; and R and γ, of which the bound on mistakes is made.

import {number, s} from '../dom.js';
import {between, distance, foot, hull, lineIn, path} from '../geometry.js';
import {arrow, label, lineLayer, street} from './layers.js';
import {starPath} from './dots.js';

/** The certificate of a verdict. */
export function certificate(plane, {verdict, points, present}) {
  if (verdict?.kind === 'separable') {
    const {w, b, margin, support} = verdict;
    return [...street(plane, w, b, margin * Math.hypot(...w), 'proof'), ...lineLayer(plane, verdict, 'proof'),
      ...rings(plane, points, support, 'support', 'data-support')];
  }
  return verdict?.kind === 'inseparable' ? meeting(plane, verdict, points, present) : [];
}

function rings(plane, points, which, name, mark) {
  return which.filter((i) => points[i]).map((i) => {
    const [cx, cy] = plane.at(points[i]);
    return s('circle', {class: name, cx, cy, r: plane.points.radius + 4, [mark]: i});
  });
}

function meeting(plane, verdict, points, present) {
  const hulls = present.flatMap((c, k) => {
    const d = path(hull(verdict.points.filter((i) => points[i]?.[2] === c).map((i) => plane.at(points[i]))), true);
    const lines = s('pattern', {id: `hatch-${c}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse',
      patternTransform: `rotate(${k ? 45 : -45})`}, s('path', {class: `hatch k${c}`, d: 'M0 4H8'}));
    return [lines, s('path', {class: `hull k${c}`, d, fill: `url(#hatch-${c})`})];
  });
  return [...hulls, ...rings(plane, points, verdict.points, 'support meets', 'data-meets')];
}

/** Where the hulls meet; above the points, as it may be one of them. */
export function star(plane, {verdict}) {
  return verdict?.meeting ? [s('path', {class: 'star', d: starPath(8), 'data-meeting': '',
    transform: `translate(${plane.at(verdict.meeting).join(' ')})`})] : [];
}

/** R as a circle about the origin with the arrow to the farthest point, γ as a bracket from line to point. */
export function radiusAndMargin(plane, {verdict, points}) {
  const {bound} = verdict ?? {};
  if (!bound || !points[bound.farthest]) return [];
  const found = radius(plane, bound, points[bound.farthest]);
  return verdict.kind === 'separable' ? [...found, ...gap(plane, bound, points)] : found;
}

function radius(plane, bound, far) {
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
    label(plane, place, `R = ${number(bound.radius, 3)}`, 'radius', steep < 0.3 ? 'middle' : anchor)];
}

function gap(plane, {u, offset, margin}, points) {
  const away = ([x, y]) => Math.abs(u[0] * x + u[1] * y + offset);
  const least = Math.min(...points.map(away));
  // Of several that are as near, the one nearest to the middle of the view is easiest to see.
  const nearest = points.filter((p) => away(p) <= least + 1e-9 * (1 + least));
  const near = nearest.sort((p, q) => plane.central(p) - plane.central(q))[0];
  const [a, c] = [plane.at(foot(u, offset, near)), plane.at(near)];
  const long = distance(a, c) || 1;
  const [nx, ny] = [(-6 * (c[1] - a[1])) / long, (6 * (c[0] - a[0])) / long];
  const tick = ([x, y]) => `M${x - nx} ${y - ny}L${x + nx} ${y + ny}`;
  const [x, y] = between(a, c, 0.5);
  return [...(lineIn(plane.view, u, offset) ? lineLayer(plane, {w: u, b: offset}, 'best') : []),
    s('path', {class: 'gap', d: `${path([a, c])}${tick(a)}${tick(c)}`, 'data-margin': margin}),
    label(plane, [x + 2.2 * nx, y + 2.2 * ny + 4], `γ = ${number(margin, 3)}`, 'gap',
      nx > 1 ? 'start' : nx < -1 ? 'end' : 'middle')];
}
