// A map of all functions of n inputs, green where it is a threshold function. Down go the outputs for x1 = 0,
// across those for x1 = 1: a square of 4, 16 or 256 places a side.

import {h, put, set} from '../dom.js';
import {wire} from '../wire.js';

const SIZE = {2: 208, 3: 208, 4: 256}; // pixels

export class FunctionMap {
  #maps = new Map();
  #n = 2;
  #number = 0;

  constructor(onChoose) {
    this.choose = (number) => onChoose(this.#n, (number + this.total) % this.total);
    const button = (id, sign, name, onclick) => h('button',
      {class: 'btn small', id: `truth-${id}`, 'aria-label': name, onclick}, sign);
    const by = (step) => () => this.choose(this.#number + step);
    const search = (id, threshold, name) => [h('span', {}, h('i', {class: `key ${id}`}), name),
      button(`before-${id}`, '‹', `Previous: ${name}`, () => this.#near(-1, threshold)),
      button(`next-${id}`, 'Next ›', `Next: ${name}`, () => this.#near(1, threshold))];
    this.canvas = h('canvas', {id: 'truth-map', tabindex: 0, role: 'slider', 'aria-label': 'Number of the function',
      onkeydown: (event) => this.#key(event), onpointerdown: (event) => this.#press(event)});
    this.field = h('input', {type: 'number', id: 'truth-number', min: 0, onchange: () => this.#typed()});
    this.title = h('h2');
    this.fact = h('p', {id: 'truth-fact'});
    this.element = h('section', {class: 'panel all'}, this.canvas,
      h('div', {class: 'stack'}, this.title, this.fact, h('div', {class: 'go'},
        h('label', {for: 'truth-number'}, 'number'), button('previous', '‹', 'Previous', by(-1)),
        h('div', {class: 'row'}, this.field, button('next', '›', 'Next', by(1))),
        search('yes', true, 'threshold'), search('no', false, 'none'))));
    this.redraw = () => this.#draw();
    window.addEventListener('themechange', this.redraw);
  }

  get total() { return 2 ** (2 ** this.#n); }
  get side() { return 2 ** (2 ** (this.#n - 1)); }

  leave() { window.removeEventListener('themechange', this.redraw); }

  /** Mark a function; ask for the map of its number of inputs unless it is known. */
  async point(n, number) {
    this.#n = n;
    this.#number = number;
    set(this.field, {value: number, max: this.total - 1});
    put(this.title, `All functions of ${n} inputs`);
    set(this.canvas, {'aria-valuemin': 0, 'aria-valuemax': this.total - 1, 'aria-valuenow': number});
    this.#draw();
    if (!wire.ready || this.#maps.has(n)) return;
    const map = await wire.call('truth.map', {n}).catch(() => null); // a lost lab says so itself, and comes back
    if (map) this.#maps.set(n, {...map, bits: Uint8Array.from(atob(map.bits), (one) => one.charCodeAt(0))});
    this.#draw();
  }

  async #near(step, threshold) {
    const n = this.#n;
    const found = await wire.call('truth.near', {n, number: this.#number, step, threshold}).catch(() => null);
    if (found && n === this.#n) this.choose(found.number);
  }

  #typed() {
    if (this.field.value && this.field.checkValidity()) this.choose(Number(this.field.value));
    else this.field.value = this.#number;
  }

  #key(event) {
    const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.side, ArrowUp: -this.side}[event.key];
    if (!step) return;
    event.preventDefault();
    this.choose(this.#number + step);
  }

  #press({offsetX, offsetY}) {
    const place = (pixel) => Math.min(Math.max(Math.floor(pixel / SIZE[this.#n] * this.side), 0), this.side - 1);
    this.choose(place(offsetY) * this.side + place(offsetX));
  }

  #draw() {
    const [n, side, map, size] = [this.#n, this.side, this.#maps.get(this.#n), SIZE[this.#n]];
    const [cell, scale, gap] = [size / side, Math.ceil(devicePixelRatio), [4, 1, 0][n - 2]];
    set(this.canvas, {width: size * scale, height: size * scale});
    this.canvas.style.width = `${size}px`;
    if (!map) return;
    const yes = (number) => map.bits[number >> 3] >> (7 - number % 8) & 1;
    put(this.fact, `${map.text} `, h('strong', {}, yes(this.#number) ? map.yes : map.no));
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const looks = [['bad-soft', 'good-soft'], ['line', 'good'], ['sunken', 'good']][n - 2].map(colour);
    ['no', 'yes'].forEach((id, on) => { this.element.querySelector(`.key.${id}`).style.background = looks[on]; });
    const place = (number) => [(number % side) * cell, Math.floor(number / side) * cell];
    const pen = this.canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.fillStyle = looks[0];
    if (n === 4) pen.fillRect(0, 0, size, size); // few of its places are green, and only they are drawn
    for (let number = 0; number < this.total; number += 1) {
      const on = yes(number);
      if (n === 4 && !on) continue;
      const [x, y] = place(number);
      pen.fillStyle = looks[on];
      pen.fillRect(x + gap / 2, y + gap / 2, cell - gap, cell - gap);
      for (let row = 0; n === 2 && row < 4; row += 1) { // a square with its corners
        const output = number >> (3 - row) & 1;
        pen.beginPath();
        pen.arc(x + cell * (row & 2 ? 0.7 : 0.3), y + cell * (row & 1 ? 0.3 : 0.7), 5.5, 0, 7);
        pen.fillStyle = colour(output ? 'class-1' : 'panel');
        Object.assign(pen, {strokeStyle: colour(`class-${output}`), lineWidth: 2});
        pen.fill();
        pen.stroke();
      }
    }
    const [[x, y], more] = [place(this.#number), [-2, 1, 5][n - 2]];
    [['panel', 5], ['ink', 2.5]].forEach(([name, lineWidth]) => {
      Object.assign(pen, {strokeStyle: colour(name), lineWidth});
      pen.strokeRect(x - more, y - more, cell + 2 * more, cell + 2 * more);
    });
  }
}
