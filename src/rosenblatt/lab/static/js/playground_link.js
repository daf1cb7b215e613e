// The playground's state as the parameters of a link, and back. Numbers are written in full, so that a link shows the
// same to the last bit.

import {write} from './address.js';
import {CALM} from './plane.js';

const WAIT = 250;

const list = (values) => values.map((value) => value.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
const unlist = (text) => text.split(',').map((value) => decodeURIComponent(value));

let cached = {points: null, text: ''};

function pointsText(points) {
  if (cached.points !== points) cached = {points, text: points.map((p) => p.join(',')).join(';')};
  return cached.text;
}

/** Write the state as an object of texts; `learner` is the catalogue's entry. */
export function toLink(state, learner) {
  const own = state.preset === null;
  const settings = learner.options.filter((option) => state.settings[option.name] !== option.default)
    .map((option) => `${option.name}:${settingText(state.settings[option.name])}`);
  const shown = Object.keys(CALM).filter((name) => state.options[name]);
  return {
    preset: own ? null : state.preset,
    points: own ? pointsText(state.points) || 'none' : null,
    classes: own ? list(state.classes) : null,
    names: own ? list(state.names) : null,
    view: own || state.viewed ? state.view.join(',') : null,
    learner: state.learner,
    with: settings.join(','),
    step: state.step || null,
    show: shown.join() === Object.keys(CALM).filter((name) => CALM[name]).join() ? null : shown.join(',') || 'nothing',
    hold: state.keep ? null : 1,
  };
}

const settingText = (value) => (value === true ? 1 : value === false ? 0 : value === null ? 'auto' : encodeURIComponent(value));

/** Read what a link tells; what it does not tell is left out. Raises an error that says what is wrong. */
export function fromLink(params) {
  const told = {preset: params.get('preset'), learner: params.get('learner'), step: Number(params.get('step')) || 0, keep: !params.get('hold')};
  if (params.has('points')) {
    told.classes = params.has('classes') ? unlist(params.get('classes')) : ['-1', '+1'];
    told.names = params.has('names') ? unlist(params.get('names')).slice(0, 2) : ['x₁', 'x₂'];
    told.points = pointsOf(params.get('points'), told.classes.length);
  }
  const view = params.get('view')?.split(',').map(Number);
  if (view?.length === 4 && view.every(Number.isFinite) && view[1] > view[0] && view[3] > view[2]) told.view = view;
  if (params.has('show')) {
    const shown = params.get('show').split(',');
    told.options = Object.fromEntries(Object.keys(CALM).map((name) => [name, shown.includes(name)]));
  }
  told.with = Object.fromEntries((params.get('with') ?? '').split(',').filter(Boolean).map((pair) => pair.split(/:(.*)/s).slice(0, 2)));
  return told;
}

function pointsOf(text, classes) {
  if (text === 'none' || text === '') return [];
  return text.split(';').map((part, k) => {
    const point = part.split(',').map(Number);
    if (point.length !== 3 || !point.every(Number.isFinite) || !Number.isInteger(point[2]) || point[2] < 0 || point[2] >= classes) {
      throw new Error(`point ${k + 1} of the link, “${part.slice(0, 40)}”, is not x,y,class with a class from 0 to ${classes - 1}; take the link anew`);
    }
    return point;
  });
}

/** Return a learner's settings from the texts of a link. */
export function settingsFrom(learner, texts) {
  return Object.fromEntries(learner.options.map((option) => {
    const text = texts[option.name];
    if (text === undefined) return [option.name, option.default];
    if (option.kind === 'flag') return [option.name, text === '1'];
    if (option.kind === 'number') return [option.name, text === 'auto' ? null : Number(text)];
    return [option.name, decodeURIComponent(text)];
  }));
}

/** Keeps the address as it should be: `link()` tells its parameters, or nothing; `soon()` whether to write at once. */
export class Pen {
  constructor(screen, link, soon) {
    Object.assign(this, {screen, link, soon, timer: 0});
  }

  write() {
    this.timer ||= setTimeout(() => this.now(), WAIT);
    if (this.soon()) this.now();
  }

  /** Write what is still to be written. */
  now() {
    const told = this.timer && this.link();
    if (told) write(this.screen, told);
    this.stop();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}
