// The bar under a plane: back, step, play, and where one is. Keys: → ← space Home End.

import {button} from './controls.js';
import {h, put, s, set, whole} from './dom.js';
import {SPEEDS} from './player.js';

const ICONS = {
  reset: 'M5 4v12M16 4 8 10l8 6z', back: 'M13 4 5 10l8 6z', step: 'M7 4l8 6-8 6z', play: 'M6 3.5v13l11-6.5z',
  pause: 'M6 4v12M14 4v12', end: 'M4 4l8 6-8 6zM15 4v12',
};
const icon = (name) => s('svg', {viewBox: '0 0 20 20', width: 18, height: 18, 'aria-hidden': 'true'},
  s('path', {d: ICONS[name]}));

export class Transport {
  /** `stats(frame, player)` returns what is counted: [[id, words, value, exact value]…]. */
  constructor(player, stats = () => []) {
    Object.assign(this, {player, stats, outputs: {}});
    const go = {reset: () => player.reset(), back: () => player.back(), play: () => player.toggle(),
      step: () => player.step(), end: () => player.toEnd()};
    this.keys = {Home: go.reset, ArrowLeft: go.back, ' ': go.play, ArrowRight: go.step, End: go.end};
    const words = {reset: 'To the start (Home)', back: 'Step back (←)', play: 'Play', step: 'Step (→)',
      end: 'To the end (End)'};
    this.buttons = Object.fromEntries(Object.keys(words).map((name) => [name,
      button(`go-${name}`, icon(name), words[name], go[name], `btn icon${name === 'play' ? ' primary' : ''}`)]));
    const range = (id, label, max, value, oninput) => h('input', {type: 'range', id, min: 0, max, value,
      'aria-label': label, oninput});
    this.position = range('position', 'Step shown', 0, 0, () => {
      player.pause();
      player.go(Number(this.position.value));
    });
    this.speed = range('speed', 'Speed', SPEEDS.length - 1, SPEEDS.indexOf(player.speed), () => this.#setSpeed());
    this.speedName = h('span');
    this.counts = h('div', {class: 'counts'});
    this.element = h('div', {class: 'transport', role: 'group', 'aria-label': 'Steps'},
      h('div', {class: 'way'}, this.position), h('div', {class: 'buttons'}, Object.values(this.buttons)), this.counts,
      h('label', {class: 'speed'}, this.speed, this.speedName));
    this.#setSpeed();
    player.on(() => this.draw());
    this.listeners = {
      keydown: (event) => this.#key(event),
      pointerdown: () => { this.byPointer = true; },
      // Who chose something by mouse goes on with the keys, which would change the choice.
      change: ({target}) => { if (this.byPointer && target.matches('select, input[type=range]')) target.blur(); },
    };
    for (const [name, act] of Object.entries(this.listeners)) window.addEventListener(name, act);
  }

  leave() {
    for (const [name, act] of Object.entries(this.listeners)) window.removeEventListener(name, act);
  }

  #setSpeed() {
    const speed = this.player.speed = SPEEDS[this.speed.value];
    put(this.speedName, speed === Infinity ? 'max' : `${speed}/s`);
    const words = speed === Infinity ? 'as fast as it goes' : `${speed} steps a second`;
    set(this.speed, {title: words, 'aria-valuetext': words});
  }

  #key(event) {
    this.byPointer = false;
    const {key, target} = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
      || document.querySelector('dialog[open]')) return;
    if (target.closest?.('input:not([type=checkbox]), select, textarea, [role=menu], .tabs')) return;
    if (!this.keys[key] || (key === ' ' && target.closest?.('input, button, a, summary'))) return;
    event.preventDefault();
    this.keys[key]();
  }

  draw() {
    const {player, buttons, position} = this;
    const frame = player.frame(player.at);
    const busy = Boolean(player.playing || player.running);
    if (this.busy !== busy) {
      this.busy = busy;
      const words = busy ? 'Pause' : 'Play';
      put(buttons.play, icon(busy ? 'pause' : 'play'));
      set(buttons.play, {title: `${words} (space)`, 'aria-label': words});
    }
    const still = !player.frames.length || (player.done && player.known === 0);
    const off = {reset: player.at === 0, back: player.at === 0, step: still || player.atEnd,
      end: still || player.atEnd, play: still};
    for (const name in off) if (buttons[name].disabled !== off[name]) buttons[name].disabled = off[name];
    // Frames fetched ahead are not told yet, unless the end is known.
    const max = Math.max(player.done ? player.known : player.reached, 1);
    set(position, {min: player.first, max, value: player.at, disabled: still});
    if (!frame || (player.running && !player.at)) return; // on its way from a start that is not shown
    for (const [id, words, value, exact = value] of this.stats(frame, player)) {
      if (!this.outputs[id]) {
        this.outputs[id] = h('output', {id});
        this.counts.append(h('span', {class: 'count'}, h('span', {}, words), this.outputs[id]));
      }
      const output = this.outputs[id];
      if (output.dataset.value === String(exact)) continue;
      output.dataset.value = exact;
      put(output, typeof value === 'number' ? whole(value) : value);
    }
  }
}
