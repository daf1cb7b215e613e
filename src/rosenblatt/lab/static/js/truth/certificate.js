// Why there is no unit: rows of the table, what each asks of a unit, and that no unit can give it.

import {bitsOf} from './cube.js';
import {h} from '../dom.js';

export function drawCertificate({certificate, rows, n}, {row: chosen}, pick) {
  const dot = (output) => h('span', {class: `dot is-${output}`}, String(output));
  const line = (name, cells, told) => h('tr', told, cells.map((cell) => h(name, {}, cell)));
  const [least, less] = certificate.together;
  return [
    h('p', {id: 'truth-why'}, certificate.text),
    h('table', {class: 'plain mono', id: 'truth-proof'}, line('th', ['row', 'output', 'weight', 'asks of a unit']),
      certificate.rows.map(({row, output, weight, asks}) => line('td', [bitsOf(n, row), dot(output), weight, asks],
        {class: row === chosen && 'chosen', onclick: () => pick(row)}))),
    h('div', {class: 'clash stack', id: 'truth-clash'},
      h('p', {class: 'small'}, 'Each times its weight, added up for the rows with 1, then for those with 0:'),
      h('p', {class: 'mono'}, dot(1), least), h('p', {class: 'mono'}, dot(0), less),
      h('p', {}, h('strong', {}, 'Both cannot be.'), ' So no weights and no threshold do it.')),
    h('p', {class: 'soft small', id: 'truth-computed'}, `Row ${bitsOf(n, chosen)} ${rows[chosen].text}.`),
  ];
}
