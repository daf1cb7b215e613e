// Compare: two to four learners side by side on the same points, in step, and deck E's table beneath.

import {address, write} from '../address.js';
import {Card, picture} from './card.js';
import {fillUp, learnersOf, toCompare, toPlayground} from './link.js';
import {Race} from './run.js';
import {drawTable} from './table.js';
import {hasPlanes} from '../controls.js';
import {h, put} from '../dom.js';
import {DataPanel} from '../playground/data.js';
import {listen} from '../playground/hands.js';
import {fromLink} from '../playground/link.js';
import {PointList} from '../points.js';
import {Transport} from '../transport.js';
import {wire} from '../wire.js';

const shuffles = ({one}) => 'order' in one.settings;

let catalog = null; // the same for every visit

class Compare {
  constructor(place, params) {
    Object.assign(this, {cards: [], runs: [], generation: 0});
    this.list = new PointList((kind) => this.#edited(kind));
    this.race = new Race({
      told: () => this.#told(), opened: (...found) => this.#opened(...found),
      show: (k) => this.#show(k), fail: (text) => this.#failed(text),
    });
    this.transport = new Transport(this.race.player, ({k}) => [['step-count', 'step', k]]);
    this.data = new DataPanel(this);
    const button = (id, words, text, act) => h('button', {class: 'btn', id, title: words, onclick: act}, text);
    this.again = button('again', 'Learn again, with the points in another order: which results differ?',
      '⤨ Again in another order', () => this.#again());
    this.add = button('add-learner', 'One more learner beside the others', '+ Learner', () => {
      this.#seat(fillUp(this.#ones(), this.cards.length + 1, catalog.learners));
    });
    this.row = h('div', {class: 'cards'});
    this.table = h('section', {class: 'panel facts', 'aria-label': 'The learners in a table'});
    this.data.element.append(h('div', {class: 'acts'}, this.again, this.add));
    put(place, this.data.element, this.row, h('div', {class: 'panel bar'}, this.transport.element), this.table);
    // One pair of hands for all planes.
    const hands = {};
    const removePicked = () => this.cards.some(({plane}) => plane.editor.removePicked());
    this.plane = {on: (event, act) => { hands[event] = act; }, editor: {removePicked}};
    this.hand = (event, detail, card) => {
      if (event === 'resize') this.#resized();
      else if (event !== 'pick') hands[event](detail);
      else if (detail.i >= 0) this.cards.forEach((other) => other === card || other.plane.editor.pick(-1));
    };
    this.forget = [wire.on('ready', () => this.#ready()), listen(this)];
    this.load(params);
  }

  /** Show what a link tells; with these learners, if they are told. */
  async load(params, ones = null) {
    const generation = ++this.generation;
    this.loaded = false;
    this.data.fail(null);
    try {
      catalog ??= await wire.call('playground.catalog');
      this.limits = catalog.limits;
      const told = fromLink(params);
      const preset = told.points ? null : await wire.call('playground.preset', {name: told.preset ?? 'outlier'});
      if (generation !== this.generation) return;
      this.data.catalog(catalog.presets);
      this.#use(preset ?? told, preset?.note ?? 'Points from a link.', preset?.name);
      this.#seat(ones ?? learnersOf(params, catalog.learners), {step: told.step});
    } catch (error) {
      if (generation !== this.generation) return;
      this.missed = error.lost ? params : null; // tried again when the lab is back
      if (error.lost) return;
      if (params.size) await this.load(new URLSearchParams());
      this.data.fail(error.message);
    }
  }

  /** Take points from somewhere. */
  #use({points, classes, names, view}, note, preset = null) {
    this.list.load(points, classes);
    this.data.showColumns(null);
    this.base = view ?? this.list.view();
    Object.assign(this, {note, preset, names, chosen: Math.min(1, classes.length - 1), loaded: true});
    this.#showData();
  }

  #showData() {
    const {data, preset, note, list, chosen, limits} = this;
    data.show({preset, note, list, chosen, limits});
    data.note.title = note;
  }

  #ones() {
    return this.cards.map(({one}) => one);
  }

  /** A card for each learner. */
  #seat(ones, goal) {
    const {points, classes} = this.list;
    for (const card of this.cards) card.leave();
    this.cards = ones.map((one) => new Card(this, one, catalog.learners));
    this.row.dataset.count = ones.length;
    put(this.row, this.cards.map(({element}) => element));
    for (const {plane} of this.cards) {
      plane.measure();
      plane.show({points, classes});
    }
    this.#name();
    this.#restart('', goal);
  }

  #name() {
    const {cards} = this;
    cards.forEach((card, i) => card.name(i, cards.length > 2));
    this.add.disabled = cards.length > 3;
    this.again.disabled = !cards.some(shuffles);
  }

  change(card, one) {
    card.one = one;
    this.#name();
    this.#restart();
  }

  remove(card) {
    this.#seat(this.#ones().filter((one) => one !== card.one));
  }

  playground(card) {
    return address('playground', toPlayground(this.#state(), card.one, card.plane.told.frame?.k));
  }

  #told() {
    const {list: {points, classes}, cards: [{plane}]} = this;
    const ones = this.#ones();
    const planes = ones.map(({learner, settings}) => hasPlanes(learner, settings));
    const learners = ones.map(({learner: {name}, settings}) => ({learner: name, settings}));
    const grid = planes.every(Boolean) ? null : plane.grid();
    return {planes, asked: {points, classes, learners, view: plane.view, grid}};
  }

  #edited(kind) {
    const {points, classes} = this.list;
    const moving = kind === 'move';
    this.preset = null;
    this.data.fail(null);
    if (!moving && kind !== 'drop') this.note = 'Your own points.';
    this.chosen = Math.min(this.chosen, classes.length - 1);
    for (const {plane} of this.cards) plane.show({points, classes});
    if (!moving) this.#showData();
    this.#restart(kind);
  }

  #restart(kind, goal = null) {
    const aim = this.race.aim(kind);
    for (const card of this.cards) card.forget();
    this.race.open(goal ?? aim, kind === 'move');
    this.#write();
  }

  #opened(runs, {view, grid}, facts) {
    if (this.ill) this.data.fail(null);
    Object.assign(this, {ill: false, runs, facts, drawn: {grid, gridView: view}});
    drawTable(this.table, facts, this.cards);
  }

  #show(k) {
    const {cards, runs, race, race: {player}} = this;
    const [now, before] = [player.frame(k), player.frame(k - 1)];
    cards.forEach((card, i) => card.show(now.each[i], before?.each[i] ?? null, runs[i], race.ending(i, k), this.drawn));
    this.#write();
  }

  /** Learn once more, with the points in another order; what came of the one before stays as a thin line. */
  async #again() {
    await this.race.busy;
    const {race: {player}, runs, cards, facts} = this;
    if (!player.atEnd) await player.toEnd();
    if (!player.atEnd || runs !== this.runs) return;
    cards.forEach((card, j) => card.keep(Object.fromEntries(facts.rows.map(({name, cells}) => [name, cells[j]]))));
    for (const card of cards.filter(shuffles)) {
      const {learner, settings} = card.one;
      const next = settings.order === 'given' ? {order: 'shuffled'} : {seed: (settings.seed + 1) % 1000};
      card.one = {learner, settings: {...settings, ...next}};
    }
    this.#name();
    this.race.open({end: true});
    this.#write();
  }

  #failed(text) {
    this.ill = true;
    for (const card of this.cards) card.rest();
    put(this.table);
    this.transport.draw();
    this.data.fail(`${text[0].toUpperCase()}${text.slice(1)}.`);
  }

  begin(preset) {
    this.load(new URLSearchParams({preset}), this.#ones());
  }

  choose(c) {
    if (c >= this.list.classes.length) return;
    this.chosen = c;
    this.#showData();
  }

  /** Regions that were computed for another view are computed again. */
  #resized() {
    for (const card of this.cards) card.haunt();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.race.run !== null && this.drawn.grid && this.race.revive(), 250);
  }

  /** Take the points of a file. */
  taken(found, text) {
    this.fileText = text;
    this.#use(found, this.fileName);
    this.data.showColumns(found.columns);
    this.#seat(this.#ones());
  }

  #ready() {
    if (this.loaded) this.race.revive();
    else if (this.missed) this.load(this.missed);
  }

  #state() {
    const {list: {points, classes}, preset, names, base} = this;
    return {preset, points, classes, names, view: base};
  }

  #write() {
    if (this.loaded) write('compare', toCompare(this.#state(), this.#ones(), this.race.step));
  }

  take() {
    const {points, classes, learners} = this.#told().asked;
    return {
      name: 'compare', svg: () => picture(this.cards), csv: () => this.list.csv(this.names),
      code: () => wire.call('compare.code', {points, classes, learners, step: this.race.player.at}),
    };
  }

  leave() {
    this.generation++;
    this.loaded = false;
    clearTimeout(this.timer);
    for (const stop of this.forget) stop();
    for (const part of [this.race, this.transport, ...this.cards]) part.leave();
  }
}

export function open(place, params) {
  const screen = new Compare(place, params);
  return {leave: () => screen.leave(), follow: (next) => screen.load(next), take: () => screen.take()};
}
