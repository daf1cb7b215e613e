// The panel "Now": what the step shown looked at, what came of it, and the weights before and after.

import {count, h, number, put, s, set} from '../dom.js';
import {stepText} from '../plane/layers.js';
import {named, shape} from '../plane/dots.js';

export const pair = (w, digits = 4) => `(${w.map((v) => number(v, digits)).join(', ')})`;
const output = (id, value, text) => h('output', {id, 'data-value': JSON.stringify(value)}, text);
const was = (text) => text !== null && h('span', {class: 'was'}, text, h('span', {class: 'to'}, '→'));

/** The sign of a class, as a small picture. */
export function sign(c, size = 15) {
  return s('svg', {class: 'sign', width: size, height: size, viewBox: '-8 -8 16 16', 'aria-hidden': 'true'},
    s('path', {class: `point k${c}`, d: shape(c, 5.4)}));
}

export class Now {
  constructor() {
    this.step = h('h2');
    this.badge = h('span', {id: 'outcome', hidden: true});
    this.looks = h('p', {class: 'looks', id: 'looks'});
    this.what = h('p', {class: 'what', id: 'what'});
    this.weights = h('div', {class: 'weights'});
    this.ending = h('p', {class: 'ending', id: 'ending', hidden: true});
    this.element = h('section', {class: 'panel now', 'aria-label': 'Now'},
      h('div', {class: 'row apart'}, this.step, this.badge), this.looks, this.what, this.weights, this.ending);
  }

  /** Say that there is nothing to tell, and why. */
  rest(text) {
    put(this.step, 'Nothing to learn from yet');
    put(this.looks, text);
    put(this.what);
    put(this.weights);
    this.badge.hidden = this.ending.hidden = true;
  }

  show({frame, before, points, classes, present, learner, ending}) {
    const {k, rows, mistake, updated} = frame;
    const one = rows.length === 1;
    const old = updated && before?.w ? before : null;
    put(this.step, learner.kind === 'once' ? learner.title : k ? `Step ${k} · pass ${frame.pass}`
      : 'Before the first step');
    set(this.badge, {hidden: !k || (!one && !mistake), class: `badge ${mistake ? 'bad' : 'good'}`,
      'data-mistake': String(mistake)});
    put(this.badge, mistake ? (one ? '✗ mistake' : '✗ mistakes') : '✓ right');
    const kind = (c) => h('b', {class: 'class'}, sign(c), named(classes[c]));
    if (!k) put(this.looks, learner.note);
    else if (!one) put(this.looks, `It looks at ${count(frame.looked, 'point')} at once.`);
    else {
      const [i, [x, y, c]] = [rows[0], points[rows[0]] ?? [0, 0, 0]];
      put(this.looks, i < 999 ? 'looks at point ' : 'point ', h('b', {id: 'looked', 'data-value': i}, String(i + 1)),
        ` ${pair([x, y], 3)}: `, kind(c));
    }
    put(this.what, one && k ? this.#score(frame, kind) : null, k ? this.#rule(frame, old) : null);
    put(this.weights, frame.support ? this.#supports(frame, before, points) : !frame.w ? null
      : Array.isArray(frame.w[0]) ? this.#table(frame, old, classes, present) : this.#vector(frame, old));
    this.ending.hidden = !ending;
    this.ending.classList.toggle('open', /over|progress|long|diverges/.test(ending));
    if (ending) put(this.ending, ending[0].toUpperCase() + ending.slice(1), '.');
  }

  #score({score, prediction, mistake}, kind) {
    const many = Array.isArray(score);
    return [many ? 'scores ' : 'score ', output('score', score, many ? pair(score, 3) : number(score)),
      prediction === null ? '' : score === 0 && mistake ? ', a tie: a mistake' : [' → says ', kind(prediction)]];
  }

  /** What changes, as a formula. */
  #rule(frame, old) {
    const {w, b, updated, mistake, label, prediction} = frame;
    if (!updated) return mistake ? null : h('span', {class: 'rule soft'}, 'nothing changes');
    if (!w || !old) return null;
    if (Array.isArray(w[0])) return mistake && label !== null && h('span', {class: 'rule'}, 'towards ', sign(label),
      ', away from ', sign(prediction));
    const still = w[0] === old.w[0] && w[1] === old.w[1];
    const bias = b !== old.b && `b ← b ${b < old.b ? '−' : '+'} ${number(Math.abs(b - old.b), 3)}`;
    return h('span', {class: 'rule'}, [!still && `w ← w ${stepText(frame, old)}`, bias].filter(Boolean).join(', '));
  }

  #vector({w, b, mean}, old) {
    const [text, before] = [pair(w), old && pair(old.w, 3)];
    return h('dl', {class: old && text.length + before.length > 23 ? 'long' : null},
      h('dt', {}, 'w'), h('dd', {}, was(before), output('w', w, text)),
      h('dt', {}, 'b'), h('dd', {}, was(old && old.b !== b ? number(old.b, 3) : null), output('b', b, number(b))),
      mean && [h('dt', {class: 'lesser'}, 'mean'), h('dd', {class: 'lesser'},
        output('mean', mean, `w ${pair(mean.w, 3)}, b ${number(mean.b, 3)}`))]);
  }

  #table({w, b, mean}, old, classes, present) {
    const model = mean ?? {w, b};
    const num = (text) => h('td', {class: 'num'}, text);
    const row = ([x, y], k) => h('tr', {class: old && `${old.w[k]},${old.b[k]}` !== `${w[k]},${b[k]}`
      ? 'changed' : null},
      h('td', {}, sign(present[k]), ` ${named(classes[present[k]])}`), [x, y, model.b[k]].map((v) => num(number(v))));
    return [h('table', {class: 'plain planes'}, h('tr', {}, h('th', {}, 'class'),
      ['w₁', 'w₂', 'b'].map((name) => h('th', {class: 'num'}, name))), model.w.map(row)),
      set(output('w', w, ''), {hidden: true}), set(output('b', b, ''), {hidden: true})];
  }

  /** How many points a kernel's boundary hangs on, and the coefficient of the one looked at. */
  #supports({rows, support}, before, points) {
    const i = rows.length === 1 ? rows[0] : -1;
    const of = (list) => list?.find(([j]) => j === i)?.[1] ?? 0;
    const [old, now] = [of(before?.support), of(support)];
    return [i >= 0 && h('dl', {}, h('dt', {}, 'α', h('sub', {}, String(i + 1))),
      h('dd', {}, was(old === now ? null : number(old)), output('alpha', now, number(now)))),
      h('p', {class: 'kernel'}, output('support', support.length, count(support.length, 'point')),
        ` of ${points.length} ${support.length === 1 ? 'holds' : 'hold'} the boundary.`)];
  }
}
