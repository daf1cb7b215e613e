// The Mark I as one picture: what the retina sees, the lamps, and the dials.

import {SIDE} from './cells.js';
import {number, s} from '../dom.js';

const [CELL, GAP, HEAD, LAMPS] = [20, 30, 40, 150];
const WIDE = CELL * SIDE;

/** A pen that is used like that of a canvas, and writes SVG: a path for each look. */
class Pen {
  fills = new Map();
  lines = new Map();

  beginPath() {
    this.path = '';
  }

  arc(x, y, r) {
    this.path += `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  }

  moveTo(x, y) {
    this.path += `M${x} ${y}`;
  }

  lineTo(x, y) {
    this.path += `L${x.toFixed(2)} ${y.toFixed(2)}`;
  }

  fill() {
    this.#add(this.fills, {fill: this.fillStyle, 'fill-opacity': this.globalAlpha});
  }

  stroke() {
    this.#add(this.lines, {fill: 'none', stroke: this.strokeStyle, 'stroke-width': this.lineWidth, 'stroke-linecap': 'round'});
  }

  #add(paths, told) {
    const look = JSON.stringify(told);
    paths.set(look, (paths.get(look) ?? '') + this.path);
  }

  /** Fills are beneath all lines. */
  made() {
    return [...this.fills, ...this.lines].map(([look, d]) => s('path', {d, ...JSON.parse(look)}));
  }
}

export function pictureOf(retina, dials, title, names, {scores, guess}) {
  const ink = dials.colours;
  const rack = (x, cells) => {
    const pen = new Pen();
    cells.drawWith(pen, CELL);
    return s('g', {transform: `translate(${x} ${HEAD})`}, pen.made());
  };
  const look = {'font-family': 'sans-serif', 'font-size': 14, fill: ink.ink};
  const words = (x, y, text, told) => s('text', {...look, x, y, ...told}, text);
  const [middle, right] = [WIDE + 2 * GAP, WIDE + LAMPS + 2 * GAP];
  return s('svg', {viewBox: `0 0 ${right + WIDE + GAP} ${WIDE + HEAD + GAP}`},
    words(GAP, 26, 'Retina'), words(middle, 26, 'Responses'), words(right, 26, title),
    rack(GAP, retina), rack(right, dials),
    names.map((name, k) => {
      const y = HEAD + (k + .5) * WIDE / names.length;
      const fill = guess !== k ? ink.sunken : ink[names.length === 2 && !k ? 'class-0' : 'class-1'];
      return [s('circle', {cx: middle + 10, cy: y, r: 9, fill, stroke: ink.faint}), words(middle + 28, y + 5, name),
        words(middle + LAMPS - 24, y + 5, number(scores[k]), {'text-anchor': 'end'})];
    }));
}
