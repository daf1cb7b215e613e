// The playground: points in the plane, a learner that is watched step by step, and what can be proved.

import {settingsFor} from './controls.js';
import {zoomed} from './geometry.js';
import {CALM, Plane} from './plane.js';
import {openFile} from './playground_files.js';
import {listen} from './playground_hands.js';
import {History} from './playground_history.js';
import {layOut} from './playground_layout.js';
import {fromLink, Pen, settingsFrom, toLink} from './playground_link.js';
import {Running} from './playground_run.js';
import {PointList} from './points.js';
import {Transport} from './transport.js';
import {wire} from './wire.js';

const FIRST = 'deck-b';
const WAIT = 250;
const SHORT = 400; // points of which an address is written at once

let catalog = null; // the same for every visit

class Playground {
  constructor(place, params) {
    Object.assign(this, {preset: FIRST, note: '', axes: {names: ['x₁', 'x₂']}, chosen: 1, learner: null, settings: {}, options: {...CALM}, keep: true, verdict: null});
    this.list = new PointList((kind) => this.#edited(kind));
    this.plane = new Plane({view: [-4, 4, -3, 3], label: 'The plane. Tab here to edit points with the keyboard', edit: true});
    this.running = new Running({
      told: () => this.#told(), opened: (...found) => this.#opened(...found), show: (k) => this.#show(k), verdict: (...found) => this.#proved(...found),
      idle: () => this.#idle(), fail: (text) => this.#failed(text),
    });
    const {player} = this.running;
    this.transport = new Transport(player, (frame) => [['step', 'step', frame.k], ['pass', 'pass', frame.pass], ['mistakes', 'mistakes', frame.mistakes], ['errors', 'wrong now', frame.errors]]);
    this.history = new History(player);
    // A long address, or one that changes all the time, is written a moment later.
    this.pen = new Pen('playground', () => this.#link(), () => this.list.points.length <= SHORT && !player.playing && !this.list.moving);
    layOut(this, place);
    this.plane.measure();
    this.forget = [wire.on('ready', () => this.#ready()), listen(this)];
    this.plane.on('resize', () => this.#resized());
    this.load(params);
  }

  /** Show what a link tells. */
  async load(params, complaint = null) {
    const {generation} = this.#fresh();
    this.data.fail(complaint);
    this.params = params;
    this.loading = true;
    let told;
    try {
      told = fromLink(params);
    } catch (error) {
      this.data.fail(error.message);
      told = fromLink(new URLSearchParams());
    }
    try {
      const name = told.points ? null : (told.preset ?? FIRST);
      const [known, preset] = await Promise.all([catalog ?? wire.call('playground.catalog'), name && wire.call('playground.preset', {name})]);
      if (generation !== this.generation) return;
      catalog = known;
      this.loading = false;
      this.data.catalog(catalog.presets);
      this.panel.catalog(catalog.learners);
      this.#take(told, preset);
    } catch (error) {
      if (generation !== this.generation) return;
      this.loading = false;
      if (error.lost) return; // tried again when the lab is back
      if (told.preset) this.load(new URLSearchParams(), error.message);
      else this.data.fail(error.message);
    }
  }

  #fresh() {
    this.generation = (this.generation ?? 0) + 1;
    this.loaded = false;
    this.pen.stop();
    return this;
  }

  #take(told, preset) {
    const source = preset ?? told;
    this.preset = preset?.name ?? null;
    this.note = preset?.note ?? 'Points from a link.';
    this.fileText = null;
    this.data.showColumns(null);
    this.axes = {names: source.names, view: told.view ?? source.view};
    this.list.load(source.points, source.classes, false, this.axes);
    this.chosen = Math.min(1, source.classes.length - 1);
    this.options = {...CALM, ...told.options};
    this.keep = told.keep;
    const named = catalog.learners.find((one) => one.name === told.learner);
    this.learner = named ?? catalog.learners.find((one) => one.name === preset?.learner) ?? catalog.learners[0];
    this.settings = settingsFor(this.learner, named ? settingsFrom(named, told.with) : preset?.settings);
    this.viewed = Boolean(told.view);
    this.axes.view ??= this.list.view();
    this.#draw();
    this.loaded = true;
    this.running.changed({goal: {step: told.step, first: true}});
  }

  /** Draw all that does not depend on a run. */
  #draw() {
    this.verdict = null;
    this.plane.editor.pick(-1);
    this.plane.show({points: this.list.points, classes: this.list.classes, frame: null, before: null, verdict: null, options: this.options});
    this.plane.setView(this.axes.view, this.axes.names);
    this.shown.show(this.options);
    this.panel.show(this.learner, this.settings, this.keep);
    this.#showData();
  }

  #showData() {
    this.data.show({preset: this.preset, note: this.note, list: this.list, chosen: this.chosen, limits: catalog.limits});
  }

  #told() {
    const {list, learner, settings, plane} = this;
    const {present} = list;
    // Where the frames have a plane for each class, its borders are drawn from them, and no grid is needed.
    const planes = learner.name !== 'kernel' && !(learner.name === 'voted' && settings.predict === 'vote');
    return {points: list.points, classes: list.classes, learner: learner.name, settings, bias: settings.bias ?? true, present, planes,
      view: plane.view, grid: planes ? [2, 2] : plane.grid()};
  }

  /** Draw more, or less. */
  draw(name, flag) {
    this.options = {...this.options, [name]: flag};
    this.plane.show({options: this.options});
    this.pen.write();
  }

  keepOn(flag) {
    this.keep = flag;
    this.pen.write();
  }

  #edited(kind) {
    if (!this.learner) return;
    if (this.preset !== null || kind === 'clear') this.note = 'Your own points, kept in the address of this page.';
    this.preset = null;
    this.data.fail(null);
    if (this.list.axes !== this.axes) {
      this.axes = this.list.axes;
      this.plane.setView(this.axes.view, this.axes.names);
    }
    this.plane.show({points: this.list.points, classes: this.list.classes});
    this.chosen = Math.min(this.chosen, this.list.classes.length - 1);
    if (kind !== 'move') this.#showData();
    this.#restart(kind === 'move');
  }

  /** Run again: to the end if that was shown, else from the start. */
  #restart(moving = false) {
    const {player} = this.running;
    if (!this.restarting) this.wasEnd = this.keep && player.atEnd && player.at > 0;
    this.restarting = true;
    this.running.changed({goal: this.wasEnd ? {end: true} : {step: 0}, moving});
    this.pen.write();
  }

  #opened(opened, gridView, grid) {
    this.panel.fail(null);
    Object.assign(this, {binary: opened.binary, gridView, grid});
    this.history.clear({loss: opened.shown.includes('loss'), once: opened.kind === 'once'});
  }

  #show(k) {
    const {running: {player}, plane, list, learner} = this;
    const {present} = list;
    const frame = player.frame(k);
    const before = player.frame(k - 1) ?? null;
    plane.show({frame, before, binary: this.binary, present, grid: this.grid, gridView: this.gridView, verdict: this.verdict});
    this.now.show({frame, before, points: list.points, classes: list.classes, present, learner, ending: player.atEnd ? player.ending : ''});
    this.history.draw(this);
    if (!player.running) this.restarting = false;
    this.pen.write();
  }

  #proved(verdict, took) {
    this.verdict = verdict;
    this.proof.show(verdict, this.list.classes);
    this.proof.element.dataset.took = Math.round(took);
    this.plane.show({verdict, present: this.list.present});
    if (this.running.player.frames.length) this.history.draw(this);
  }

  #idle() {
    this.restarting = false;
    this.plane.show({frame: null, before: null, present: this.list.present});
    this.now.rest('Click in the plane to add points of two classes. Shift-click adds the other class.');
    this.panel.fail(null);
    this.history.clear();
    this.history.draw(this);
    this.transport.draw();
  }

  #failed(text) {
    this.#idle();
    this.now.rest('The learner could not run.');
    this.panel.fail(text);
  }

  choose(c) {
    if (c >= this.list.classes.length) return;
    this.chosen = c;
    this.#showData();
  }

  chooseLearner(name) {
    this.learner = catalog.learners.find((one) => one.name === name);
    this.settings = settingsFor(this.learner, this.settings);
    this.panel.show(this.learner, this.settings, this.keep);
    this.#restart();
  }

  setOption(name, value) {
    this.settings = {...this.settings, [name]: value};
    if (this.learner.options.some((option) => option.when?.[name])) this.panel.show(this.learner, this.settings, this.keep);
    this.#restart();
  }

  zoom(by) {
    this.plane.setView(by ? zoomed(this.plane.base, by) : this.list.view());
    this.viewed = true;
    this.#resized();
    this.pen.write();
  }

  /** Regions that were computed for another view are computed again. */
  #resized() {
    clearTimeout(this.viewTimer);
    this.viewTimer = setTimeout(() => {
      const {player} = this.running;
      if (this.loaded && this.running.run !== null && !this.#told().planes) this.running.open(player.atEnd ? {end: true} : {step: player.at});
    }, WAIT);
  }

  /** Take points of a file; what was there before can be undone. */
  taken(found, text) {
    this.fileText = text;
    this.preset = null;
    this.note = [this.fileName, found.note].filter(Boolean).join(': ');
    this.axes = {names: found.names, view: found.view};
    this.list.load(found.points, found.classes, true, this.axes);
    this.chosen = Math.min(1, found.classes.length - 1);
    this.viewed = false;
    if (this.learner.two_classes_only && found.classes.length > 2) this.learner = catalog.learners[0];
    this.settings = settingsFor(this.learner, found.settings);
    this.#draw();
    this.data.showColumns(found.columns);
    this.data.fail(null);
    this.#restart();
  }

  openFile(file) {
    return openFile(this, file);
  }

  get limits() {
    return catalog.limits;
  }

  #ready() {
    if (this.loaded) this.running.revive();
    else if (!this.loading) this.load(this.params);
  }

  #link() {
    const {list, preset, axes: {names}, learner, settings, options, keep, viewed, plane} = this;
    return this.loaded && toLink({preset, points: list.points, classes: list.classes, names, view: plane.base, viewed, learner: learner.name, settings, step: this.running.step, options, keep}, learner);
  }

  take() {
    this.pen.now();
    const {list} = this;
    return {
      name: 'playground',
      svg: () => this.plane.svg(),
      csv: () => list.csv(this.axes.names),
      code: () => wire.call('playground.code', {points: list.points, classes: list.classes, learner: this.learner.name, settings: this.settings, step: this.running.player.at}),
    };
  }

  leave() {
    this.#fresh();
    clearTimeout(this.viewTimer);
    this.forget.forEach((stop) => stop());
    this.running.leave();
    this.transport.leave();
    this.plane.leave();
    this.history.leave();
  }
}

export function open(place, params) {
  const screen = new Playground(place, params);
  return {leave: () => screen.leave(), follow: (next) => screen.load(next), take: () => screen.take()};
}
