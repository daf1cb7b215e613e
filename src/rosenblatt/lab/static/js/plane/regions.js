// The decision regions of a plane, on a canvas: half-planes, as given by w and b, and where those of several classes
// overlap; or the grid that the library computed. Of a grid, borders lie between samples by linear interpolation.

import {between, clip, corners, path} from '../geometry.js';

// A byte is the logarithm of a size, as the library packs it: see pack_scores in plane/points.py.
const SIZES = Float64Array.from({length: 128}, (_, k) => k && Math.exp(((k - 127) * Math.log(1e12)) / 126));

let last = {};

/** Return the fields of a region, [class, sizes that are positive where it is predicted]; none if all are 0. */
function decode(text, binary, present) {
  if (last.text === text) return last.fields;
  const bytes = Int8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const half = bytes.length / 2;
  const fields = binary ? [[present[1], Float64Array.from(bytes, (v) => Math.sign(v) * SIZES[Math.abs(v)])]]
    : [...new Set(bytes.subarray(0, half))].map((c) => [c, Float64Array.from(bytes.subarray(half),
      (v, k) => (bytes[k] === c ? SIZES[v] : -SIZES[v]))]);
  last = {text, fields: bytes.subarray(binary ? 0 : half).some(Boolean) ? fields : []};
  return last.fields;
}

/** Paint the regions of a frame, if told to; return the path of the borders, unless it is one line. */
export function paintRegions(plane, context, {frame, binary, grid, gridView, present}, fill) {
  const model = frame?.mean ?? frame;
  const pour = (c, shape) => {
    if (!fill) return;
    context.fillStyle = plane.colour(`--region-${c}`);
    context.fill(typeof shape === 'string' ? new Path2D(shape) : shape);
  };
  const polygon = (places) => path(places.map(plane.at), true);
  const all = polygon(corners(plane.view));
  if (frame?.region) {
    const fields = decode(frame.region, binary, present);
    if (binary && fields.length) pour(present[0], polygon(corners(gridView)));
    return fields.map(([c, field]) => {
      const {inner, border} = trace(field, grid, boxOf(plane, grid, gridView));
      pour(c, inner);
      return border;
    }).join('');
  }
  if (!model?.w || ![model.w, model.b].flat(2).some(Boolean)) return '';
  if (!Array.isArray(model.w[0])) {
    pour(present[0], all);
    pour(present[1], polygon(clip(corners(plane.view), model.w, model.b)));
    return '';
  }
  return model.w.map((w, c) => {
    const part = model.w.reduce((rest, v, d) => (d === c ? rest
      : clip(rest, [w[0] - v[0], w[1] - v[1]], model.b[c] - model.b[d])), corners(plane.view));
    pour(present[c], polygon(part));
    return edges(part, plane);
  }).join('');
}

/** The edges of a polygon that are not edges of the view, as a path. */
function edges(places, {view, at}) {
  return places.map((p, k) => {
    const q = places[(k + 1) % places.length];
    const outer = [0, 1].some((i) => p[i] === q[i] && view.slice(2 * i, 2 * i + 2).includes(p[i]));
    return outer ? '' : path([at(p), at(q)]);
  }).join('');
}

/** Where the grid lies, in pixels: its samples are the centres of nx × ny cells of its view. */
function boxOf(plane, [nx, ny], [x0, x1, y0, y1]) {
  const [left, top] = plane.at([x0, y1]);
  const [dx, dy] = [(plane.X(x1) - left) / nx, (plane.Y(y0) - top) / ny];
  return {left: left + dx / 2, top: top + dy / 2, dx, dy};
}

/** Find where scores are positive, and the border, by marching squares. */
function trace(values, [nx, ny], {left, top, dx, dy}) {
  const inner = new Path2D();
  const border = [];
  const at = (i, j) => values[Math.min(Math.max(j, 0), ny - 1) * nx + Math.min(Math.max(i, 0), nx - 1)] || 1e-13;
  // One cell more on each side, as the outermost samples are half a cell from the edge.
  for (let j = -1; j < ny; j++) {
    let from = null;
    const y = top + j * dy;
    for (let i = -1; i <= nx; i++) {
      const cell = i < nx ? [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)] : [0, 0, 0, 0];
      const x = left + i * dx;
      if (cell[0] > 0 && cell[1] > 0 && cell[2] > 0 && cell[3] > 0) from ??= x;
      else {
        if (from !== null) inner.rect(from, y, x - from, dy);
        from = null;
        if (cell.some((v) => v > 0)) cut(cell, [[x, y], [x + dx, y], [x + dx, y + dy], [x, y + dy]], inner, border);
      }
    }
  }
  return {inner, border: border.join('')};
}

/** Add the positive part of one cell, and the border through it. */
function cut(cell, places, inner, border) {
  const part = [];
  const crossings = [];
  cell.forEach((v, k) => {
    const n = (k + 1) % 4;
    if (v > 0) part.push(places[k]);
    if ((v > 0) === (cell[n] > 0)) return;
    crossings.push(between(places[k], places[n], v / (v - cell[n])));
    part.push(crossings.at(-1));
  });
  part.forEach((p, k) => (k ? inner.lineTo(...p) : inner.moveTo(...p)));
  inner.closePath();
  for (let k = 0; k + 1 < crossings.length; k += 2) border.push(path(crossings.slice(k, k + 2)));
}
