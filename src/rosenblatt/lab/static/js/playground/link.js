// The playground's state as the parameters of a link, and back. Numbers are written in full, so that a link shows the
// same to the last bit.

import {asNumber, stepIn} from '../address.js';
import {whole} from '../dom.js';
import {CALM} from '../plane/plane.js';

const list = (values) => values.map((value) => value.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
const FAR = 1e9;
const plain = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // it was cut off
  }
};
const unlist = (text) => text.split(',').map(plain);
const limit = (n, most, what) => {
  if (n > most) throw new Error(`the link has ${whole(n)} ${what}, and the lab takes up to ${whole(most)}`);
};
const shown = (options) => Object.keys(CALM).filter((name) => options[name]).join();

let cached = {};

function pointsText(points) {
  if (cached.points !== points) cached = {points, text: points.map((p) => p.join(',')).join(';')};
  return cached.text;
}

/** Write the state as an object of texts; `learner` is the catalogue's entry. */
export function toLink(state, learner) {
  const own = state.preset === null && {
    points: pointsText(state.points) || 'none', classes: list(state.classes), names: list(state.names),
  };
  const texts = {true: 1, false: 0};
  return {
    preset: state.preset, ...own, view: own || state.viewed ? state.view.join(',') : null, learner: learner.name,
    with: learner.options.filter(({name, default: usual}) => state.settings[name] !== usual)
      .map(({name}) => `${name}:${texts[state.settings[name]] ?? encodeURIComponent(state.settings[name])}`).join(','),
    step: state.step || null, show: shown(state.options) === shown(CALM) ? null : shown(state.options) || 'nothing',
      hold: state.keep ? null : 1,
  };
}

/** Read what a link tells; what it does not tell is left out. Raises an error that says what is wrong. */
export function fromLink(params) {
  const told = {preset: params.get('preset'), learner: params.get('learner'), step: stepIn(params) ?? 0,
    keep: !params.get('hold')};
  if (params.has('points')) {
    told.classes = unlist(params.get('classes') ?? '-1,+1');
    const names = unlist(params.get('names') ?? '');
    told.names = ['x₁', 'x₂'].map((name, k) => names[k] || name);
    limit(told.classes.length, 6, 'classes');
    for (const name of [...told.classes, ...told.names]) limit(name.length, 60, 'letters in a name');
    told.points = pointsOf(params.get('points'), told.classes.length);
  }
  const view = params.get('view')?.split(',').map(Number);
  const wide = (low, high) => high - low > 1e-9 * Math.max(-low, high, 1e-9); // there are numbers between them
  if (view?.length === 4 && wide(view[0], view[1]) && wide(view[2], view[3])
    && view.every((edge) => Math.abs(edge) <= 10 * FAR)) told.view = view;
  else if (view) throw new Error('the view of the link is not left,right,bottom,top; take the link anew');
  const names = params.get('show')?.split(',');
  if (names) told.options = Object.fromEntries(Object.keys(CALM).map((name) => [name, names.includes(name)]));
  told.with = Object.fromEntries((params.get('with')
    ?? '').split(',').filter(Boolean).map((pair) => pair.split(/:(.*)/s)));
  return told;
}

function pointsOf(text, classes) {
  const parts = text === 'none' || text === '' ? [] : text.split(';');
  limit(parts.length, 5_000, 'points');
  return parts.map((part, k) => {
    const point = part.split(',').map(Number);
    if (point.length === 3 && point.every((value) => Math.abs(value) <= FAR) && Number.isInteger(point[2])
      && point[2] >= 0 && point[2] < classes) return point;
    throw new Error(`point ${k + 1} of the link, “${part.slice(0, 40)}”, is not x,y,class with a class from 0 to `
      + `${classes - 1}; take the link anew`);
  });
}

/** Return a learner's settings from the texts of a link. */
export function settingsFrom(learner, texts) {
  const read = {flag: (text) => text === '1', number: asNumber, choice: plain};
  return Object.fromEntries(learner.options.map(({name, kind, step, default: usual}) => [name,
    texts[name] === undefined ? usual : read[kind](texts[name], step)]));
}
