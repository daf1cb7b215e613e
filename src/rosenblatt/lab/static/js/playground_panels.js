// The panels "Learner", "Separability" and "Show".

import {h, number, put, set} from './dom.js';
import {Options} from './controls.js';
import {named, sign} from './playground_now.js';

const FOLDED = new Set(['seed', 'rate', 'penalty', 'alpha', 'normalize', 'predict']);
const FOLDED_TOO = {kernel: ['ties']};

export class LearnerPanel {
  /** `act` has functions: learner(name), setting(name, value), keep(flag). */
  constructor(act) {
    this.learner = h('select', {id: 'learner', 'aria-label': 'Learner', onchange: () => act.learner(this.learner.value)});
    this.options = new Options(act.setting, (option, learner) => FOLDED.has(option.name) || FOLDED_TOO[learner.name]?.includes(option.name));
    this.keep = h('input', {type: 'checkbox', id: 'keep', onchange: () => act.keep(this.keep.checked)});
    this.error = h('p', {class: 'error', id: 'run-error', role: 'alert', hidden: true});
    this.element = h('section', {class: 'panel learner', 'aria-label': 'Learner'}, this.learner, this.options.element, this.options.flags, this.error);
    this.keepLabel = h('label', {class: 'check', title: 'At the end of a run, a change of the points runs it to its end again'}, this.keep, 'learn on while I drag');
  }

  catalog(learners) {
    const groups = Map.groupBy ? Map.groupBy(learners, (one) => one.group) : group(learners);
    put(this.learner, [...groups].map(([name, list]) => h('optgroup', {label: name}, list.map((one) => h('option', {value: one.name}, one.title)))));
  }

  show(learner, settings, keep) {
    this.learner.value = learner.name;
    this.keep.checked = keep;
    this.options.show(learner, settings);
  }

  fail(text) {
    set(this.error, {hidden: !text});
    put(this.error, text ?? '');
  }
}

function group(learners) {
  const groups = new Map();
  for (const one of learners) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return groups;
}

const KINDS = {
  separable: ['good', '✓ separable'], inseparable: ['bad', '✗ not separable'], many: ['warn', 'several classes'],
  none: ['warn', 'two classes, please'], error: ['warn', 'no verdict'],
};

export class VerdictPanel {
  constructor() {
    this.badge = h('span', {class: 'badge', id: 'verdict-badge', role: 'status'}, '…');
    this.text = h('p', {class: 'text', id: 'verdict-text'});
    this.facts = h('div', {class: 'facts'});
    this.element = h('section', {class: 'panel verdict', id: 'verdict', 'aria-label': 'Separability'},
      h('div', {class: 'row apart'}, h('h2', {}, 'Can a line do it?'), this.badge), this.text, this.facts);
  }

  show(verdict, classes) {
    const [look, words] = KINDS[verdict.kind] ?? KINDS.error;
    const all = verdict.kind === 'many' && verdict.each.every((one) => one.separable);
    set(this.badge, {class: `badge ${all ? 'good' : look}`});
    put(this.badge, words);
    set(this.element, {'data-kind': verdict.kind, 'data-margin': verdict.margin ?? null});
    put(this.text, verdict.text.replace(/^(Separable|Not separable): (\w)/, (_, __, letter) => letter.toUpperCase()));
    put(this.facts, verdict.kind === 'many' ? this.#each(verdict, classes) : verdict.bound ? this.#bound(verdict.bound) : null);
  }

  #bound({radius, margin, bound, theorem}) {
    const fact = (id, name, value, words) => h('div', {class: 'stat', title: words}, h('b', {id, 'data-value': value}, number(value, id === 'bound' ? 4 : 3)), h('span', {}, name));
    if (theorem !== 'novikoff') {
      return fact('bound', 'mistakes at most, in the first pass: ((R + D)/γ)²', bound, 'D is how much the points lack of the margin γ, together (Freund and Schapire 1999)');
    }
    return [fact('R', 'R, farthest', radius, 'The length of the longest example'), fact('gamma', 'γ, margin', margin, 'How far from the plane all examples are'),
      fact('bound', '(R/γ)² mistakes at most', bound, 'The perceptron makes no more mistakes than this (Novikoff 1962)')];
  }

  #each(verdict, classes) {
    return verdict.each.map((one) => h('span', {class: `badge ${one.separable ? 'good' : 'bad'}`}, sign(one.class, 13), `${one.separable ? '✓' : '✗'} ${named(classes[one.class])}`));
  }
}

const SHOWN = [
  ['regions', 'regions', 'What each place of the plane is taken for'],
  ['normal', 'normal w', 'It stands on the line and points to the positive side'],
  ['update', 'update', 'The old w, what was added to it, the new w'],
  ['margin', 'margin', 'A band as wide as the nearest point is far, if all are right'],
  ['certificate', 'certificate', 'The widest street, or the few points whose hulls meet'],
  ['bound', 'R and γ', 'Of these the bound on mistakes is made'],
];

export class ShowPanel {
  /** `change(name, flag)` is called when something is to be drawn, or no longer. */
  constructor(change, more) {
    this.boxes = new Map(SHOWN.map(([name]) => [name, h('input', {type: 'checkbox', id: `show-${name}`, onchange: (event) => change(name, event.target.checked)})]));
    this.element = h('section', {class: 'panel shown', 'aria-label': 'What is drawn'}, h('h3', {}, 'Show'),
      SHOWN.map(([name, text, words]) => h('label', {class: 'check', title: words}, this.boxes.get(name), text)), more);
  }

  show(options) {
    for (const [name, box] of this.boxes) box.checked = options[name];
  }
}
