// One of the learners side by side: which, its settings, its plane, and how it stands.

import {unusual} from './link.js';
import {choices, Options, settingsFor} from '../controls.js';
import {count, h, number, put, s, set, whole} from '../dom.js';
import {Plane} from '../plane/plane.js';
import {lineLayer} from '../plane/layers.js';
import {paintRegions} from '../plane/regions.js';
import {pair, sign} from '../playground/now.js';

export class Card {
  /** `screen` has functions: hand(event, detail, card), change(card, one), remove(card), playground(card). */
  constructor(screen, one, learners) {
    this.one = one;
    this.plane = new Plane({view: screen.base, names: screen.names, edit: true});
    for (const event of ['add', 'move', 'drop', 'remove', 'flip', 'pick', 'resize']) {
      this.plane.on(event, (detail) => screen.hand(event, detail, this));
    }
    this.plane.hands.before(this.ghosts = s('g'));
    this.learner = h('select', {onchange: () => {
      const learner = learners.find(({name}) => name === this.learner.value);
      screen.change(this, {learner, settings: settingsFor(learner)});
    }}, choices(learners));
    this.options = new Options((name, value) => {
      const {learner, settings} = this.one;
      screen.change(this, {learner, settings: settingsFor(learner, {...settings, [name]: value})});
    });
    this.settings = h('summary', {'aria-label': 'Settings'}, '⚙', h('span', {}, 'Settings'));
    this.menu = h('div', {class: 'menu'});
    this.fold = h('details', {name: 'settings', ontoggle: () => this.#fill()}, this.settings, this.menu);
    const look = {class: 'btn small quiet icon'};
    const tool = (name, title, text, told) => h(name, {...look, title, 'aria-label': title, ...told}, text);
    const refresh = () => { this.link.href = screen.playground(this); };
    const href = '#/playground';
    this.link = tool('a', 'Open in the playground', '↗', {href, onpointerdown: refresh, onclick: refresh});
    this.close = tool('button', 'Remove this learner', '✕', {onclick: () => screen.remove(this)});
    this.model = h('div', {class: 'model'});
    this.counts = h('div', {class: 'tally'});
    this.state = h('p', {class: 'state'});
    this.element = h('section', {class: 'panel card'},
      h('div', {class: 'head'}, this.learner, this.fold, this.link, this.close),
      h('div', {class: 'seat'}, this.plane.element), this.model, this.counts, this.state);
    this.forget();
  }

  leave() {
    this.plane.leave();
    this.element.remove();
  }

  /** The fields are there only while they are wanted. */
  #fill() {
    this.options.show(this.one.learner, this.one.settings);
    put(this.menu, this.fold.open && [this.options.element, this.options.flags]);
  }

  /** Show which learner this is. */
  name(place, removable) {
    const {name, title, note} = this.one.learner;
    const changed = unusual(this.one);
    this.learner.value = name;
    set(this.learner, {'aria-label': `Learner ${place + 1}`, title: note});
    set(this.element, {'data-card': place, 'data-learner': name, 'aria-label': title});
    set(this.plane.front, {'aria-label': `The plane of ${title}. Tab here to edit points with the keyboard`});
    set(this.settings, {class: `btn small${changed && ' changed'}`, title: changed});
    set(this.close, {disabled: !removable});
    this.#fill();
  }

  /** Show no frame. */
  rest() {
    for (const part of [this.model, this.counts, this.state]) put(part);
    this.plane.show({frame: null, before: null});
  }

  /** Show a frame; `run` is what the library told of the run, `ending` how it ended, if it has. */
  show(frame, before, run, ending, told) {
    const {errors, mistakes, k, pass} = frame;
    const {binary, present, n, kind} = run;
    this.plane.show({...told, binary, present, frame, before});
    put(this.model, this.#words(frame, present));
    const tell = (name, value, ...more) => h('span', {}, `${name} `,
      h('output', {'data-is': name, 'data-value': value}, h('b', {}, whole(value)), more));
    put(this.counts, tell('wrong', errors, h('span', {}, ` of ${n}`)),
      kind === 'steps' && [tell('mistakes', mistakes), tell('step', k), tell('pass', pass)]);
    const done = h('span', {class: `badge ${errors ? 'warn' : 'good'}`, title: ending}, `Done: ${ending}`);
    put(this.state, ending ? done : this.one.learner.note);
  }

  /** Write the weights, or what there is in their place. */
  #words({w, b, mean, support}, present) {
    set(this.model, {'data-w': JSON.stringify(w), 'data-b': JSON.stringify(b)});
    if (support) return h('b', {'data-support': support.length}, count(support.length, 'support point'));
    const model = mean ?? {w, b};
    if (!w) return [];
    if (Array.isArray(w[0])) {
      return model.w.map((row, k) => h('span', {}, sign(present[k], 12), `${pair(row, 3)}, ${number(model.b[k], 3)}`));
    }
    const tell = (name, text) => h('span', {}, h('i', {}, mean ? `mean ${name} ` : `${name} `), h('b', {}, text));
    return [tell('w', pair(model.w)), tell('b', number(model.b))];
  }

  /** Keep what is shown, as that of an earlier order: its border stays as a thin line. */
  keep(results) {
    this.past.push({results, told: this.plane.told});
    this.haunt();
  }

  haunt() {
    put(this.ghosts, this.past.slice(-8).flatMap(({told}) => {
      const {frame} = told;
      if (!frame.region) return lineLayer(this.plane, frame.mean ?? frame, 'ghost');
      return told.binary ? [s('path', {class: 'line ghost', d: paintRegions(this.plane, null, told, false)})] : [];
    }));
  }

  forget() {
    this.past = [];
    this.haunt();
  }
}

/** All planes side by side, with titles, as an element of SVG. */
export function picture(cards) {
  let x = 0;
  const parts = cards.flatMap(({plane, one, counts}) => {
    const look = {x: x + 12, 'font-family': 'sans-serif', fill: plane.colour('--ink')};
    const text = (y, size, words) => s('text', {...look, y, 'font-size': size}, words);
    const words = [...counts.children].map((each) => each.textContent).join(' · ');
    const found = [text(19, 16, one.learner.title), text(37, 12, words), set(plane.svg(), {x: x + 4, y: 44})];
    x += plane.width + 16;
    return found;
  });
  const [width, height] = [x - 12, 76 + cards[0].plane.height];
  return s('svg', {width, height, viewBox: `0 0 ${width} ${height}`}, parts);
}
