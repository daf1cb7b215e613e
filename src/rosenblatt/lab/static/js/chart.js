// The panel with the chart of a run: mistakes so far against the bound on them, or the loss, step by step.

import {h, number, put, s, set, whole} from './dom.js';
import {ticks} from './geometry.js';

const PAD = {left: 38, right: 10, top: 12, bottom: 22};

export class Chart {
  constructor(player) {
    this.player = player;
    this.svg = s('svg', {class: 'chart', role: 'img', onpointerdown: ({clientX}) => {
      const {left, width} = this.svg.getBoundingClientRect();
      const part = (clientX - left - PAD.left) / (width - PAD.left - PAD.right);
      player.pause();
      player.go(Math.round(Math.min(Math.max(part, 0), 1) * this.last));
    }});
    const box = h('div', {class: 'chart-box'}, this.svg);
    this.title = h('h2');
    this.element = h('section', {class: 'panel history', 'aria-label': 'Chart'}, this.title, box);
    this.size = [0, 0]; // asked for when it changes, as each question makes the browser lay out the page
    this.observer = new ResizeObserver(() => {
      this.size = [box.clientWidth, box.clientHeight];
      if (this.told) this.draw(this.told);
    });
    this.observer.observe(box);
    this.clear();
  }

  leave() {
    this.observer.disconnect();
  }

  /** Begin with a new run, of a learner that goes by a loss or not. */
  clear({loss = false, once = false} = {}) {
    Object.assign(this, {values: [], last: 1, told: null, loss});
    this.element.hidden = once;
    put(this.title, loss ? 'Loss' : 'Mistakes');
  }

  /** Draw up to the step reached; the one shown is marked. */
  draw(told) {
    this.told = told;
    const {player: {at, reached, first}, loss, values, size: [width, height]} = this;
    for (let k = Math.max(values.length, first); k <= reached; k++) {
      values[k] = this.player.frame(k)?.[loss ? 'loss' : 'mistakes'];
    }
    const {applies, verdict} = told;
    const bound = applies && verdict?.bound?.theorem === 'novikoff' ? verdict.bound.bound : null;
    if (!width) return;
    const words = `${loss ? 'Loss' : 'Mistakes so far'}, step by step`;
    set(this.svg, {viewBox: `0 0 ${width} ${height}`, width, height, 'aria-label': words});
    const [w, t] = [width - PAD.left - PAD.right, height - PAD.top - PAD.bottom];
    this.last = Math.max(reached, 10);
    const most = values.slice(0, reached + 1).reduce((high, v) => Math.max(high, v ?? 0), 0);
    const fits = bound !== null && bound <= Math.max(6 * most, 12);
    const high = Math.max(most, fits ? bound : 0, loss ? 1e-9 : 4) * 1.12;
    const X = (k) => PAD.left + (k / this.last) * w;
    const Y = (v) => PAD.top + t - (v / high) * t;
    const line = (name, d) => s('path', {class: name, d});
    const text = (name, x, y, anchor, said) => s('text', {class: name, x, y, 'text-anchor': anchor}, said);
    const edge = PAD.left + w - 2;
    const limit = `bound (R/γ)² = ${number(bound)}`;
    const value = values[at] ?? null;
    put(this.svg,
      ticks(0, high, Math.max(2, t / 34)).filter((v) => loss || Number.isInteger(v)).map((v) => [
        line(v === 0 ? 'zero' : 'grid', `M${PAD.left} ${Y(v)}h${w}`),
        text('tick', PAD.left - 6, Y(v) + 4, 'end', loss ? number(v, 3) : whole(v))]),
      ticks(0, this.last, Math.max(2, w / 62)).filter(Number.isInteger)
        .map((k) => text('tick', X(k), height - 6, 'middle', whole(k))),
      fits && [line('bound', `M${PAD.left} ${Y(bound)}h${w}`), text('bound', edge, Y(bound) - 5, 'end', limit)],
      bound !== null && !fits && text('bound', edge, PAD.top + 4, 'end', `${limit} ↑ far above`),
      line('curve faint', this.#curve(at, reached, X, Y)), line('curve', this.#curve(0, at, X, Y)),
      value !== null && line('now', `M${X(at)} ${PAD.top}v${t}`),
      value !== null && s('circle', {class: 'now', cx: X(at), cy: Y(value), r: 4}));
  }

  /** A line by steps; of very many, as many as there are pixels. */
  #curve(from, to, X, Y) {
    const stride = Math.max(1, Math.floor((to - from) / 600));
    let path = '';
    for (let k = from; k < to + stride; k += stride) {
      const [x, v] = [X(Math.min(k, to)).toFixed(1), this.values[Math.min(k, to)] ?? null];
      if (v === null) continue;
      const y = Y(v).toFixed(1);
      path += !path ? `M${x} ${y}` : this.loss ? `L${x} ${y}` : `H${x}V${y}`;
    }
    return path;
  }
}
