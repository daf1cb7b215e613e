// The board of the Mark I: all that is seen of it. What people do is passed on to `act`, a Mark1.

import {SIDE} from './cells.js';
import {Dials} from './dials.js';
import {count, h, number, put, whole} from '../dom.js';
import {Lamps} from './lamps.js';
import {drawCurve} from './curve.js';
import {BLANK, LIMITS} from './link.js';
import {Retina} from './retina.js';

const AT_ONCE = 12; // passes of "train on all"
const slider = (id, title, min, max) => `<label class="field slide">
  <span class="row apart">${title}<output></output></span>
  <input type="range" id="${id}" min="${min}" max="${max}"></label>`;
const button = (id, text, kind = '') => `<button class="btn ${kind}" id="${id}">${text}</button>`;
const choice = (value, text, more = '') => `<button data-value="${value}" ${more}>${text}</button>`;
const pen = (n) => choice(n, '●', `aria-label="A pen ${count(n, 'cell')} wide"`);
const step = (n, text) => `<h2><span class="step">${n}</span>${text}</h2>`;
const MARKUP = `
<div class="row apart m1-top">
  <div class="segmented" id="presets">${choice('×,○', 'Two symbols')}${choice('left,right', 'Left or right')}
    ${choice('×,○,□,△', 'Four shapes')}${choice('0,1,2,3,4,5,6,7,8,9', 'Ten digits')}</div>
  <p class="soft small">1958: 400 photocells, and a motor-driven dial for every weight. It learns from its mistakes.</p>
</div>
<section class="panel m1-draw">
  <div class="row apart">${step(1, 'Draw')}
    <div class="row">${button('show', '', 'small')}<select id="which" aria-label="Which"></select></div></div>
  <div class="m1-retina" id="card"><p class="m1-hint" id="hint" aria-hidden="true"></p></div>
  <div class="row m1-tools"><div class="segmented" id="pens">${pen(1)}${pen(2)}${pen(3)}</div>
    ${button('erase', 'Erase')}${button('clear', 'Clear')}${button('invert', 'Invert')}</div>
  ${step(2, 'Say what it is')}
  <div class="m1-teach" id="teach"></div>
  <p class="m1-said" id="said" aria-live="polite"></p>
  <p class="error" id="fault" role="alert" hidden></p>
  <div class="m1-sliders">${slider('noise', 'Noise', 0, 50)}${slider('right', 'Shift →', -4, 4)}
    ${slider('down', 'Shift ↓', -4, 4)}
    <button class="btn small quiet icon" id="again" title="Other noise" aria-label="Other noise">↻</button></div>
</section>
<div class="m1-middle">
  <section class="panel m1-guess" id="guess">
    <div class="row apart">${step(3, 'See it guess')}${button('edit', '', 'small quiet')}</div></section>
  <section class="panel m1-train">
    <div class="row">${button('train', '', 'primary')}${button('pass', 'One pass')}${button('forget', 'Forget')}</div>
    <p class="soft small" id="all"></p><div class="stat" id="held"></div>
    <svg id="curve" viewBox="0 0 320 84" role="img"></svg></section>
</div>
<section class="panel m1-dials"><div class="row apart" id="title"></div><div class="m1-rack" id="rack"></div>
  <p class="m1-readout mono" id="readout" aria-live="polite"></p></section>`;

/** Say "a ×", "an 8", "left": a sign has an article, a word has none. */
export const called = (name) => [...name].length > 1 ? name : `${name === '8' ? 'an' : 'a'} ${name}`;

const signed = (w) => `${w > 0 ? '+' : ''}${number(w)}`;

/** Show which of some buttons is pressed. */
function press(group, value) {
  for (const one of group.children) one.ariaPressed = String(one.dataset.value === value);
}

export class Board {
  constructor(place, act) {
    place.innerHTML = MARKUP;
    for (const part of place.querySelectorAll('[id]')) this[part.id] = part;
    this.act = act;
    this.retina = new Retina(() => act.drawn());
    this.dials = new Dials((cell) => this.point(cell));
    this.lamps = new Lamps(act);
    this.card.prepend(this.retina.canvas);
    this.rack.append(this.dials.canvas);
    this.guess.append(this.lamps.element);
    this.sliders = [this.noise, this.right, this.down];
    for (const one of this.sliders) one.oninput = () => act.view(one.id, Number(one.value));
    for (const one of this.presets.children) one.onclick = () => act.preset(one.dataset.value);
    for (const one of this.pens.children) one.onclick = () => this.#pen(one.dataset.value);
    for (const [id, does] of Object.entries(this.#does())) this[id].onclick = does;
    this.#pen('2');
  }

  #does() {
    const {act, retina} = this;
    return {
      show: () => act.show(this.which.value), edit: () => act.edit(), forget: () => act.forget(),
      train: () => act.train(AT_ONCE), pass: () => act.train(1),
      again: () => act.view('seed', Number(this.again.value) + 1),
      erase: () => { this.erase.ariaPressed = retina.erasing = !retina.erasing; },
      clear: () => retina.put(retina.picture.map(() => 0)),
      invert: () => retina.put(retina.picture.map((lit) => 1 - lit)),
    };
  }

  #pen(size) {
    this.retina.size = Number(size);
    press(this.pens, size);
  }

  leave() {
    for (const part of [this.retina, this.dials, this.lamps]) part.leave();
  }

  /** Show how the retina sees, and which answer is known. */
  view(state, known) {
    for (const one of this.sliders) {
      one.value = state[one.id];
      put(one.parentElement.querySelector('output'), `${number(state[one.id])}${one.id === 'noise' ? ' %' : ''}`);
    }
    this.again.disabled = !state.noise;
    this.again.value = state.seed;
    this.hint.hidden = state.picture !== BLANK;
    [...this.teach.children].forEach((one, k) => one.classList.toggle('known', k === known));
  }

  /** Show the responses. */
  names({names, chosen}, editing) {
    const two = names.length === 2;
    press(this.presets, names.join(','));
    this.lamps.build(names, chosen, editing);
    put(this.edit, editing ? 'Done' : 'Edit');
    put(this.teach, names.map((name, k) => h('button', {class: 'btn', 'data-label': k, 'data-side': two ? k : 1,
      'aria-label': `This is ${called(name)}`, onclick: () => this.act.teach(k)}, h('i', {class: 'lamp'}),
    h('span', {}, two && `This is ${called(name).slice(0, -name.length)}`, h('b', {}, name)))));
    this.teach.dataset.count = names.length;
    put(this.hint, h('span', {}, `Draw ${two ? names.map(called).join(' or ') : 'one of them'} here`));
    const kept = this.which.value;
    put(this.which, ['any', ...names].map((name, k) => h('option', {value: k ? k - 1 : ''}, name)));
    this.which.value = kept < names.length ? kept : '';
    put(this.title, h('h2', {}, `The 400 dials${two ? '' : ` of ${names[chosen]}`}`),
      h('span', {class: 'm1-legend small'}, [two ? `speaks for ${names[0]}` : 'against it', two ? `for ${names[1]}` : 'for it']
        .map((text, k) => [h('i', {'data-side': k}), text])));
    this.thing = names.every((name) => /^\d$/.test(name)) ? 'digit' : 'picture';
    put(this.show, `Show a ${this.thing}`);
  }

  /** Show which buttons may be pressed: a machine that is being built or trained is not taught. */
  buttons({stocked, taught, curve}, lessons, opened, running) {
    const full = curve.length >= LIMITS.passes || lessons >= LIMITS.lessons;
    const all = [stocked && count(stocked, this.thing), taught && `${whole(taught)} you taught`].filter(Boolean);
    put(this.train, running ? 'Stop' : 'Train on all');
    this.train.disabled = !running && (!opened || full || !all.length);
    this.pass.disabled = running || this.train.disabled;
    this.forget.disabled = running || !lessons;
    for (const one of this.teach.children) one.disabled = running || !opened || full;
    this.show.hidden = this.which.hidden = !stocked;
    put(this.all, full ? 'That is all it can remember: let it forget.'
      : all.length ? `All: ${all.join(', and ')}` : 'Nothing to train on yet: draw, and say what it is.');
  }

  /** Show how many pictures that were held out are right. */
  score({right, held}, moved) {
    const told = `of ${whole(held)} held-out ${this.thing}s${moved ? ', with this noise and shift' : ' are right'}`;
    put(this.held, h('b', {}, held ? `${Math.round(100 * right / held)} %` : '–'),
      h('span', {}, held ? told : 'No pictures of these names are held out.'));
    Object.assign(this.held.dataset, {right, held});
  }

  /** Show what the machine says to what the retina sees. */
  sight(seen, sight) {
    this.retina.see(seen);
    this.dials.light(seen);
    this.lamps.light(sight);
    [...this.teach.children].forEach((one, k) => one.toggleAttribute('data-lit', k === sight.guess));
  }

  /** Turn the dials to a row of weights. */
  turn({weights, thresholds, curve}, shown) {
    this.dials.turn(weights[shown]);
    this.threshold = thresholds[shown];
    this.lamps.turn(weights);
    drawCurve(this.curve, curve);
    this.point(this.pointed ?? -1);
  }

  point(cell) {
    this.pointed = cell;
    put(this.readout, cell < 0 ? `threshold ${signed(this.threshold)} · a full turn is ±${this.dials.full}`
      : `row ${Math.floor(cell / SIDE) + 1}, column ${cell % SIDE + 1}: ${signed(this.dials.weights[cell])}`);
  }

  say(...text) {
    put(this.said, ...text);
    this.fail('');
  }

  fail(text) {
    this.fault.hidden = !text;
    put(this.fault, text && `${text[0].toUpperCase()}${text.slice(1)}.`);
  }
}
