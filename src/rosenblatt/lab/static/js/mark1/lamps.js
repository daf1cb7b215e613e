// The responses: a lamp for each, its name, which can be changed, its score, and a small image of its weights.

import {CELLS, SIDE, colours} from './cells.js';
import {h, number, put, s, set} from '../dom.js';
import {LIMITS} from './link.js';

export class Lamps {
  /** `act` has choose(k), rename(k, text), remove(k), add(): what people may do. */
  constructor(act) {
    this.act = act;
    this.element = h('ol', {class: 'lamps', id: 'lamps'});
    this.weights = [];
    this.look = () => this.turn(this.weights);
    window.addEventListener('themechange', this.look);
  }

  leave() {
    window.removeEventListener('themechange', this.look);
  }

  /** Make the rows anew. */
  build(names, chosen, editing) {
    const full = names.length >= LIMITS.responses;
    this.two = names.length === 2;
    this.rows = names.map((name, k) => this.#row(name, k, k === chosen, editing));
    this.element.dataset.count = names.length;
    this.element.style.setProperty('--letters', Math.max(...names.map((name) => name.length)));
    put(this.element, this.rows.map((row) => row.element), editing && h('li', {}, h('button', {class: 'btn small',
      id: 'add-response', disabled: full, onclick: () => this.act.add()}, '+ Another response')));
    this.look();
  }

  #row(name, k, chosen, editing) {
    const {act, two} = this;
    const [bar, score] = [s('rect', {y: 0, height: 10}), h('span', {class: 'mono'})];
    const thumb = two || editing ? null : h('canvas', {width: SIDE, height: SIDE});
    const parts = [h('span', {class: 'lamp'}),
      editing ? h('input', {type: 'text', class: 'name', value: name, maxlength: LIMITS.letters, 'aria-label': 'Name',
        onchange: (event) => act.rename(k, event.target.value)}) : h('span', {class: 'name'}, name),
      s('svg', {viewBox: '-100 0 200 10', preserveAspectRatio: 'none'},
        s('rect', {class: 'track', x: -100, y: 3, width: 200, height: 4}), bar,
        s('rect', {class: 'zero', x: -.7, y: 0, width: 1.4, height: 10})),
      score, thumb, editing && h('button', {class: 'btn small quiet', 'aria-label': `Remove ${name}`, disabled: two,
        onclick: () => act.remove(k)}, '✕')];
    const line = two || editing ? h('div', {class: 'lampline'}, parts)
      : h('button', {class: 'lampline', 'aria-pressed': String(chosen), title: `Show the dials of ${name}`,
        onclick: () => act.choose(k)}, parts);
    return {bar, score, thumb, line, element: h('li', {'data-response': k, 'data-side': two ? k : 1}, line)};
  }

  /** Show the scores, and light the lamp of the guess (or none: −1). */
  light({scores, guess}) {
    const most = Math.max(1, ...scores.map(Math.abs));
    this.element.dataset.guess = guess;
    this.rows.forEach(({bar, score, element}, k) => {
      const size = 100 * Math.abs(scores[k]) / most;
      const below = scores[k] < 0;
      set(bar, {x: below ? -size : 0, width: size, class: below && !this.two ? 'against' : 'for'});
      put(score, number(scores[k]));
      element.toggleAttribute('data-lit', k === guess);
    });
  }

  /** Draw the small images of the weights. */
  turn(weights) {
    this.weights = weights;
    const ink = colours();
    const most = weights.flat().reduce((top, w) => Math.max(top, Math.abs(w)), 1);
    this.rows.forEach(({thumb}, k) => {
      const pen = weights[k] && thumb?.getContext('2d');
      pen?.clearRect(0, 0, SIDE, SIDE);
      for (let cell = 0; pen && cell < CELLS; cell++) {
        const w = weights[k][cell];
        pen.globalAlpha = Math.min(1, 1.3 * Math.abs(w) / most);
        pen.fillStyle = ink[w > 0 ? 'class-1' : 'class-0'];
        pen.fillRect(cell % SIDE, Math.floor(cell / SIDE), 1, 1);
      }
    });
  }
}
