// Gradient descent: three paths down the surface of a loss, in step.

import {asNumber, stepIn, write} from '../address.js';
import {Options, settingsFor} from '../controls.js';
import {DataPlot, LossChart} from './charts.js';
import {h, number, put, s, set, whole} from '../dom.js';
import {Player} from '../player.js';
import {mark, PATHS, Surface} from './surface.js';
import {plainSvg} from '../take.js';
import {Transport} from '../transport.js';
import {wire} from '../wire.js';

const POWERS = [-3, 2]; // of ten: the ends of the slider
const FAR = 1e4; // of a start
const unpack = (text, Kind) => new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
const each = (make) => Object.fromEntries(PATHS.map((name) => [name, make(name)]));
const section = (name, label, ...children) => h('section', {class: `panel ${name}`, 'aria-label': label}, ...children);

export function open(place, params) {
  const screen = new Screen(place, params);
  screen.begin();
  return screen;
}

class Screen {
  constructor(place, params) {
    Object.assign(this, {place, params});
    this.surface = new Surface((start) => this.change({start}), (view, grid) => this.#heights(view, grid));
    this.player = new Player({fetch: async (from, _, take) => {
      take(Array.from({length: this.total + 1 - from}, (__, k) => from + k));
      return {done: true};
    }, show: (k) => this.run && !this.quiet && this.#show(k)});
    this.player.speed = 30;
    this.transport = new Transport(this.player);
    this.losses = new LossChart((k) => {
      this.player.pause();
      this.player.go(k);
    });
    this.data = new DataPlot();
    this.text = h('p', {class: 'says', id: 'descent-text', 'aria-live': 'polite'});
    this.repaint = () => this.surface.paint();
    window.addEventListener('themechange', this.repaint);
    this.off = wire.on('ready', () => this.catalog && this.#ask());
  }

  leave() {
    this.left = true;
    this.player.clear();
    this.transport.leave();
    for (const part of [this.surface, this.losses, this.data]) part.observer.disconnect();
    window.removeEventListener('themechange', this.repaint);
    this.off();
  }

  async begin() {
    const again = (error) => { if (!error.lost && !this.left) throw error; };
    while (!this.catalog && !this.left) this.catalog = await wire.call('descent.catalog').catch(again);
    if (this.left) return;
    this.#lay();
    this.follow(this.params);
  }

  #lay() {
    this.problems = h('select', {id: 'descent-problem', onchange: () => this.change({problem: this.problems.value})},
      this.catalog.problems.map(({name, title}) => h('option', {value: name}, title)));
    this.note = h('p', {class: 'soft small'});
    const tell = (eta) => this.change({eta: Number(eta)});
    this.eta = h('input', {type: 'number', id: 'descent-eta', step: 'any', onchange: () => tell(this.eta.value)});
    this.slider = h('input', {type: 'range', id: 'descent-slider', min: POWERS[0], max: POWERS[1], step: 0.01,
      'aria-label': 'Learning rate η', oninput: () => tell((10 ** this.slider.value).toPrecision(2))});
    this.limit = h('span', {class: 'limit'}, '2/L');
    this.options = new Options((name, value) => this.change({[name]: value}));
    this.rows = each((name) => this.#row(name));
    const heads = ['Path', 'Moves', 'Loss', 'End'];
    const head = heads.map((words, k) => h('th', {class: k % 3 ? 'num' : '', scope: 'col'}, words));
    put(this.place,
      section('stack main', 'The problem', h('label', {class: 'field'}, 'problem', this.problems), this.note,
        h('div', {}, h('label', {class: 'row apart eta'}, h('span', {}, 'learning rate ', h('b', {}, 'η')), this.eta),
          h('div', {class: 'slide'}, this.slider, this.limit))),
      section('centre', 'The surface', this.text, this.surface.element, this.transport.element),
      section('stack aside', 'The paths', h('table', {class: 'plain', id: 'descent-paths'},
        h('tr', {}, head), PATHS.map((name) => this.rows[name].row)), this.losses.element, this.data.element),
      section('more', 'The descent', this.options.element));
  }

  #row(name) {
    const box = h('input', {type: 'checkbox', id: `descent-show-${name}`, onchange: () => {
      this.shown = PATHS.filter((one) => this.rows[one].box.checked);
      this.#ask();
    }});
    const cell = (what, look = 'num', kind = 'td') => h(kind, {class: look, 'data-what': what});
    const [moves, loss, fate] = [cell('moves'), cell('loss'), cell('fate', '')];
    const weights = cell('weights', 'weights', 'span');
    const sign = s('svg', {width: 17, height: 17, viewBox: '-9 -9 18 18', 'aria-hidden': 'true'}, mark(name));
    const label = h('label', {class: 'check'}, box, sign, this.catalog.paths[name]);
    const row = h('tr', {'data-path': name}, h('td', {}, label, weights), moves, loss, fate);
    return {row, box, moves, loss, fate, weights};
  }

  /** Show the state of an address. */
  follow(params) {
    this.params = params;
    if (!this.catalog) return;
    const problem = this.#find(params.get('problem'));
    const told = Object.fromEntries(problem.options.map(({name, kind, step}) =>
      [name, kind === 'number' ? asNumber(params.get(name), step) : params.get(name)]));
    const start = told.start = (params.get('start') ?? '').split(',').map((text) => asNumber(text));
    const near = start.length === 2 && start.every((value) => Math.abs(value) <= FAR);
    this.#settle(problem, told, near ? start : problem.start);
    const odd = Object.keys(told).filter((name) => params.get(name) && `${told[name]}` !== `${this.settings[name]}`);
    this.odd = odd.length ? `The link’s ${odd.join(', ')} cannot be, and is as usual. ` : '';
    const wished = params.get('paths')?.split(',') ?? PATHS;
    this.shown = PATHS.filter((name) => wished.includes(name));
    Object.assign(this, {aim: stepIn(params) ?? Infinity, went: this.player.at});
    this.key = null;
    this.#ask();
  }

  #find(name) {
    return this.catalog.problems.find((one) => one.name === name) ?? this.catalog.problems[0];
  }

  #settle(problem, told, start) {
    this.problem = problem;
    this.settings = {problem: problem.name, start, ...settingsFor(problem, told)};
    const {loss, rate} = this.settings;
    if (rate === 'line_search' && !this.catalog.smooth.includes(loss)) this.settings.rate = 'constant';
  }

  change({problem, ...patch}) {
    this.odd = '';
    if (problem) {
      this.#settle(this.#find(problem), {}, this.#find(problem).start);
    } else {
      const {start} = patch.loss ? this.problem : this.settings;
      this.#settle(this.problem, {...this.settings, ...patch}, patch.start ?? start);
      if (patch.start) this.surface.draw({...this.surface.told, start: patch.start});
    }
    this.#ask();
  }

  /** Ask for what the settings come to; of many questions in a row the last one counts. */
  async #ask() {
    const {settings, shown} = this;
    const key = [settings.problem, settings.loss, settings.alpha].join();
    this.#drawSettings();
    try {
      const [ground, run] = await Promise.all([
        key === this.key ? this.ground : wire.latest('descent ground', 'descent.ground', {settings}),
        wire.latest('descent run', 'descent.run', {settings, shown}),
      ]);
      if (ground && run && !this.left && settings === this.settings) this.#take(ground, run, key);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    if (error.cancelled || error.lost || this.left) return;
    put(this.text, h('span', {class: 'error', role: 'alert'}, error.message));
  }

  #take(ground, run, key) {
    for (const path of Object.values(run.paths)) {
      for (const what of ['points', 'losses']) path[what] = unpack(path[what], Float32Array);
      path.seen = unpack(path.seen, Int32Array);
    }
    const fresh = key !== this.key;
    Object.assign(this, {ground, run, key});
    put(this.text, this.odd && h('span', {class: 'error', role: 'alert'}, this.odd), run.text);
    this.text.classList.toggle('bad', this.shown.some((name) => run.paths[name].fate.tone === 'bad'));
    this.#drawSettings();
    if (fresh) this.surface.setView(ground.view);
    this.#restart();
  }

  #drawSettings() {
    const {settings, problem, ground} = this;
    this.problems.value = problem.name;
    put(this.note, problem.note);
    if (document.activeElement !== this.eta) this.eta.value = settings.eta;
    this.slider.value = Math.log10(settings.eta);
    set(this.slider, {'aria-valuetext': `η = ${number(settings.eta, 3)}`});
    const part = (Math.log10(ground?.limit ?? 0) - POWERS[0]) / (POWERS[1] - POWERS[0]);
    this.limit.hidden = !(part >= 0 && part <= 1);
    this.limit.style.left = `calc(8px + ${part} * (100% - 16px))`;
    const {eta, start, ...others} = settings;
    const told = JSON.stringify(others);
    if (told !== this.told) this.options.show({options: problem.options.filter(({name}) => name !== 'eta')}, settings);
    this.told = told;
  }

  /** Play the new paths from where one went on the old ones, even if some between ended before it. */
  async #restart() {
    const {player, player: {playing}, run: {paths}} = this;
    if (player.at !== this.went) this.aim = player.atEnd ? Infinity : player.at;
    const {by} = this.settings;
    this.total = Math.max(1, ...PATHS.map((name) => (by === 'move' ? paths[name].moves : paths[name].seen.at(-1))));
    this.quiet = true;
    player.start(this.went = 0);
    await player.need(this.total);
    this.quiet = false;
    player.go(this.went = Math.min(this.aim, this.total));
    if (playing && !player.atEnd) player.play();
  }

  async #heights(view, grid) {
    try {
      const found = await wire.latest('descent heights', 'descent.heights', {settings: this.settings, view, grid});
      if (!found || this.left) return;
      this.surface.paint({...found, values: unpack(found.heights, Float32Array), across: grid[0], up: grid[1]});
    } catch (error) {
      this.#fail(error);
    }
  }

  /** How many moves a path has made at a step. */
  #move({moves, seen}, k) {
    const next = this.settings.by === 'move' ? k + 1 : seen.findIndex((examples) => examples > k);
    return next < 0 ? moves : Math.min(next - 1, moves);
  }

  #show(k) {
    const {run: {paths}, run, shown, settings, ground, problem, total} = this;
    const at = each((name) => this.#move(paths[name], k));
    const weights = each((name) => [...paths[name].points.subarray(2 * at[name], 2 * at[name] + 2)]);
    const names = problem.weights;
    const words = `η = ${number(settings.eta, 3)}, ${settings.loss} loss`;
    this.surface[this.drawn === run ? 'show' : 'draw'](
      {paths, at, shown, start: settings.start, lowest: ground.lowest, names, titles: this.catalog.paths, words});
    this.drawn = run;
    this.losses.show({paths, at, k, shown, by: settings.by, total, bottom: ground.lowest && ground.bottom});
    this.data.show({problem, weights, shown});
    for (const name of PATHS) {
      const [{row, box, ...cells}, {moves, losses, fate}] = [this.rows[name], paths[name]];
      box.checked = shown.includes(name);
      row.classList.toggle('off', !box.checked);
      put(cells.moves, whole(at[name]));
      put(cells.loss, number(losses[at[name]], 3));
      const seen = weights[name].map((weight) => number(Math.abs(weight) < 1e-12 ? 0 : weight, 3));
      put(cells.weights, `${names[0]} ${seen[0]}  ${names[1]} ${seen[1]}`);
      put(cells.fate, at[name] === moves && h('span', {class: `badge ${fate.tone}`, title: fate.text}, fate.word));
    }
    set(this.place, {'data-step': k});
    this.#save();
  }

  #save() {
    const {player, shown, problem, settings} = this;
    const changed = (name, usual) => (String(settings[name]) === String(usual) ? '' : String(settings[name]));
    const told = problem.options.map((option) => [option.name, changed(option.name, option.default)]);
    write('descent', {problem: problem.name, ...Object.fromEntries(told), start: changed('start', problem.start),
      paths: shown.length < 3 ? shown.join() || 'none' : '', step: player.atEnd ? '' : player.at});
  }

  take() {
    const {settings, surface, run} = this;
    if (!run) return {};
    const ask = (what, told) => () => wire.call(`descent.${what}`, {settings, ...told});
    const code = ask('code', {shown: this.shown, step: this.player.at});
    return {name: `descent-${settings.problem}`, table: 'Paths, CSV', csv: ask('csv'), code, svg: () => {
      const picture = plainSvg(surface.svg);
      const {width, height, canvas} = surface;
      picture.firstChild.after(s('image', {width, height, href: canvas.toDataURL()}));
      return picture;
    }};
  }
}
