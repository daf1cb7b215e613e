// The chart of a run: mistakes so far against the bound on them, or the loss, step by step.

import {h, number, put, s, set, whole} from './dom.js';
import {ticks} from './geometry.js';

const PAD = {left: 38, right: 10, top: 12, bottom: 22};

export class Chart {
  /** `go(k)` is called when a step is clicked. */
  constructor(go) {
    this.svg = s('svg', {class: 'chart', role: 'img', 'aria-label': 'Mistakes so far, step by step'});
    this.element = h('div', {class: 'chart-box'}, this.svg);
    this.clear();
    this.size = {width: 320, height: 150};
    this.observer = new ResizeObserver(() => {
      this.size = {width: this.element.clientWidth || 320, height: this.element.clientHeight || 150};
      if (this.told) this.draw(this.told);
    });
    this.observer.observe(this.element);
    this.svg.addEventListener('pointerdown', (event) => {
      const box = this.svg.getBoundingClientRect();
      const part = (event.clientX - box.left - PAD.left) / (this.size.width - PAD.left - PAD.right);
      go(Math.round(Math.min(Math.max(part, 0), 1) * this.last));
    });
  }

  leave() {
    this.observer.disconnect();
  }

  clear() {
    this.values = [];
    this.last = 1;
    this.told = null;
  }

  /** Note a frame's number; frames come in order. */
  note(k, value) {
    this.values[k] = value;
  }

  /** Draw up to the step reached; the one shown is marked. `bound` may be null. */
  draw(told) {
    this.told = told;
    const {at, reached, bound, words} = told;
    const {width, height} = this.size;
    set(this.svg, {viewBox: `0 0 ${width} ${height}`, width, height, 'aria-label': `${words}, step by step`});
    const [w, t] = [width - PAD.left - PAD.right, height - PAD.top - PAD.bottom];
    this.last = Math.max(reached, 10);
    let most = 0;
    for (let k = 0; k <= reached; k++) if (this.values[k] > most) most = this.values[k];
    const fits = bound !== null && bound <= Math.max(6 * most, 12);
    const high = Math.max(most, fits ? bound : 0, told.whole ? 4 : 1e-9) * 1.12;
    const X = (k) => PAD.left + (k / this.last) * w;
    const Y = (v) => PAD.top + t - (v / high) * t;
    put(this.svg,
      ticks(0, high, Math.max(2, t / 34)).filter((v) => !told.whole || Number.isInteger(v)).map((v) => [
        s('path', {class: v === 0 ? 'zero' : 'grid', d: `M${PAD.left} ${Y(v).toFixed(1)}h${w}`}),
        s('text', {class: 'tick', x: PAD.left - 6, y: Y(v) + 4, 'text-anchor': 'end'}, told.whole ? whole(v) : number(v, 3))]).flat(),
      ticks(0, this.last, Math.max(2, w / 62)).filter(Number.isInteger).map((k) => s('text', {class: 'tick', x: X(k), y: height - 6, 'text-anchor': 'middle'}, whole(k))),
      this.#bound(bound, fits, X, Y, w),
      s('path', {class: 'curve faint', d: this.#curve(at, reached, X, Y)}),
      s('path', {class: 'curve', d: this.#curve(0, at, X, Y)}),
      this.values[at] === undefined || this.values[at] === null ? null : [
        s('path', {class: 'now', d: `M${X(at).toFixed(1)} ${PAD.top}v${t}`}),
        s('circle', {class: 'now', cx: X(at), cy: Y(this.values[at]), r: 4})]);
  }

  #bound(bound, fits, X, Y, w) {
    if (bound === null) return null;
    const text = `(R/γ)² = ${number(bound)}`;
    if (!fits) return s('text', {class: 'bound', x: PAD.left + w - 2, y: PAD.top + 4, 'text-anchor': 'end'}, `bound ${text} ↑ far above`);
    return [s('path', {class: 'bound', d: `M${PAD.left} ${Y(bound).toFixed(1)}h${w}`}),
      s('text', {class: 'bound', x: PAD.left + w - 2, y: Y(bound) - 5, 'text-anchor': 'end'}, `bound ${text}`)];
  }

  /** A line by steps; of very many, as many as there are pixels. */
  #curve(from, to, X, Y) {
    if (to <= from) return '';
    const stride = Math.max(1, Math.floor((to - from) / 600));
    let path = '';
    let before = null;
    for (let k = from; ; k = Math.min(k + stride, to)) {
      const v = this.values[k];
      if (v !== undefined && v !== null) {
        if (before === null) path += `M${X(k).toFixed(1)} ${Y(v).toFixed(1)}`;
        else if (this.told.whole) path += `H${X(k).toFixed(1)}${v === before ? '' : `V${Y(v).toFixed(1)}`}`;
        else path += `L${X(k).toFixed(1)} ${Y(v).toFixed(1)}`;
        before = v;
      }
      if (k === to) break;
    }
    return path;
  }
}
