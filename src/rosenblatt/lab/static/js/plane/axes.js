// The axes of a plane: a grid at round numbers, the lines of zero, numbers and names along the edges.

import {number, s} from '../dom.js';
import {ticks} from '../geometry.js';

/** Return the grid and the axes as elements of SVG. */
export function axes(plane, names) {
  const {left, top, width, height} = plane.plot;
  const [x0, x1, y0, y1] = plane.view;
  const found = [[], []]; // zero lines lie over the grid
  const texts = [];
  const text = (name, x, y, anchor, words) => texts.push(s('text', {class: name, x, y, 'text-anchor': anchor}, words));
  const each = (values, draw) => {
    const step = values[1] - values[0] || 1;
    const digits = Math.min(12, Math.ceil(Math.log10(Math.max(...values.map(Math.abs), step) / step)) + 2);
    for (const v of values) draw(v, found[v === 0 ? 1 : 0], v === 0 ? 'zero' : 'grid', number(v, digits));
  };
  each(ticks(x0, x1, width / 70), (x, lines, look, words) => {
    const at = left + plane.X(x);
    lines.push(s('path', {class: look, d: `M${at.toFixed(1)} ${top}v${height}`}));
    if (at - left > 6 && left + width - at > 10) text('tick', at, top + height + 15, 'middle', words);
  });
  each(ticks(y0, y1, height / 56), (y, lines, look, words) => {
    const at = top + plane.Y(y);
    lines.push(s('path', {class: look, d: `M${left} ${at.toFixed(1)}h${width}`}));
    if (at - top > 6 && top + height - at > 4) text('tick', left - 6, at + 4, 'end', words);
  });
  text('name', left + width, top + height + 30, 'end', `${names[0]} →`);
  text('name', -top, left - 32, 'end', `${names[1]} →`);
  texts.at(-1).setAttribute('transform', 'rotate(-90)');
  return [...found.flat(), s('rect', {class: 'frame', x: left, y: top, width, height}), ...texts];
}
