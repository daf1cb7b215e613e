// The chart of a run: mistakes so far against the bound on them, or the loss, step by step.

import {h, number, put, s, set, whole} from './dom.js';
import {ticks} from './geometry.js';

const PAD = {left: 38, right: 10, top: 12, bottom: 22};

export class Chart {
  /** `go(k)` is called when a step is clicked. */
  constructor(go) {
    this.svg = s('svg', {class: 'chart', role: 'img'});
    this.element = h('div', {class: 'chart-box'}, this.svg);
    this.clear();
    this.size = [0, 0]; // asked for when it changes, as each question makes the browser lay out the page
    this.observer = new ResizeObserver(() => {
      this.size = [this.element.clientWidth, this.element.clientHeight];
      if (this.told) this.draw(this.told);
    });
    this.observer.observe(this.element);
    this.svg.addEventListener('pointerdown', (event) => {
      const {left, width} = this.svg.getBoundingClientRect();
      const part = (event.clientX - left - PAD.left) / (width - PAD.left - PAD.right);
      go(Math.round(Math.min(Math.max(part, 0), 1) * this.last));
    });
  }

  leave() {
    this.observer.disconnect();
  }

  clear() {
    Object.assign(this, {values: [], last: 1, told: null});
  }

  /** Note a frame's number; frames come in order. */
  note(k, value) {
    this.values[k] = value;
  }

  /** Draw up to the step reached; the one shown is marked. `bound` may be null. */
  draw(told) {
    this.told = told;
    const {at, reached, bound, words} = told;
    const [width, height] = this.size;
    if (!width) return;
    set(this.svg, {viewBox: `0 0 ${width} ${height}`, width, height, 'aria-label': `${words}, step by step`});
    const [w, t] = [width - PAD.left - PAD.right, height - PAD.top - PAD.bottom];
    this.last = Math.max(reached, 10);
    const most = this.values.slice(0, reached + 1).reduce((high, v) => Math.max(high, v ?? 0), 0);
    const fits = bound !== null && bound <= Math.max(6 * most, 12);
    const high = Math.max(most, fits ? bound : 0, told.whole ? 4 : 1e-9) * 1.12;
    const X = (k) => PAD.left + (k / this.last) * w;
    const Y = (v) => PAD.top + t - (v / high) * t;
    const line = (name, d) => s('path', {class: name, d});
    const text = (name, x, y, anchor, said) => s('text', {class: name, x, y, 'text-anchor': anchor}, said);
    const edge = PAD.left + w - 2;
    const limit = `bound (R/γ)² = ${number(bound)}`;
    const value = this.values[at] ?? null;
    put(this.svg,
      ticks(0, high, Math.max(2, t / 34)).filter((v) => !told.whole || Number.isInteger(v)).map((v) => [
        line(v === 0 ? 'zero' : 'grid', `M${PAD.left} ${Y(v)}h${w}`),
        text('tick', PAD.left - 6, Y(v) + 4, 'end', told.whole ? whole(v) : number(v, 3))]),
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
      path += !path ? `M${x} ${y}` : this.told.whole ? `H${x}V${y}` : `L${x} ${y}`;
    }
    return path;
  }
}
