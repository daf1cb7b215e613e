// Deck E's table: a row for each learner. The library tells the facts and what came out at the end.

import {unusual} from './link.js';
import {h, put, whole} from '../dom.js';

const RESULTS = ['mistakes', 'errors', 'passes'];

/** Draw the library's table. Cards know what earlier orders led to. */
export function drawTable(place, {rows, key}, cards) {
  const look = (name) => ({class: RESULTS.includes(name) ? 'num' : ''});
  const line = ({one, past}, j) => h('tr', {},
    h('th', {scope: 'row'}, one.learner.title, h('span', {class: 'unusual'}, unusual(one))),
    rows.map(({name, title, cells}) => h('td', {...look(name), 'data-fact': name, 'data-value': cells[j]},
      h('span', {class: 'words'}, title), told(name, cells, j, past))));
  put(place, h('table', {class: 'plain'}, h('caption', {}, key),
    h('thead', {}, h('tr', {}, h('th', {}, 'Learner'), rows.map(({name, title}) => h('th', look(name), title)))),
    h('tbody', {}, cards.map(line))));
}

function told(name, cells, j, past) {
  const value = cells[j];
  if (name === 'result') return h('span', {class: `badge ${value === 'can differ' ? 'warn' : 'good'}`}, value);
  if (!RESULTS.includes(name)) return value;
  const best = name === 'errors' && cells.every((other) => other === null || other >= value);
  const earlier = past.map(({results}) => results[name]).filter((one) => one !== null).slice(-4);
  return [h('span', {class: 'earlier', title: 'In earlier orders'}, earlier.map(whole).join(', ')),
    h('b', best ? {class: 'best', title: 'The fewest'} : {}, value === null ? '–' : whole(value))];
}
