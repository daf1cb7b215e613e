// The playground's state as the parameters of a link, and back. Numbers are written in full, so that a link shows the
// same to the last bit.

import {CALM} from '../plane/plane.js';

const list = (values) => values.map((value) => value.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
const unlist = (text) => text.split(',').map((value) => decodeURIComponent(value));
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
  const told = {preset: params.get('preset'), learner: params.get('learner'), step: Number(params.get('step')) || 0,
    keep: !params.get('hold')};
  if (params.has('points')) {
    told.classes = unlist(params.get('classes') ?? '-1,+1');
    told.names = unlist(params.get('names') ?? 'x₁,x₂').slice(0, 2);
    told.points = pointsOf(params.get('points'), told.classes.length);
  }
  const view = params.get('view')?.split(',').map(Number);
  if (view?.length === 4 && view.every(Number.isFinite) && view[1] > view[0] && view[3] > view[2]) told.view = view;
  const names = params.get('show')?.split(',');
  if (names) told.options = Object.fromEntries(Object.keys(CALM).map((name) => [name, names.includes(name)]));
  told.with = Object.fromEntries((params.get('with')
    ?? '').split(',').filter(Boolean).map((pair) => pair.split(/:(.*)/s)));
  return told;
}

function pointsOf(text, classes) {
  return text === 'none' || text === '' ? [] : text.split(';').map((part, k) => {
    const point = part.split(',').map(Number);
    if (point.length === 3 && point.every(Number.isFinite) && Number.isInteger(point[2]) && point[2] >= 0
      && point[2] < classes) return point;
    throw new Error(`point ${k + 1} of the link, “${part.slice(0, 40)}”, is not x,y,class with a class from 0 to `
      + `${classes - 1}; take the link anew`);
  });
}

/** Return a learner's settings from the texts of a link. */
export function settingsFrom(learner, texts) {
  const read = {flag: (text) => text === '1', number: Number, choice: decodeURIComponent};
  return Object.fromEntries(learner.options.map(({name, kind, default: usual}) => [name,
    texts[name] === undefined ? usual : read[kind](texts[name])]));
}
