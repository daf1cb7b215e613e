// Forms made from options, as described in lab/learner_settings.py.

import {h, put, set} from './dom.js';

/** The settings that a learner starts with; those of `old` that it knows too are kept. */
export function settingsFor(learner, old = {}) {
  const value = (option) => (fits(option, old[option.name]) ? old[option.name] : option.default);
  const found = Object.fromEntries(learner.options.map((option) => [option.name, value(option)]));
  for (const {name, only, default: usual} of learner.options) {
    if (!matters({when: only?.[found[name]]}, found)) found[name] = usual;
  }
  return found;
}

function fits({kind, choices, min = -Infinity, max = Infinity}, value) {
  if (kind === 'flag') return typeof value === 'boolean';
  if (kind === 'choice') return choices.some(([one]) => one === value);
  return typeof value === 'number' && value >= min && value <= max;
}

/** Say whether an option has an effect, given the others. */
export function matters({when = {}}, settings) {
  return Object.keys(when).every((name) => when[name].includes(settings[name]));
}

/** Say whether planes tell a learner's regions, so that no grid is needed. */
export function hasPlanes({name}, {predict}) {
  return name !== 'kernel' && (name !== 'voted' || predict !== 'vote');
}

/** The learners of a catalogue to choose from, by their groups. */
export function choices(learners) {
  return Object.entries(Object.groupBy(learners, ({group}) => group)).map(([label, ones]) => h('optgroup', {label},
    ones.map(({name, title}) => h('option', {value: name}, title))));
}

/** A button with words for who does not see its sign. */
export function button(id, text, words, onclick, look = 'btn small') {
  return h('button', {class: look, id, type: 'button', title: words, 'aria-label': words, onclick}, text);
}

/** A place for complaints, and what puts one there. */
export function complaints(id) {
  const element = h('p', {class: 'error', id, role: 'alert', hidden: true});
  return [element, (text) => put(set(element, {hidden: !text}), text ?? '')];
}

/** Fields for a learner's options: `element` and, for flags and what is folded, `flags`. */
export class Options {
  constructor(change, folded = () => false) {
    Object.assign(this, {change, folded});
    [this.element, this.rest] = [h('div', {class: 'options'}), h('div', {class: 'options'})];
    this.checks = h('div', {class: 'checks'});
    this.more = h('details', {class: 'more'}, h('summary', {}, 'More'), this.rest);
    this.flags = h('div', {class: 'flags'}, this.checks, this.more);
  }

  show(learner, settings) {
    const boxes = new Map([[this.element, []], [this.checks, []], [this.rest, []]]);
    for (const option of learner.options.filter((one) => matters(one, settings))) {
      const box = this.folded(option, learner) ? this.rest : option.kind === 'flag' ? this.checks : this.element;
      boxes.get(box).push(this.#field(option, settings));
    }
    boxes.forEach((fields, box) => put(box, fields));
    this.more.hidden = !this.rest.firstChild;
  }

  #field(option, settings) {
    const {name, title, kind, choices, only, min, max, step} = option;
    const value = settings[name];
    const id = `set-${name}`;
    const tell = (next) => this.change(name, next);
    if (kind === 'flag') {
      const box = h('input', {type: 'checkbox', id, checked: value, onchange: () => tell(box.checked)});
      return h('label', {class: 'check'}, box, title);
    }
    const field = kind === 'choice'
      ? h('select', {id, onchange: () => tell(field.value)},
        choices.filter(([one]) => matters({when: only?.[one]}, settings))
          .map(([one, text]) => h('option', {value: one}, text)))
      : h('input', {type: 'number', id, min, max, step: step || 'any', onchange: () => {
        field.value = near(option, field.value);
        tell(Number(field.value));
      }});
    field.value = value;
    return h('label', {class: 'option'}, h('span', {}, title), field);
  }
}

/** Return the number nearest to what was typed that the option takes. */
function near({min = -Infinity, max = Infinity, step, default: first}, typed) {
  const value = typed.trim() && Number.isFinite(Number(typed)) ? Number(typed) : first;
  return Math.min(Math.max(Number.isInteger(step) ? Math.round(value) : value, min), max);
}
