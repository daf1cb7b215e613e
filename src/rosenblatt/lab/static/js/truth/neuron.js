// A threshold unit drawn as a neuron, at work on one row of the table.

import {bitsOf, line, text} from './cube.js';
import {s, set} from '../dom.js';

const WIDTH = 440;
const [LEFT, SUM, STEP, OUT] = [58, 232, 322, 402];
const GAP = {2: 92, 3: 76, 4: 62};
export const minus = (value) => String(value).replace('-', '−');
const circle = (cx, cy, r, look) => s('circle', {cx, cy, r, class: look});

export function drawUnit({unit, rows, n}, {row}) {
  const {sum, fires, text: told} = rows[row];
  const middle = GAP[n] * n / 2;
  /** An edge with its weight on it; thick if the weight is large, pale if the input is 0. */
  const edge = (y, weight, input) => {
    const long = Math.hypot(SUM - LEFT, middle - y);
    const at = (far) => [LEFT + (SUM - LEFT) * far / long, y + (middle - y) * far / long];
    const look = weight ? weight < 0 ? 'minus' : '' : 'none';
    return s('g', {class: `edge ${look} ${input ? 'live' : ''}`},
      set(line(at(20), at(long - 32), 'line'), {'stroke-width': 1.5 + 1.5 * Math.abs(weight)}),
      circle(...at(long * 0.42), 14), text(...at(long * 0.42), minus(weight), 'weight'));
  };
  const arrow = (from, to, live) => s('g', {class: `edge ${live ? 'live' : ''}`},
    s('path', {d: `M${from} ${middle}H${to - 5}m0 -4l4 4l-4 4z`, 'stroke-width': 2}));
  const inputs = [...bitsOf(n, row)].map((input, j) => {
    const y = GAP[n] * (j + 0.5);
    const live = input === '1';
    return [edge(y, unit.weights[j], live), text(20, y, `x${j + 1}`, 'name'),
      circle(LEFT, y, 19, `node ${live ? 'live' : ''}`), text(LEFT, y, input, 'value')];
  });
  return s('svg', {class: 'neuron', viewBox: `0 0 ${WIDTH} ${2 * middle + 44}`, role: 'img', 'aria-label': told},
    inputs, arrow(SUM + 32, STEP - 26, true), arrow(STEP + 28, OUT - 22, fires),
    circle(SUM, middle, 32, 'node live'), text(SUM, middle - 15, 'w·x', 'tiny'),
    text(SUM, middle + 6, minus(sum), 'value'),
    s('rect', {x: STEP - 26, y: middle - 27, width: 54, height: 54, rx: 8, class: 'node'}),
    s('path', {d: `M${STEP - 17} ${middle + 1}h18v-18h18`, class: 'step'}),
    text(STEP + 1, middle + 15, `≥ ${minus(unit.threshold)}`, 'weight'),
    s('g', {class: `corner is-${fires}`}, circle(OUT, middle, 21), text(OUT, middle, String(fires), 'digit value')),
    set(text(WIDTH / 2, 2 * middle + 28, told, 'weight'), {id: 'truth-computed'}));
}
