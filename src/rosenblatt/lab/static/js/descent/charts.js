// Beside the surface: the loss of each path as it goes, and the points with the line of each path.

import {number, put, s, whole} from '../dom.js';
import {fitView, lineIn, path as line, px, ticks, viewOf} from '../geometry.js';
import {mark, Picture, text} from './surface.js';

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 10, 24];
const CLIMB = 1e4; // times the loss at the start: what is higher leaves the chart
const WIDE = 30; // from the lowest to the highest, times: a scale of powers shows more
const POINTS = {plus: 'M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0-8.8 0z', minus: 'M-3.8-3.8h7.6v7.6h-7.6z'};

class Chart extends Picture {
  constructor(id, label) {
    super({id, role: 'img', 'aria-label': label});
    this.element.className = 'beside';
  }

  resized() {
    Object.assign(this, {w: this.width - LEFT - RIGHT, t: this.height - TOP - BOTTOM});
    if (this.told) this.show(this.told);
  }

  show(told) {
    this.told = told;
    if (this.width) put(this.svg, this.draw(told));
  }

  /** Set the scales, and return a grid with numbers and names: of each axis its range, ticks and name. */
  frame([x0, x1, across, name], [y0, y1, up, other]) {
    this.X = (x) => LEFT + ((x - x0) / (x1 - x0)) * this.w;
    this.Y = (y) => TOP + ((y1 - y) / (y1 - y0)) * this.t;
    const [end, room] = [this.height - 8, this.width - 30 - 8 * name.length];
    const lines = (ends, path) => s('path', {class: 'grid', d: ends.map(path).join('')});
    return [
      lines(up, ([y]) => `M${LEFT} ${this.Y(y)}h${this.w}`), lines(across, ([x]) => `M${this.X(x)} ${TOP}v${this.t}`),
      up.map(([y, words]) => text('', LEFT - 6, this.Y(y) + 4, words, 'end')),
      across.map(([x, words]) => this.X(x) < room && text('', this.X(x), end, words, 'middle')),
      text('name', LEFT + this.w, end, name, 'end'), text('name', LEFT + 5, TOP + 12, other)];
  }
}

const plain = (low, high, n) => ticks(low, high, n).map((value) => [value, number(value, 3)]);

/** The loss after every move. */
export class LossChart extends Chart {
  constructor(go) {
    super('descent-losses', 'The loss of each path, move by move');
    this.svg.addEventListener('pointerdown', ({clientX}) => {
      const part = (clientX - this.svg.getBoundingClientRect().left - LEFT) / this.w;
      if (this.told) go(Math.round(part * this.told.total));
    });
  }

  /** told: {paths, at, k, shown, by, total, bottom}. */
  draw({paths, at, k, shown, by, total, bottom}) {
    const {low, high, powers} = range(shown.map((name) => paths[name].losses), bottom);
    const scale = powers ? Math.log10 : (value) => value;
    const up = powers ? powersIn(low, high, this.t / 26) : plain(low, high, this.t / 34);
    const across = ticks(0, total, this.w / 60).filter(Number.isInteger).map((step) => [step, whole(step)]);
    const name = by === 'move' ? 'moves' : 'examples';
    const frame = this.frame([0, total, across, name], [scale(low), scale(high), up, 'mean loss']);
    return [frame,
      bottom >= low && s('path', {class: 'bottom', d: `M${LEFT} ${this.Y(scale(bottom))}h${this.w}`}),
      s('path', {class: 'now', d: `M${this.X(k)} ${TOP}v${this.t}`}),
      [...shown].reverse().map((one) => this.#curve(one, paths[one], at[one], by, scale, [low, high]))];
  }

  #curve(name, {losses, seen}, at, by, scale, [low, high]) {
    const over = losses.findIndex((loss) => !(loss <= high));
    const places = Array.from(over < 0 ? losses : losses.subarray(0, over + 1), (loss, move) =>
      [this.X(by === 'move' ? move : seen[move]), this.Y(scale(Math.min(Math.max(loss, low), high)))]);
    const gone = over >= 0 && over <= at;
    return s('g', {class: `path ${name}`}, s('path', {class: 'ahead', d: line(places)}),
      s('path', {class: 'walked', d: line(places.slice(0, at + 1))}),
      gone ? s('path', {class: 'over', 'data-over': name, d: `M${px([places[over][0], TOP - 8])}l7 12h-14z`})
        : mark(name, places[at], ' scale(.8)'));
  }
}

/** What to show of losses: from the lowest to the highest, but of those that climb only a part. */
function range(curves, bottom) {
  let [least, high] = [Infinity, 0];
  for (const losses of curves) {
    for (const loss of losses) {
      least = Math.min(least, loss);
      high = Math.max(high, Math.min(loss, losses[0] * CLIMB));
    }
  }
  high ||= 1;
  if (least > 0 && high > WIDE * least) return {low: least * 0.8, high: high * 1.4, powers: true};
  const low = Math.min(least, bottom ?? 0);
  return {low: Math.max(0, low - 0.06 * (high - low)), high: high + 0.08 * (high - low)};
}

function powersIn(low, high, most) {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const stride = Math.max(1, Math.ceil((last - first + 1) / most));
  const powers = Array.from({length: last - first + 1}, (_, k) => first + k).filter((power) => power % stride === 0);
  return powers.map((power) => [power, Math.abs(power) > 4 ? `1e${power}`.replace('-', '−') : number(10 ** power)]);
}

/** The points, and what the weights of each path make of them. */
export class DataPlot extends Chart {
  constructor() {
    super('descent-data', 'The points, and the line of each path');
  }

  /** told: {problem, weights: {name: [w1, w2]}, shown}. */
  draw({problem: {X, y, numbers}, weights, shown}) {
    const one = X[0].length === 1;
    const scores = one && !numbers;
    const points = X.map(([first, second], k) => [first, one ? y[k] : second]);
    const around = viewOf(points);
    // Two features need one scale, or a line's normal would not look upright.
    const view = scores ? [around[0], around[1], -2.2, 2.2] : one ? around : fitView(around, this.w, this.t);
    const [x0, x1, y0, y1] = view;
    const up = scores ? [[-1, '−1'], [0, '0'], [1, '+1']] : plain(y0, y1, this.t / 40);
    const names = one ? ['x', scores ? 'score wx + b' : 'y'] : ['x₁', 'x₂'];
    const frame = this.frame([x0, x1, plain(x0, x1, this.w / 60), names[0]], [y0, y1, up, names[1]]);
    const place = ([a, b]) => [this.X(a), this.Y(b)];
    const lines = [...shown].reverse().map((name) => {
      const [a, b] = weights[name];
      const ends = lineIn(view, one ? [a, -1] : [a, b], one ? b : 0);
      // With two features, a short arrow shows the positive side.
      const turn = `translate(${px(place([0, 0]))}) rotate(${(Math.atan2(-b, a) * 180) / Math.PI})`;
      return ends && s('g', {class: `line ${name}`, 'data-line': name}, s('path', {d: line(ends.map(place))}),
        one ? null : s('path', {d: 'M0 0h24m-6-5 6 5-6 5', transform: turn}));
    });
    return [frame, scores && s('path', {class: 'now', d: `M${LEFT} ${this.Y(0)}h${this.w}`}), lines,
      !numbers && text('', LEFT + this.w, TOP + 12, '● +1   □ −1', 'end'),
      points.map((point, k) => {
        const kind = numbers || y[k] > 0 ? 'plus' : 'minus';
        return s('path', {class: `point ${kind}`, transform: `translate(${px(place(point))})`, d: POINTS[kind]});
      })];
  }
}
