// Forms made from a list of options: {name, title, kind: 'choice' | 'number' | 'flag', choices, min, max, step, default, when}.

import {h, put} from './dom.js';

/** The settings that a learner starts with; those of `old` that it knows too are kept. */
export function settingsFor(learner, old = {}) {
  return Object.fromEntries(learner.options.map((option) => [option.name, fits(option, old[option.name]) ? old[option.name] : option.default]));
}

function fits(option, value) {
  if (value === undefined) return false;
  if (option.kind === 'flag') return typeof value === 'boolean';
  if (option.kind === 'choice') return option.choices.some(([one]) => one === value);
  if (value === null) return option.default === null;
  return typeof value === 'number' && value >= (option.min ?? -Infinity) && value <= (option.max ?? Infinity);
}

/** Say whether an option has an effect, given the others. */
export const matters = (option, settings) => Object.entries(option.when ?? {}).every(([name, values]) => values.includes(settings[name]));

/** Fields for a learner's options. `folded(option, learner)` says which are shown only on demand. */
export class Options {
  constructor(change, folded = () => false) {
    this.change = change;
    this.folded = folded;
    this.element = h('div', {class: 'options'});
    this.moreBox = h('div', {class: 'options'});
    this.more = h('details', {class: 'more'}, h('summary', {}, 'More'), this.moreBox);
    this.checks = h('div', {class: 'checks'});
    this.flags = h('div', {class: 'flags'}, this.checks, this.more);
  }

  show(learner, settings) {
    const seen = learner.options.filter((option) => matters(option, settings));
    const field = (option) => this.#field(option, settings[option.name]);
    const plain = seen.filter((option) => !this.folded(option, learner));
    put(this.element, plain.filter((option) => option.kind !== 'flag').map(field));
    put(this.checks, plain.filter((option) => option.kind === 'flag').map(field));
    const rest = seen.filter((option) => this.folded(option, learner)).map(field);
    put(this.moreBox, rest);
    this.more.hidden = !rest.length;
  }

  #field(option, value) {
    const id = `set-${option.name}`;
    const tell = (next) => this.change(option.name, next);
    if (option.kind === 'flag') {
      return h('label', {class: 'check'}, h('input', {type: 'checkbox', id, checked: value, onchange: (event) => tell(event.target.checked)}), option.title);
    }
    if (option.kind === 'choice') {
      const select = h('select', {id, onchange: (event) => tell(event.target.value)}, option.choices.map(([one, text]) => h('option', {value: one}, text)));
      select.value = value;
      return h('label', {class: 'option'}, h('span', {}, option.title), select);
    }
    const input = h('input', {
      type: 'number', id, min: option.min, max: option.max, step: option.step ?? 'any', placeholder: option.default === null ? 'auto' : null,
      value: value ?? '', onchange: () => this.#number(option, input, tell),
    });
    return h('label', {class: 'option'}, h('span', {}, option.title), input);
  }

  /** Take a number that is one and in range; else put the nearest that is back. */
  #number(option, input, tell) {
    const typed = input.value.trim();
    if (typed === '' && option.default === null) {
      tell(null);
      return;
    }
    let value = typed === '' ? option.default : Number(typed);
    if (!Number.isFinite(value)) value = option.default;
    value = Math.min(Math.max(value, option.min ?? -Infinity), option.max ?? Infinity);
    if (Number.isInteger(option.step)) value = Math.round(value);
    input.value = value;
    tell(value);
  }
}
