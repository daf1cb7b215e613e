// The Mark I: draw on a retina, say what it is, and watch the weights turn. The library learns and guesses; the page
// keeps the lessons, so that a new process, or a link, comes to the same machine.

import {write} from '../address.js';
import {CELLS, pack, unpack} from './cells.js';
import {count, h} from '../dom.js';
import {Board, called} from './board.js';
import {BLANK, addPass, addressOf, stateOf, viewOf, without} from './link.js';
import {pictureOf} from './picture.js';
import {wire} from '../wire.js';

const GLANCE = 70; // milliseconds between two sights of the dials
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const pause = (time) => new Promise((resolve) => { setTimeout(resolve, calm.matches ? 0 : time); });
const ask = (name, told, options) => wire.call(`mark1.${name}`, told, options);
const askLatest = (name, told) => wire.latest(`mark1.${name}`, `mark1.${name}`, told);

class Mark1 {
  constructor(place, params) {
    this.machine = {weights: [new Array(CELLS).fill(0)], thresholds: [0], curve: [], stocked: 0, taught: 0};
    this.editing = this.opened = this.running = false;
    this.shown = 0; // examples
    this.board = new Board(place, this);
    this.#take(stateOf(params));
    this.#names();
    this.ends = [wire.on('ready', () => this.#open()), wire.on('state', ({name}) => name === 'ready' || this.#shut())];
    if (wire.ready) this.#open();
  }

  // The state is what an address holds.

  #take(state) {
    this.state = state;
    this.board.retina.picture = unpack(state.picture);
    this.board.retina.fresh = true;
    this.known = -1;
  }

  follow(params) {
    this.good = null;
    this.#take(stateOf(params));
    this.#open(params.size > 0);
  }

  #change(told, text = '') {
    this.#take({...this.state, ...told});
    this.board.say(text);
    this.#open();
  }

  /** Learn nothing until the machine is built again. */
  #shut() {
    this.opened = this.running = false;
    this.#buttons();
  }

  /** Build the machine anew, from its lessons. */
  async #open(again = true) {
    this.#shut();
    const {state} = this;
    const machine = await this.#wait(ask('open', {responses: state.names, lessons: state.lessons}));
    if (this.gone || state !== this.state || machine === undefined) return;
    if (machine === null) { // an address may say what makes no sense; after a change all is as it was
      const {good} = this;
      if (!good) return again && this.follow(new URLSearchParams());
      this.good = null;
      this.#take(good);
      return this.#open();
    }
    this.machine = machine;
    this.good = state;
    this.opened = true;
    this.#names();
    this.#learned();
  }

  /** Wait for an answer: null is a refusal, which is said; undefined is a lost process, and "ready" follows. */
  async #wait(promise) {
    try {
      return await promise;
    } catch (error) {
      if (!error.cancelled) this.board.fail(error.message);
      return error.cancelled || error.lost ? undefined : null;
    }
  }

  // Drawing and looking.

  drawn() {
    this.known = -1;
    this.state.picture = pack(this.board.retina.picture);
    this.#look();
  }

  /** Ask what the retina sees, and what the machine says to it. */
  async #look() {
    const {board, state} = this;
    board.view(state, this.known);
    if (!this.#moved) board.retina.see(board.retina.picture);
    if (!this.gone) write('mark1', addressOf(state));
    const sight = await this.#wait(askLatest('show', {picture: state.picture, ...viewOf(state)}));
    if (sight?.scores.length !== this.state.names.length) return;
    this.sight = sight;
    board.sight(unpack(sight.seen), sight);
  }

  get #moved() {
    return Boolean(this.state.noise || this.state.right || this.state.down);
  }

  view(name, value) {
    this.state[name] = value;
    this.#look();
    this.#score();
  }

  async show(which) {
    const answer = await this.#wait(ask('example', {label: which === '' ? null : Number(which), number: this.shown++}));
    if (!answer) return;
    this.board.retina.put(unpack(answer.picture));
    this.board.retina.fresh = true;
    this.known = answer.label;
    this.board.say(`This is ${called(this.state.names[answer.label])}. Does it know?`);
    this.#look();
  }

  // Learning.

  async teach(label) {
    const {state, board} = this;
    if (!this.opened) return;
    const lesson = {picture: state.picture, label, ...viewOf(state)};
    if (!lesson.noise) lesson.seed = 0;
    this.opened = false;
    const answer = await this.#wait(ask('teach', lesson));
    if (state !== this.state) return;
    if (!answer) {
      if (wire.ready) this.#open();
      return;
    }
    const {mistake, turned, before, ...machine} = answer;
    this.opened = true;
    state.lessons.push(lesson);
    Object.assign(this.machine, machine);
    const verdict = mistake ? 'wrong' : 'right';
    const told = before.guess < 0 ? 'It had no answer.' : `It said ${called(state.names[before.guess])}: ${verdict}.`;
    board.say(h('strong', {class: verdict}, told), mistake ? ` ${count(turned, 'dial')} turned.` : ' No dial turns.');
    board.said.dataset.lesson = state.lessons.length;
    board.retina.fresh = true;
    this.#learned();
  }

  /** Make passes over all pictures until one is without a mistake, or it is stopped. */
  async train(passes) {
    const run = this.running ? false : {};
    this.running = run;
    this.#buttons();
    for (let k = 0; k < passes && run && this.running === run; k++) {
      if (!await this.#pass()) break;
    }
    if (this.running !== run) return;
    this.running = false;
    this.#buttons();
  }

  /** Make one pass; say whether another one makes sense. */
  async #pass() {
    const {state, machine, board} = this;
    const view = viewOf({...state, seed: state.seed + machine.curve.length});
    const parts = [];
    const result = await this.#wait(ask('train', view, {onPart: (part) => parts.push(part)}));
    if (!result || state !== this.state) return false;
    addPass(state.lessons, view);
    machine.curve.push(result);
    for (const {weights, thresholds} of parts) {
      Object.assign(machine, {weights, thresholds});
      board.turn(machine, this.#row);
      await pause(GLANCE);
      if (state !== this.state || this.gone) return false;
    }
    const text = `Pass ${machine.curve.length}: ${count(result.mistakes, 'mistake')}.`;
    board.say(text, result.mistakes ? '' : ' It has converged.');
    this.#learned();
    return result.mistakes > 0;
  }

  forget() {
    this.#change({lessons: []}, 'It has forgotten everything: all dials are at zero.');
  }

  /** Show a machine that has learned something. */
  #learned() {
    this.board.turn(this.machine, this.#row);
    this.#buttons();
    this.#look();
    this.#score();
  }

  async #score() {
    const answer = await this.#wait(askLatest('held', viewOf(this.state)));
    if (answer) this.board.score(answer, this.#moved);
  }

  /** Which row of weights is shown: two responses share one. */
  get #row() {
    return Math.min(this.state.chosen, this.machine.weights.length - 1);
  }

  // The responses.

  #names() {
    this.state.chosen = Math.min(this.state.chosen, this.state.names.length - 1);
    this.board.names(this.state, this.editing);
    this.#buttons();
  }

  #buttons() {
    this.board.buttons(this.machine, this.state.lessons.length, this.opened, Boolean(this.running));
  }

  choose(k) {
    this.state.chosen = k;
    this.#names();
    this.board.turn(this.machine, this.#row);
    this.#look();
    this.board.lamps.rows[k].line.focus();
  }

  edit() {
    this.editing = !this.editing;
    this.#names();
    this.#look();
  }

  preset(names) {
    this.#change({names: names.split(','), lessons: [], chosen: 0, picture: BLANK});
  }

  add() {
    const {names} = this.state;
    this.#change({names: [...names, [...'ABCDEFGHIJK'].find((name) => !names.includes(name))]});
  }

  remove(k) {
    this.#change(without(this.state, k));
  }

  rename(k, text) {
    const {names} = this.state;
    const name = text.trim();
    const bad = !name || name.includes(',') ? 'A name has at least one letter, and no comma.'
      : names.some((other, j) => other === name && j !== k) && `Another response is called ${name} already.`;
    this.#change(bad ? {} : {names: names.with(k, name)}, bad || '');
  }

  // For the frame.

  leave() {
    this.gone = true;
    this.running = false;
    this.ends.forEach((end) => end());
    this.board.leave();
  }

  take() {
    const {state, board} = this;
    const told = {responses: state.names, lessons: state.lessons};
    return {
      name: 'mark1',
      svg: this.sight && (() => pictureOf(board.retina, board.dials, board.title.firstChild.textContent, state.names,
        this.sight)),
      table: 'Pictures, CSV', csv: () => ask('csv', told),
      code: () => ask('code', {...told, picture: state.picture, ...viewOf(state)}),
    };
  }
}

export const open = (place, params) => new Mark1(place, params);
