// Truth tables: the outputs of a function, and its threshold unit or the certificate that there is none.

import {write} from '../address.js';
import {drawCertificate} from './certificate.js';
import {FRONT, Picture, bitsOf, text} from './cube.js';
import {h, put, s, set} from '../dom.js';
import {FunctionMap} from './functions.js';
import {drawUnit, minus} from './neuron.js';
import {wire} from '../wire.js';

const INPUTS = [2, 3, 4];
const AND = 1; // the number of AND, of however many inputs
const outputsOf = (n, number) => [...number.toString(2).padStart(2 ** n, '0')].map(Number);
const numberOf = (outputs) => parseInt(outputs.join(''), 2);

/** Read a state from an address; what is missing or makes no sense is as at the start. */
function stateOf(params) {
  const whole = (told, low, high, other) => {
    const value = /^-?\d{1,6}$/.test(told ?? '') ? Number(told) : other;
    return value >= low && value <= high ? value : other;
  };
  const n = whole(params.get('n'), 2, 4, 2);
  const last = 2 ** n - 1;
  const [yaw, pitch] = (params.get('turn') ?? '').split(',');
  return {
    n,
    outputs: outputsOf(n, whole(params.get('f'), 0, 2 ** (last + 1) - 1, AND)),
    row: whole(params.get('row'), 0, last, last),
    turn: [whole(yaw, -180, 180, FRONT[0]), whole(pitch, -90, 90, FRONT[1])],
  };
}

export function open(place, params) {
  let state = stateOf(params);
  let answer = null;
  let presets = [];
  let rows = [];

  const picture = new Picture({onPick: (row, again) => (again ? flip(row) : pick(row)), onTurn: (turn) => {
    state.turn = turn;
    save();
  }});
  const map = new FunctionMap(choose);
  const inputs = h('div', {class: 'segmented', role: 'group', 'aria-label': 'Number of inputs'},
    INPUTS.map((n) => h('button', {'data-n': n, onclick: () => n !== state.n && choose(n, AND)}, String(n))));
  const preset = h('select', {id: 'truth-preset', 'aria-label': 'A function by name', onchange: () => {
    const found = presets.find((one) => one.key === preset.value);
    if (found) choose(found.n, found.number);
  }});
  const table = h('div', {class: 'truth-table', id: 'truth-table', role: 'table', onkeydown: move});
  const verdict = h('section', {class: 'panel stack answer', id: 'truth-answer', 'aria-live': 'polite'});
  const caption = h('p', {class: 'soft small', id: 'truth-drawn'});
  const button = (name, onclick, told) => h('button', {class: 'btn small', onclick, ...told}, name);
  const tool = (name, outputs) => button(name, () => change(state.outputs.map(outputs)));
  const front = button('Turn back', () => picture.turnTo(FRONT), {id: 'truth-front'});

  put(place,
    h('section', {class: 'panel stack ask'},
      h('div', {class: 'row apart'}, h('h2', {}, 'Inputs'), inputs), preset, table,
      h('div', {class: 'four'}, tool('All 0', () => 0), tool('All 1', () => 1), tool('Invert', (output) => 1 - output),
        tool('Random', () => Number(Math.random() < 0.5)))),
    verdict,
    h('section', {class: 'panel look'}, picture.element, caption, front),
    map.element);

  function save() {
    const {n, outputs, row, turn} = state;
    front.hidden = n === 2 || String(turn) === String(FRONT);
    write('truth', {n, f: numberOf(outputs), row: row === 2 ** n - 1 ? null : row, turn: front.hidden ? null : turn});
  }

  function choose(n, number) {
    if (n !== state.n) state = {...state, n, row: 2 ** n - 1};
    change(outputsOf(n, number));
  }

  function change(outputs) {
    state.outputs = outputs;
    save();
    drawTable();
    map.point(state.n, numberOf(outputs));
    solve();
  }

  function flip(row) {
    state.row = row;
    change(state.outputs.map((output, k) => (k === row ? 1 - output : output)));
  }

  function pick(row) {
    state.row = row;
    save();
    drawTable();
    drawAnswer();
  }

  /** Arrows go from row to row; space and enter flip, as with any button. */
  function move(event) {
    const last = rows.length - 1;
    const row = {ArrowDown: state.row + 1, ArrowUp: state.row - 1, Home: 0, End: last}[event.key];
    if (row === undefined) return;
    event.preventDefault();
    pick(Math.min(Math.max(row, 0), last));
    rows[state.row].button.focus();
  }

  async function solve() {
    const {outputs} = state;
    try {
      const found = await wire.latest('truth', 'truth.solve', {outputs});
      if (!found || outputs !== state.outputs) return;
      answer = found;
      drawTable();
      drawAnswer();
    } catch (error) {
      if (!error.cancelled) put(verdict, h('p', {class: 'error'}, error.message));
    }
  }

  /** What is known of the function shown; null while it is computed. */
  const known = () => (answer?.n === state.n && answer.number === numberOf(state.outputs) ? answer : null);

  /** Draw the outputs at once, and sums or weights as soon as they are known. */
  function drawTable() {
    const {n, outputs} = state;
    const found = known();
    const weights = new Map(found?.certificate?.rows.map((one) => [one.row, one.weight]));
    if (table.dataset.n !== String(n)) makeRows(n);
    put(table.querySelector('.head :last-child'), found?.certificate ? 'weight' : 'w·x');
    rows.forEach(({line, button, last}, row) => {
      line.classList.toggle('chosen', row === state.row);
      line.classList.toggle('proof', weights.has(row));
      set(button, {'aria-pressed': String(outputs[row] === 1), tabindex: row === state.row ? 0 : -1,
        'aria-label': `Output for ${[...bitsOf(n, row)].join(' ')}: ${outputs[row]}`});
      put(button, String(outputs[row]));
      put(last, found?.unit ? minus(found.rows[row].sum) : weights.get(row));
    });
    for (const button of inputs.children) set(button, {'aria-pressed': String(button.dataset.n === String(n))});
    preset.value = presets.find((one) => one.n === n && one.number === numberOf(outputs))?.key ?? '';
  }

  function makeRows(n) {
    const cells = (texts, role) => texts.map((content) => h('span', {role}, content));
    rows = outputsOf(n, 0).map((_, row) => {
      const button = h('button', {class: 'output', onclick: () => flip(row)});
      const last = h('span', {role: 'cell'});
      const line = h('div', {role: 'row', class: 'line', 'data-row': row,
        onclick: ({target}) => target !== button && pick(row)}, cells([...bitsOf(n, row), button], 'cell'), last);
      return {line, button, last};
    });
    table.dataset.n = n;
    const heads = cells([...['x1', 'x2', 'x3', 'x4'].slice(0, n), 'out', ''], 'columnheader');
    put(table, h('div', {role: 'row', class: 'line head'}, heads), rows.map(({line}) => line));
  }

  function drawAnswer() {
    if (!known()) return;
    const {unit, certificate, title, logic, threshold, n} = answer;
    picture.show(answer, state);
    put(caption, answer.caption);
    const badge = threshold ? h('span', {class: 'badge good'}, '✓ Threshold function')
      : h('span', {class: 'badge bad'}, '✗ No threshold function');
    put(verdict,
      h('div', {class: 'row apart'}, badge, h('span', {class: 'soft small mono'}, `f = ${state.outputs.join('')}`)),
      h('h1', {id: 'truth-title'}, title), logic && logic !== title && h('p', {class: 'soft'}, logic),
      certificate ? drawCertificate(answer, state, pick) : [
        h('p', {class: 'formula mono', id: 'truth-formula', 'data-n': n}, unit.formula),
        h('p', {class: 'soft', id: 'truth-sign'}, h('code', {}, unit.sign), n < 4 && ', where sign(0) = +1'),
        unit.words && h('p', {}, unit.words), drawUnit(answer, state)]);
  }

  async function ready() {
    change(state.outputs);
    // A lost lab says so itself, and comes back.
    ({presets} = await wire.call('truth.catalog').catch(() => ({presets})));
    const group = (n) => h('optgroup', {label: `${n} inputs`},
      presets.filter((one) => one.n === n).map((one) => h('option', {value: one.key}, one.title)));
    put(preset, h('option', {value: ''}, 'Choose a function …'), INPUTS.map(group));
    drawTable();
  }

  /** The picture and the unit beside each other, laid aside for as long as it takes to write them. */
  function svg() {
    let [width, height] = [0, 0];
    const parts = [picture.element, verdict.querySelector('svg')].filter(Boolean).map((source) => {
      const box = source.viewBox.baseVal;
      const part = set(source.cloneNode(true), {x: width, y: 44, width: box.width, height: box.height});
      [width, height] = [width + box.width, Math.max(height, box.height)];
      return part;
    });
    const viewBox = `0 0 ${width} ${height + 44}`;
    const both = s('svg', {class: 'truth-taken', viewBox}, text(20, 30, answer.summary), parts);
    place.append(both);
    setTimeout(() => both.remove());
    return both;
  }

  const off = wire.on('ready', ready);
  save();
  drawTable();
  if (wire.ready) ready();
  return {
    leave() {
      off();
      map.leave();
    },
    follow(told) {
      state = stateOf(told);
      change(state.outputs);
    },
    take() {
      const {n, outputs} = state;
      const ask = (what) => () => wire.call(`truth.${what}`, {outputs});
      return {name: `truth-${n}-${numberOf(outputs)}`, svg: known() && svg, csv: ask('csv'), code: ask('code')};
    },
  };
}
