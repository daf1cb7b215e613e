// The surface of a loss over two weights, seen from above, with the paths that go down on it.

import {h, number, put, s, set} from '../dom.js';
import {fitView, inside, path as line, px, roundTo, ticks} from '../geometry.js';
import {paint} from './paint.js';

const FAR = 1e5; // pixels: what is farther away is not drawn
const DOTTED = 45; // moves whose ends can be told apart
const KEYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
const STAR = line(Array.from({length: 10}, (_, k) => [Math.sin, (turn) => -Math.cos(turn)].map((side) =>
  (k % 2 ? 5.4 : 13) * side((k * Math.PI) / 5))), true);
const MARKS = {
  batch: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z', mini: 'M0-7.2 7.2 0 0 7.2-7.2 0z', stochastic: 'M0-7.4 6.8 5-6.8 5z',
};
export const PATHS = Object.keys(MARKS);

/** A mark of its own for each path. */
export const mark = (name, place = [0, 0], more = '') =>
  s('path', {class: `head ${name}`, d: MARKS[name], transform: `translate(${px(place)})${more}`});

/** Write some words at a place. */
export const text = (look, x, y, words, anchor = 'start') =>
  s('text', {class: look, x: x.toFixed(1), y: y.toFixed(1), 'text-anchor': anchor}, words);

/** An SVG element that fills a box: `resized()` is called when there is another size. */
export class Picture {
  constructor(told) {
    this.svg = s('svg', told);
    this.element = h('div', {}, this.svg);
    this.observer = new ResizeObserver(() => {
      const {clientWidth: width, clientHeight: height} = this.element;
      if (!width || (width === this.width && height === this.height)) return;
      Object.assign(this, {width, height});
      set(this.svg, {viewBox: `0 0 ${width} ${height}`, width, height});
      this.resized();
    });
    this.observer.observe(this.element);
  }
}

export class Surface extends Picture {
  /** `onstart(point)` is told where the paths are to start, `onview(view, grid)` what heights are needed. */
  constructor(onstart, onview) {
    super({class: 'map', role: 'group', 'aria-label': 'The loss over the two weights'});
    Object.assign(this, {onstart, onview, canvas: h('canvas', {'aria-hidden': 'true'}), still: s('g'), moving: s('g')});
    this.ring = s('g', {class: 'start', id: 'descent-start', tabindex: 0, role: 'application'},
      [['reach', 22], ['focus', 13], ['ring', 7.5]].map(([name, r]) => s('circle', {class: name, r})));
    this.ring.addEventListener('keydown', (event) => this.#key(event));
    this.svg.append(this.still, this.moving, this.ring);
    set(this.element, {class: 'surface', id: 'descent-surface'}).prepend(this.canvas);
    this.#listen();
  }

  resized() {
    if (this.base) this.setView(this.base);
  }

  /** Show another part of the weights; it is widened to the shape of the picture. */
  setView(view) {
    this.base = view;
    if (!this.width) return;
    this.view = fitView(view, this.width, this.height);
    this.onview(this.view, [this.width, this.height].map((size) => Math.min(140, Math.round(size / 6))));
    this.draw();
  }

  #at([x, y]) {
    const [x0, x1, y0, y1] = this.view;
    return [((x - x0) / (x1 - x0)) * this.width, ((y1 - y) / (y1 - y0)) * this.height];
  }

  /** Paint heights that have come, or those of before with other colours. */
  paint(grid = this.grid) {
    if (!grid) return;
    this.grid = grid;
    const [width, height] = [this.width, this.height].map((size) => Math.round(size * devicePixelRatio));
    paint(Object.assign(this.canvas, {width, height}), grid);
    this.draw();
  }

  /** Draw {paths, at, shown, start, lowest, names, titles, words}; `at` has the move that each path has made. */
  draw(told = this.told) {
    this.told = told;
    if (!told || !this.view) return;
    const {start, names, paths} = told;
    this.places = Object.fromEntries(PATHS.map((name) => [name, this.#placesOf(paths[name])]));
    put(this.still, this.#axes(names));
    const where = names.map((name, k) => `${name} = ${number(start[k], 3)}`).join(', ');
    const label = `Where the paths start: ${where}. Move it with the arrow keys`;
    set(this.ring, {transform: `translate(${px(this.#at(start))})`, 'aria-label': label});
    this.show(told);
  }

  /** Draw what changes from step to step. */
  show(told) {
    this.told = told;
    if (!this.view) return;
    const {paths, at, shown, lowest} = told;
    const [trails, heads] = [[], []];
    for (const name of [...shown].reverse()) this.#drawPath(name, paths[name].moves <= DOTTED, at[name], trails, heads);
    const star = lowest && inside(this.view, lowest) && px(this.#at(lowest));
    const flat = this.grid?.flat;
    put(this.moving, trails, star && s('path', {class: 'lowest', d: STAR, transform: `translate(${star})`}),
      flat && text('name', ...this.#at(flat), 'loss 0', 'middle'), heads, this.#names(told));
  }

  /** The names of the paths, and which of them are lost. */
  #names({paths, at, shown, titles, words}) {
    const right = this.width - 14;
    return [text('words', right, 24, words, 'end'), ...shown.map((name, k) => {
      const y = 46 + 27 * k;
      const lost = paths[name].fate.tone === 'bad' && at[name] === paths[name].moves;
      const title = titles[name] + (lost ? ' diverges' : '');
      const width = 42 + 8.4 * title.length;
      return s('g', {'data-lost': lost ? name : null},
        s('rect', {x: right + 8 - width, y: y - 15, width, height: 25, rx: 12}),
        text('title', right - 20, y + 2, title, 'end'), mark(name, [right - 5, y - 3]));
    })];
  }

  #placesOf({points, moves, fate}) {
    const places = [];
    for (let k = 0; k <= moves; k++) {
      const place = this.#at(points.subarray(2 * k, 2 * k + 2));
      const far = Math.max(1, ...place.map((value) => Math.abs(value) / FAR));
      if (!(far < Infinity)) break;
      places.push(place.map((value) => value / far));
      if (far > 1 || (fate.tone === 'bad' && k && !this.#visible(place))) break; // from there on and on
    }
    return places;
  }

  #drawPath(name, few, at, trails, heads) {
    const places = this.places[name];
    const walked = places.slice(0, at + 1);
    const part = (look, d) => s('path', {class: look, d});
    trails.push(s('g', {class: `path ${name}${few ? '' : ' long'}`, 'data-path': name},
      part('ahead', line(places)), part('casing', line(walked)), part('walked', line(walked)),
      few && part('dots', walked.map((place) => `M${px(place)}h.01`).join(''))));
    const seen = walked[at] && this.#visible(walked[at]);
    heads.push(seen ? set(mark(name, walked[at]), {'data-head': name}) : this.#exit(name, walked));
  }

  #visible([x, y]) {
    return x >= 0 && x <= this.width && y >= 0 && y <= this.height;
  }

  /** An arrow where a path left the picture for good. */
  #exit(name, places) {
    const last = places.findLastIndex((place) => this.#visible(place));
    if (last < 0 || last + 1 >= places.length) return null;
    const [[x, y], [u, v]] = [places[last], places[last + 1]];
    const share = (from, to, end) => (to > end ? (end - from) / (to - from) : to < 0 ? from / (from - to) : 1);
    const part = Math.min(share(x, u, this.width), share(y, v, this.height));
    const turn = ` rotate(${(Math.atan2(v - y, u - x) * 180) / Math.PI})`;
    const arrow = mark(name, [x + part * (u - x), y + part * (v - y)], turn);
    return set(arrow, {'data-exit': name, d: 'M1 0-17-9-12 0-17 9z'});
  }

  #axes([first, second]) {
    const {width, height, view: [x0, x1, y0, y1]} = this;
    const across = ticks(x0, x1, width / 90).map((x) => [this.#at([x, 0])[0], number(x, 3)]);
    const up = ticks(y0, y1, height / 70).map((y) => [this.#at([0, y])[1], number(y, 3)]);
    return [
      across.map(([x, words]) => x > 46 && x < width - 48 && text('', x, height - 10, words, 'middle')),
      up.map(([y, words]) => y > 34 && y < height - 30 && text('', 10, y + 4, words)),
      across.map(([x]) => s('path', {class: 'tick', d: `M${x} ${height}v-6`})),
      up.map(([y]) => s('path', {class: 'tick', d: `M0 ${y}h6`})),
      text('name', width - 12, height - 10, first, 'end'), text('name', 11, 22, second)];
  }

  #listen() {
    const {svg, ring} = this;
    let held = null;
    // A finger drags the ring and scrolls elsewhere; a tap, or a mouse, takes hold anywhere.
    const apart = (event) => event.pointerType === 'touch' && !ring.contains(event.target);
    const move = ({clientX, clientY}) => {
      const {left, top, width, height} = svg.getBoundingClientRect();
      const [x0, x1, y0, y1] = this.view;
      const part = (value) => Math.min(Math.max(value, 0.01), 0.99);
      this.#start([x0 + part((clientX - left) / width) * (x1 - x0), y1 - part((clientY - top) / height) * (y1 - y0)]);
    };
    const on = (name, act) => svg.addEventListener(name, act);
    on('pointerdown', (event) => {
      if (event.button || apart(event)) return;
      held = event.pointerId;
      svg.setPointerCapture(held);
      event.preventDefault();
      ring.focus({preventScroll: true, focusVisible: false});
      move(event);
    });
    on('pointermove', (event) => event.pointerId === held && move(event));
    on('lostpointercapture', () => { held = null; });
    on('click', (event) => apart(event) && move(event));
  }

  #key(event) {
    const way = KEYS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const step = ((this.view[3] - this.view[2]) / 100) * (event.shiftKey ? 10 : 2);
    this.#start(this.told.start.map((value, k) => value + way[k] * step));
  }

  #start(point) {
    this.onstart(point.map((value, k) => roundTo(value, this.view[2 * k + 1] - this.view[2 * k])));
  }
}
