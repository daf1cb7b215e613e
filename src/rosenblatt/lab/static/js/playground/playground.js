// The playground: points in the plane, a learner that is watched step by step, and what can be proved.

import {write} from '../address.js';
import {Chart} from '../chart.js';
import {hasPlanes, settingsFor} from '../controls.js';
import {zoomed} from '../geometry.js';
import {CALM, Plane} from '../plane/plane.js';
import {listen} from './hands.js';
import {layOut} from './layout.js';
import {fromLink, settingsFrom, toLink} from './link.js';
import {Running} from './run.js';
import {PointList} from '../points.js';
import {Transport} from '../transport.js';
import {wire} from '../wire.js';

const FIRST = 'deck-b';
const WAIT = 250;

let catalog = null; // the same for every visit

class Playground {
  constructor(place, params) {
    Object.assign(this, {generation: 0, preset: FIRST, note: '', chosen: 1, learner: null, settings: {}, options: CALM,
      keep: true, verdict: null});
    this.list = new PointList((kind) => this.#edited(kind));
    this.plane = new Plane({view: this.list.view(), label: 'The plane. Tab here to edit points with the keyboard',
      edit: true});
    this.running = new Running({
      told: () => this.#told(), opened: (...found) => this.#opened(...found), show: (k) => this.#show(k),
        verdict: (...found) => this.#proved(...found),
      idle: () => this.#idle(), fail: (text) => this.#idle(text),
    });
    const {player} = this.running;
    this.transport = new Transport(player, ({k, pass, mistakes, errors}) => [['step', 'step', k],
      ['pass', 'pass', pass], ['mistakes', 'mistakes', mistakes], ['errors', 'wrong now', errors]]);
    this.chart = new Chart(player);
    player.on(() => this.#write());
    layOut(this, place);
    this.plane.measure();
    this.forget = [wire.on('ready', () => this.#ready()), listen(this)];
    this.plane.on('resize', () => this.#resized());
    this.load(params);
  }

  /** Show what a link tells. */
  async load(params, complaint = null) {
    const generation = this.#fresh();
    Object.assign(this, {params, loading: true});
    this.data.fail(complaint);
    let told;
    try {
      told = fromLink(params);
    } catch (error) {
      this.data.fail(error.message);
      told = fromLink(new URLSearchParams());
    }
    try {
      const name = told.points ? null : (told.preset ?? FIRST);
      const [known, preset] = await Promise.all([catalog ?? wire.call('playground.catalog'),
        name && wire.call('playground.preset', {name})]);
      if (generation !== this.generation) return;
      catalog = known;
      this.limits = catalog.limits;
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
    this.loaded = false;
    return ++this.generation;
  }

  #take(told, preset) {
    const source = preset ?? told;
    const named = catalog.learners.find((one) => one.name === told.learner);
    this.learner = named ?? catalog.learners.find((one) => one.name === preset?.learner) ?? catalog.learners[0];
    this.settings = settingsFor(this.learner, named ? settingsFrom(named, told.with) : preset?.settings);
    Object.assign(this, {preset: preset?.name ?? null, note: preset?.note ?? 'Points from a link.',
      options: {...CALM, ...told.options}, keep: told.keep, viewed: Boolean(told.view)});
    this.#adopt({...source, view: told.view ?? source.view});
    this.loaded = true;
    this.running.dragged = false;
    this.running.changed({goal: {step: told.step, first: true}});
  }

  /** Take points with their classes and axes, and draw all that does not depend on a run. */
  #adopt({points, classes, names, view, columns}, undoable = false) {
    this.axes = {names, view};
    this.list.load(points, classes, undoable, this.axes);
    this.axes.view ??= this.list.view();
    this.chosen = Math.min(1, classes.length - 1);
    this.verdict = this.rest = null;
    this.plane.editor.pick(-1);
    this.plane.show({points, classes, frame: null, before: null, verdict: null, proof: null, options: this.options});
    this.plane.setView(this.axes.view, names);
    this.shown.show(this);
    this.panel.show(this.learner, this.settings, this.keep);
    this.data.showColumns(columns);
    this.data.show(this);
  }

  /** Take points of a file; what was there before can be undone. */
  taken(found, text) {
    if (this.learner.two_classes_only && found.classes.length > 2) [this.learner] = catalog.learners;
    this.settings = settingsFor(this.learner, found.settings);
    Object.assign(this, {fileText: text, preset: null, note: `${this.fileName}: ${found.note}`, viewed: false});
    this.#adopt(found, true);
    this.data.fail(null);
    this.#restart();
  }

  #told() {
    const {list: {points, classes, present}, learner, settings, plane} = this;
    const planes = hasPlanes(learner, settings);
    return {points, classes, present, learner: learner.name, settings, bias: settings.bias ?? true, planes,
      view: plane.view, grid: planes ? null : plane.grid()};
  }

  /** Draw more, or less. */
  draw(name, flag) {
    this.options = {...this.options, [name]: flag};
    this.plane.show({options: this.options});
    this.#write();
  }

  /** Draw the certificate of a class against the rest, if there are several; else the one there is. */
  against(chosen) {
    const {verdict, verdict: {each}, list: {classes, present}} = this;
    const one = each?.find((told) => told.class === chosen) ?? each?.[verdict.first];
    this.rest = one?.class;
    this.proof.show(verdict, classes, one);
    this.plane.show({verdict, proof: one ?? verdict, present});
  }

  keepOn(flag) {
    this.keep = flag;
    this.#write();
  }

  #edited(kind) {
    if (!this.learner) return;
    const {list} = this;
    if (this.preset !== null || kind === 'clear') this.note = 'Your own points, kept in the address of this page.';
    this.preset = null;
    this.data.fail(null);
    if (list.axes !== this.axes) {
      this.axes = list.axes;
      this.plane.setView(this.axes.view, this.axes.names);
    }
    this.plane.show({points: list.points, classes: list.classes});
    this.chosen = Math.min(this.chosen, list.classes.length - 1);
    if (kind !== 'move') this.data.show(this);
    this.#restart(kind);
  }

  #restart(kind) {
    const goal = this.running.aim(kind);
    this.running.changed({goal: this.keep ? goal : {step: 0}, moving: kind === 'move'});
    this.#write();
  }

  #opened(opened, gridView, grid) {
    this.panel.fail(null);
    const {binary, applies, shown, kind} = opened;
    const has = (part) => shown.includes(part);
    Object.assign(this, {binary, applies, gridView, grid, line: binary && has('plane'), predicts: !has('region')});
    this.shown.show(this);
    this.chart.clear({loss: has('loss'), once: kind === 'once'});
  }

  #show(k) {
    const {running: {player}, list: {points, classes, present}, learner, binary, grid, gridView} = this;
    const [frame, before = null] = [player.frame(k), player.frame(k - 1)];
    this.plane.show({frame, before, binary, present, grid, gridView});
    this.now.show({frame, before, points, classes, present, learner, ending: player.atEnd ? player.ending : ''});
    this.chart.draw(this);
  }

  #proved(verdict, took) {
    this.verdict = verdict;
    this.proof.element.dataset.took = Math.round(took);
    this.against(this.rest);
    this.shown.show(this);
    if (this.running.player.frames.length) this.chart.draw(this);
  }

  /** There is no run, for want of points or because of what is told. */
  #idle(complaint = null) {
    this.plane.show({frame: null, before: null, present: this.list.present});
    this.now.rest(complaint ? 'The learner could not run.'
      : 'Click in the plane to add points of two classes. Shift-click adds the other class.');
    this.panel.fail(complaint);
    this.chart.clear();
    this.chart.draw(this);
    this.transport.draw();
  }

  begin(preset) {
    this.load(new URLSearchParams({preset}));
  }

  choose(c) {
    if (c >= this.list.classes.length) return;
    this.chosen = c;
    this.data.show(this);
  }

  chooseLearner(name) {
    this.learner = catalog.learners.find((one) => one.name === name);
    this.settings = settingsFor(this.learner, this.settings);
    this.panel.show(this.learner, this.settings, this.keep);
    this.#restart();
  }

  setOption(name, value) {
    this.settings = settingsFor(this.learner, {...this.settings, [name]: value});
    const other = ({when, only}) => [when, ...Object.values(only ?? {})].some((needs) => needs?.[name]);
    if (this.learner.options.some(other)) this.panel.show(this.learner, this.settings, this.keep);
    this.#restart();
  }

  zoom(by) {
    this.plane.setView(by ? zoomed(this.plane.base, by) : this.list.view());
    this.viewed = true;
    this.#resized();
    this.#write();
  }

  /** Regions that were computed for another view are computed again. */
  #resized() {
    clearTimeout(this.viewTimer);
    this.viewTimer = setTimeout(() => {
      const {running} = this;
      if (this.loaded && running.run !== null && !this.#told().planes) running.open(running.place);
    }, WAIT);
  }

  #ready() {
    if (this.loaded) this.running.revive();
    else if (!this.loading) this.load(this.params);
  }

  /** The address follows what is shown, when that rests. */
  #write() {
    const {list: {points, classes, moving}, running: {player, step}, learner, plane} = this;
    if (!this.loaded || moving || player.playing || player.running) return;
    write('playground', toLink({...this, points, classes, names: this.axes.names, view: plane.base, step}, learner));
  }

  take() {
    const {list, learner, settings, running} = this;
    return {
      name: 'playground',
      svg: () => this.plane.svg(),
      csv: () => list.csv(this.axes.names),
      code: () => wire.call('playground.code', {points: list.points, classes: list.classes, learner: learner.name,
        settings, step: running.player.at}),
    };
  }

  leave() {
    this.#fresh();
    clearTimeout(this.viewTimer);
    this.forget.forEach((stop) => stop());
    for (const part of [this.running, this.transport, this.plane, this.chart]) part.leave();
  }
}

export function open(place, params) {
  const screen = new Playground(place, params);
  return {leave: () => screen.leave(), follow: (next) => screen.load(next), take: () => screen.take()};
}
