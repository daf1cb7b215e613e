// The panels "Learner", "Separability" and "Show".

import {choices, complaints, Options} from '../controls.js';
import {h, number, put, set} from '../dom.js';
import {named} from '../plane/dots.js';
import {sign} from './now.js';

const FOLDED = ['seed', 'rate', 'penalty', 'alpha', 'normalize', 'predict'];

export class LearnerPanel {
  constructor(screen) {
    this.learner = h('select', {id: 'learner', 'aria-label': 'Learner',
      onchange: () => screen.chooseLearner(this.learner.value)});
    this.options = new Options((name, value) => screen.setOption(name, value),
      ({name}, learner) => FOLDED.includes(name) || (name === 'ties' && learner.name === 'kernel'));
    [this.error, this.fail] = complaints('run-error');
    this.element = h('section', {class: 'panel learner', 'aria-label': 'Learner'}, this.learner, this.options.element,
      this.options.flags, this.error);
    this.keep = h('input', {type: 'checkbox', id: 'keep', onchange: () => screen.keepOn(this.keep.checked)});
    this.keepLabel = h('label',
      {class: 'check', title: 'When points change, the run is taken to where it was; else it starts anew'}, this.keep,
      'learn on while I drag');
  }

  catalog(learners) {
    put(this.learner, choices(learners));
  }

  show(learner, settings, keep) {
    this.learner.value = learner.name;
    this.keep.checked = keep;
    this.options.show(learner, settings);
  }
}

const KINDS = {
  separable: ['good', '✓ separable'], inseparable: ['bad', '✗ not separable'], many: ['warn', 'several classes'],
  none: ['warn', 'two classes, please'], error: ['warn', 'no verdict'],
};

export class VerdictPanel {
  constructor(screen) {
    this.screen = screen;
    this.badge = h('span', {class: 'badge', id: 'verdict-badge', role: 'status'}, '…');
    this.text = h('p', {class: 'text', id: 'verdict-text'});
    this.facts = h('div', {class: 'facts'});
    this.element = h('section', {class: 'panel verdict', id: 'verdict', 'aria-label': 'Separability'},
      h('div', {class: 'row apart'}, h('h2', {}, 'Can a line do it?'), this.badge), this.text, this.facts);
  }

  /** Show a verdict; of several classes, `one` is that whose certificate is drawn. */
  show({kind, text, margin, each, bound, bias}, classes, one) {
    const [look, said] = KINDS[kind];
    put(set(this.badge, {class: `badge ${each?.every((told) => told.separable) ? 'good' : look}`}), said);
    set(this.element, {'data-kind': kind, 'data-margin': margin});
    put(this.text, (one?.text ?? text).replace(/^(S|Not s)eparable: (\w)/, (_, __, c) => c.toUpperCase()));
    const words = each && [h('p', {class: 'small soft'}, text),
      each.map((told) => h('button', {class: `badge ${told.separable ? 'good' : 'bad'}`, 'data-against': told.class,
        'aria-pressed': String(told === one), title: 'Draw its certificate',
        onclick: () => this.screen.against(told.class)},
      sign(told.class, 13), `${told.separable ? '✓' : '✗'} ${named(classes[told.class])}`))];
    put(this.facts, words, bound && this.#bound(bound, bias));
  }

  #bound({radius, margin, bound, theorem}, bias) {
    const within = bias ? ' in (x, 1)' : '';
    const space = bias ? ', each with a 1 for the bias: (x, 1)' : '';
    const fact = (id, name, value, title) => h('div', {class: 'stat', title},
      h('b', {id, 'data-value': value}, number(value, id === 'bound' ? 4 : 3)), h('span', {}, name));
    if (theorem !== 'novikoff') {
      return fact('bound', 'mistakes at most, in the first pass: ((R + D)/γ)²', bound,
        'D is how much the points lack of the margin γ, together (Freund and Schapire 1999)');
    }
    return [fact('R', `R${within || ', farthest'}`, radius, `The length of the longest example${space}`),
      fact('gamma', `γ${within || ', margin'}`, margin, `How far from the plane all examples are${space}`),
      fact('bound', '(R/γ)² mistakes at most', bound,
        'The perceptron makes no more mistakes than this (Novikoff 1962)')];
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
  constructor(screen, more) {
    this.boxes = SHOWN.map(([name]) => h('input', {type: 'checkbox', id: `show-${name}`,
      onchange: (event) => screen.draw(name, event.target.checked)}));
    this.element = h('section', {class: 'panel shown', 'aria-label': 'What is drawn'}, h('h3', {}, 'Show'),
      SHOWN.map(([, text, title], k) => h('label', {class: 'check', title}, this.boxes[k], text)), more);
  }

  /** Show what is ticked; boxes that would draw nothing say why. */
  show({options, verdict, line, predicts}) {
    const why = !line && 'only where two classes have one w';
    const idle = {normal: why, update: why, margin: why || (!predicts && 'only where one line predicts'),
      bound: verdict && !verdict.bound && 'only where two classes have points'};
    SHOWN.forEach(([name, , title], k) => {
      Object.assign(this.boxes[k], {checked: options[name], disabled: Boolean(idle[name])});
      this.boxes[k].parentElement.title = idle[name] ? `${title}: ${idle[name]}` : title;
    });
  }
}
