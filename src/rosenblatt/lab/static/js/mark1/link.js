// The Mark I in an address: its responses, the picture, the lessons, and how the retina sees.
//
// A lesson is written as "1:PICTURE", or "*12:0" for twelve passes whose first seed is 0; both may be followed by
// noise in per cent, the shift to the right and down, and for a picture the seed.

import {CELLS, pack} from './cells.js';

export const BLANK = pack(new Uint8Array(CELLS));
export const LIMITS = {responses: 10, letters: 12, lessons: 300, passes: 300};

/** The state of an address. */
export function stateOf(params) {
  const whole = (name, low, high) => Math.min(high, Math.max(low, Math.trunc(params.get(name)) || 0));
  const picture = params.get('p') ?? '';
  return {
    names: (params.get('r') ?? '×,○').split(','),
    picture: /^[\w-]{67}$/.test(picture) ? picture : BLANK,
    lessons: params.get('t')?.split(';').map(lessonOf) ?? [],
    noise: whole('noise', 0, 50), right: whole('x', -4, 4), down: whole('y', -4, 4), seed: whole('seed', 0, 1e9),
    chosen: whole('dials', 0, 9),
  };
}

export function addressOf({names, picture, lessons, noise, right, down, seed, chosen}) {
  return {r: names.join(','), p: picture === BLANK ? '' : picture, t: lessons.map(lessonText).join(';'),
    noise: noise || '', x: right || '', y: down || '', seed: seed || '', dials: chosen || ''};
}

/** How the retina sees, as the library is told: noise is a share there. */
export const viewOf = ({noise, right, down, seed}) => ({noise: noise / 100, right, down, seed});

function lessonText({label, picture, passes, noise, right, down, seed}) {
  const view = noise || right || down ? [Math.round(noise * 100), right, down] : [];
  return (passes ? [`*${passes}`, seed, ...view] : [label, picture, ...view, ...(view.length ? [seed] : [])]).join(':');
}

/** What makes no sense is left to the library, which refuses it. */
function lessonOf(text) {
  const [first, second, ...rest] = text.split(':');
  const [noise = 0, right = 0, down = 0, seed = 0] = rest.map(Number);
  const view = viewOf({noise, right, down, seed});
  return first.startsWith('*') ? {passes: Number(first.slice(1)), ...view, seed: Number(second)}
    : {label: Number(first), picture: second, ...view};
}

/** Add a pass to lessons; passes with the same view and seeds in a row are one lesson. */
export function addPass(lessons, view) {
  const last = lessons.at(-1);
  const next = last?.passes && {...view, passes: last.passes, seed: view.seed - last.passes};
  if (next && Object.keys(next).every((name) => next[name] === last[name])) last.passes += 1;
  else lessons.push({passes: 1, ...view});
}

/** Names and lessons without a response. */
export function without({names, lessons}, k) {
  return {names: names.toSpliced(k, 1), lessons: lessons.filter(({label}) => label !== k)
    .map((lesson) => lesson.label > k ? {...lesson, label: lesson.label - 1} : lesson)};
}
