// "Compare" as the parameters of a link: the playground's, with learners=centroid;perceptron,order:shuffled,seed:3

import {matters, settingsFor} from '../controls.js';
import {CALM} from '../plane/plane.js';
import {fromLink, settingsFrom, toLink} from '../playground/link.js';

const FIRST = 'centroid;perceptron;kernel';
const NEXT = `${FIRST};logistic;averaged;svm`.split(';');

/** The playground's parameters for one of the learners. */
export const toPlayground = (state, {learner, settings}, step) =>
  toLink({...state, learner: learner.name, settings, step, options: CALM, keep: true}, learner);

export function toCompare(state, ones, step) {
  const each = ones.map((one) => toPlayground(state, one, step));
  const text = each.map((one) => [one.learner, one.with].filter(Boolean).join(',')).join(';');
  return {...each[0], learner: null, with: null, learners: text === FIRST ? null : text};
}

/** Read the learners of a link, or the one of a playground's link with others to compare it with. */
export function learnersOf(params, learners) {
  const own = params.get('learner');
  const texts = own ? [`${own},${params.get('with') ?? ''}`] : (params.get('learners') ?? FIRST).split(';').slice(0, 4);
  const found = texts.flatMap((text) => {
    const [name, ...rest] = text.split(',');
    const learner = learners.find((one) => one.name === name);
    const {with: told} = fromLink(new URLSearchParams({with: rest.join(',')}));
    return learner ? [{learner, settings: settingsFor(learner, settingsFrom(learner, told))}] : [];
  });
  return fillUp(found, own ? 3 : 2, learners);
}

/** Add learners that are not there yet, until there are so many. */
export function fillUp(ones, many, learners) {
  const names = NEXT.filter((name) => !ones.some((one) => one.learner.name === name));
  return [...ones, ...names.slice(0, Math.max(0, many - ones.length)).map((name) => {
    const learner = learners.find((one) => one.name === name);
    return {learner, settings: settingsFor(learner)};
  })];
}

/** Say which settings are not the usual ones. */
export function unusual({learner, settings}) {
  const set = learner.options.filter((option) => settings[option.name] !== option.default && matters(option, settings));
  return set.map(({name, title, choices}) => {
    const value = settings[name];
    if (typeof value === 'boolean') return value ? title : `no ${title}`;
    const text = choices?.find(([one]) => one === value)[1] ?? String(value);
    return text.includes(' ') ? text : `${title} ${text}`; // several words tell enough
  }).join(', ');
}
