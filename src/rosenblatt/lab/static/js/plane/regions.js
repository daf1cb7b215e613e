// The decision regions of a plane, on a canvas: of one or several planes, or of the grid of scores (two classes)
// or of classes (more) that the library computed.

import {between, clip, corners, path} from '../geometry.js';

let last = {};

function bytesOf(raw) {
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

/** Return the bytes of a region, signed for two classes. */
function decode(text, signed) {
  if (last.text !== text) last = {text, bytes: bytesOf(atob(text))};
  return signed ? new Int8Array(last.bytes.buffer) : last.bytes;
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
    const values = decode(frame.region, binary);
    if (binary ? !values.some(Boolean) : !frame.k) return ''; // nothing is learned yet
    // Grids of classes tell the classes themselves; planes and scores are of those that have points.
    const fields = binary ? [[present[1], soft(values, grid)]] : leads(values, grid);
    if (binary) pour(present[0], polygon(corners(gridView)));
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

/** By how much each class prevails in the neighbourhood of each place. */
function leads(values, grid) {
  const classes = [...new Set(values)];
  const shares = classes.map((c) => soft(Float32Array.from(values, (v) => v === c), grid));
  const others = (k, i) => Math.max(...shares.map((share, j) => (j === k ? 0 : share[i])));
  return classes.map((c, k) => [c, shares[k].map((share, i) => share - others(k, i))]);
}

/** Where the grid lies, in pixels: its samples are the centres of nx × ny cells of its view. */
function boxOf(plane, [nx, ny], [x0, x1, y0, y1]) {
  const [left, top] = plane.at([x0, y1]);
  const [dx, dy] = [(plane.X(x1) - left) / nx, (plane.Y(y0) - top) / ny];
  return {left: left + dx / 2, top: top + dy / 2, dx, dy};
}

/** Bytes are coarse, and votes have steps: take the edge off them twice, so that borders are no staircases. */
const soft = (values, grid) => smooth(smooth(values, grid), grid);

function smooth(values, [nx, ny]) {
  const across = new Float32Array(values.length);
  const found = new Float32Array(values.length);
  for (let k = 0; k < values.length; k++) {
    across[k] = 2 * values[k] + values[k % nx ? k - 1 : k] + values[(k + 1) % nx ? k + 1 : k];
  }
  for (let k = 0; k < values.length; k++) {
    found[k] = 2 * across[k] + across[k < nx ? k : k - nx] + across[k < nx * (ny - 1) ? k + nx : k];
  }
  return found;
}

/** Find where scores are positive, and the border, by marching squares. */
function trace(values, [nx, ny], {left, top, dx, dy}) {
  const inner = new Path2D();
  const border = [];
  const at = (i, j) => values[Math.min(Math.max(j, 0), ny - 1) * nx + Math.min(Math.max(i, 0), nx - 1)] || 0.01;
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
