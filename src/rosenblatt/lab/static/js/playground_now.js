// The panel "Now": what the step shown looked at, what came of it, and the weights before and after.

import {count, h, number, put, s, set} from './dom.js';
import {stepText} from './plane_layers.js';
import {shape} from './plane_points.js';

const pair = (w, digits = 4) => `(${w.map((v) => number(v, digits)).join(', ')})`;

/** The sign of a class, as a small picture. */
export function sign(c, size = 15) {
  return s('svg', {class: 'sign', width: size, height: size, viewBox: '-8 -8 16 16', 'aria-hidden': 'true'}, s('path', {class: `point c${c}`, d: shape(c, 5.4)}));
}

/** A class's name as it is read: with a true minus. */
export const named = (name) => name.replace(/^-(?=\d)/, '−');

export class Now {
  constructor() {
    this.step = h('h2', {}, 'Step 0');
    this.badge = h('span', {class: 'badge', id: 'outcome', hidden: true});
    this.looks = h('p', {class: 'looks', id: 'looks'});
    this.what = h('p', {class: 'what', id: 'what'});
    this.score = h('output', {id: 'score'});
    this.weights = h('div', {class: 'weights'});
    this.ending = h('p', {class: 'ending', id: 'ending', hidden: true});
    this.element = h('section', {class: 'panel now', 'aria-label': 'Now'},
      h('div', {class: 'row apart'}, this.step, this.badge), this.looks, this.what, this.weights, this.ending);
    this.kind = '';
  }

  /** Say that there is nothing to tell, and why. */
  rest(text) {
    this.kind = '';
    put(this.step, 'Nothing to learn from yet');
    put(this.looks, text);
    put(this.what);
    put(this.weights);
    this.badge.hidden = this.ending.hidden = true;
  }

  show({frame, before, points, classes, present, learner, ending}) {
    const names = present.map((c) => classes[c]);
    put(this.step, learner.kind === 'once' ? learner.title : frame.k ? `Step ${frame.k} · pass ${frame.pass}` : 'Before the first step');
    this.#outcome(frame);
    put(this.looks, this.#looked(frame, points, classes, learner));
    put(this.what, this.#came(frame, before, points, classes, present));
    if (frame.support) this.#supports(frame, before, points);
    else if (frame.w) this.#planes(frame, frame.updated ? before : null, names, present);
    else put(this.weights);
    this.ending.hidden = !ending;
    if (ending) put(this.ending, ending[0].toUpperCase() + ending.slice(1), '.');
  }

  #outcome(frame) {
    const one = frame.rows.length === 1;
    this.badge.hidden = !frame.k || (!one && !frame.mistake);
    set(this.badge, {class: `badge ${frame.mistake ? 'bad' : 'good'}`, 'data-mistake': String(frame.mistake)});
    put(this.badge, frame.mistake ? (one ? '✗ mistake' : '✗ mistakes') : '✓ right');
  }

  #looked(frame, points, classes, learner) {
    if (!frame.k) return learner.note;
    if (frame.rows.length !== 1) return `It looks at ${count(frame.looked ?? frame.rows.length, 'point')} at once.`;
    const i = frame.rows[0];
    const [x, y, c] = points[i] ?? [0, 0, 0];
    return [i < 999 ? 'looks at point ' : 'point ', h('b', {id: 'looked', 'data-value': i}, String(i + 1)), ` ${pair([x, y], 3)}: `, h('b', {class: 'class'}, sign(c), named(classes[c]))];
  }

  #came(frame, before, points, classes, present) {
    if (!frame.k || frame.rows.length !== 1) {
      return frame.updated && before?.w && !Array.isArray(frame.w[0]) ? ['w ← w ', h('b', {}, stepText(frame, frame.w, before.w, points))] : [];
    }
    const many = Array.isArray(frame.score);
    const text = many ? pair(frame.score, 3) : number(frame.score);
    set(this.score, {'data-value': JSON.stringify(frame.score)});
    put(this.score, text);
    const says = frame.prediction === null ? [] : [frame.score === 0 && frame.mistake ? ', a tie: ' : ' → says ', h('span', {class: 'class'}, sign(frame.prediction), named(classes[frame.prediction]))];
    const found = [many ? 'scores ' : 'score ', this.score, ...says];
    if (frame.updated && before?.w && !many) {
      const still = frame.w[0] === before.w[0] && frame.w[1] === before.w[1];
      const by = frame.b - before.b;
      found.push(h('span', {class: 'rule'}, still ? `b ← b ${by < 0 ? '−' : '+'} ${number(Math.abs(by))}` : `w ← w ${stepText(frame, frame.w, before.w, points)}`));
    } else if (frame.mistake && many && frame.label !== null) {
      found.push(h('span', {class: 'rule'}, 'towards ', sign(frame.label), ', away from ', sign(frame.prediction)));
    } else if (!frame.updated && !frame.mistake) found.push(h('span', {class: 'rule soft'}, 'nothing changes'));
    return found;
  }

  /** The weights as large numbers; of several classes, a table. */
  #planes(frame, before, names, present) {
    const many = Array.isArray(frame.w[0]);
    const kind = `planes ${many ? names.join() : ''} ${Boolean(frame.mean)}`;
    if (this.kind !== kind) {
      this.kind = kind;
      this.cells = {};
      const cell = (id) => (this.cells[id] = h('output', {id}));
      const old = (id) => (this.cells[id] = h('span', {class: 'was', id}));
      if (many) {
        put(this.weights, h('table', {class: 'plain planes'},
          h('thead', {}, h('tr', {}, h('th', {}, 'class'), h('th', {class: 'num'}, 'w₁'), h('th', {class: 'num'}, 'w₂'), h('th', {class: 'num'}, 'b'))),
          h('tbody', {}, names.map((name, k) => h('tr', {'data-k': k}, h('td', {}, sign(present[k]), ` ${named(name)}`), ['x', 'y', 'b'].map((part) => h('td', {class: 'num'}, cell(`${part}${k}`))))))),
        h('output', {id: 'w', hidden: true}), h('output', {id: 'b', hidden: true}));
      } else {
        put(this.weights, h('dl', {},
          h('dt', {}, 'w'), h('dd', {}, old('w-before'), cell('w')),
          h('dt', {}, 'b'), h('dd', {}, old('b-before'), cell('b')),
          frame.mean ? [h('dt', {class: 'lesser'}, 'mean'), h('dd', {class: 'lesser'}, cell('mean'))] : null));
      }
    }
    if (many) this.#table(frame, before);
    else this.#vector(frame, before);
  }

  #vector(frame, before) {
    const {cells} = this;
    tell(cells.w, pair(frame.w), frame.w);
    this.weights.classList.toggle('long', Boolean(before?.w) && pair(frame.w).length + pair(before.w, 3).length > 23);
    tell(cells.b, number(frame.b), frame.b);
    put(cells['w-before'], before?.w ? [pair(before.w, 3), h('span', {class: 'to'}, '→')] : '');
    put(cells['b-before'], before?.w && before.b !== frame.b ? [number(before.b, 3), h('span', {class: 'to'}, '→')] : '');
    if (frame.mean) tell(cells.mean, `w ${pair(frame.mean.w, 3)}, b ${number(frame.mean.b, 3)}`, frame.mean);
  }

  #table(frame, before) {
    const model = frame.mean ?? frame;
    model.w.forEach((w, k) => {
      put(this.cells[`x${k}`], number(w[0]));
      put(this.cells[`y${k}`], number(w[1]));
      put(this.cells[`b${k}`], number(model.b[k]));
      const changed = before?.w && (before.w[k][0] !== frame.w[k][0] || before.w[k][1] !== frame.w[k][1] || before.b[k] !== frame.b[k]);
      this.weights.querySelector(`[data-k="${k}"]`).classList.toggle('changed', Boolean(changed));
    });
    set(this.weights.querySelector('#w'), {'data-value': JSON.stringify(frame.w)});
    set(this.weights.querySelector('#b'), {'data-value': JSON.stringify(frame.b)});
  }

  /** How many points a kernel's boundary hangs on, and the coefficient of the one looked at. */
  #supports(frame, before, points) {
    this.kind = 'supports';
    const i = frame.rows.length === 1 ? frame.rows[0] : -1;
    const of = (one) => one?.support?.find(([j]) => j === i)?.[1] ?? 0;
    const [old, now] = [of(before), of(frame)];
    put(this.weights,
      i < 0 ? null : h('dl', {}, h('dt', {}, 'α', h('sub', {}, String(i + 1))), h('dd', {},
        h('span', {class: 'was'}, old === now ? '' : [number(old), h('span', {class: 'to'}, '→')]), h('output', {id: 'alpha', 'data-value': now}, number(now)))),
      h('p', {class: 'kernel'}, h('output', {id: 'support', 'data-value': frame.support.length}, count(frame.support.length, 'point')),
        ` of ${points.length} ${frame.support.length === 1 ? 'holds' : 'hold'} the boundary.`));
  }
}

function tell(output, text, value) {
  output.dataset.value = JSON.stringify(value);
  put(output, text);
}
