// The bar under a plane: back, step, play, and where one is. Keys: → ← space Home End.

import {h, put, set, whole} from './dom.js';
import {SPEEDS} from './player.js';

const ICONS = {
  reset: 'M5 4v12M16 4 8 10l8 6z', back: 'M13 4 5 10l8 6z', step: 'M7 4l8 6-8 6z', play: 'M6 3.5v13l11-6.5z', pause: 'M6 4v12M14 4v12',
  end: 'M4 4l8 6-8 6zM15 4v12',
};

function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [key, value] of Object.entries({viewBox: '0 0 20 20', width: 18, height: 18, class: `icon-${name}`, 'aria-hidden': 'true'})) svg.setAttribute(key, value);
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

const speedText = (speed) => (speed === Infinity ? 'as fast as it goes' : `${speed} ${speed === 1 ? 'step' : 'steps'} a second`);

export class Transport {
  /** `stats(frame, player)` returns what is counted: [[id, words, value, exact value]…]. */
  constructor(player, stats = () => []) {
    this.player = player;
    this.stats = stats;
    const button = (id, words, act, name = '') => h('button', {class: `btn icon ${name}`, id: `go-${id}`, title: words, 'aria-label': words, type: 'button', onclick: act}, icon(id));
    this.buttons = {
      reset: button('reset', 'To the start (Home)', () => player.reset()),
      back: button('back', 'Step back (←)', () => player.back()),
      play: button('play', 'Play (space)', () => player.toggle(), 'primary'),
      step: button('step', 'Step (→)', () => player.step()),
      end: button('end', 'To the end (End)', () => player.toEnd()),
    };
    this.position = h('input', {type: 'range', id: 'position', min: 0, max: 0, value: 0, 'aria-label': 'Step shown', oninput: () => {
      player.pause();
      player.go(Number(this.position.value));
    }});
    this.speed = h('input', {type: 'range', id: 'speed', min: 0, max: SPEEDS.length - 1, value: SPEEDS.indexOf(player.speed), 'aria-label': 'Speed', oninput: () => this.#setSpeed()});
    this.speedName = h('span', {class: 'speed-name'});
    this.counts = h('div', {class: 'counts'});
    this.outputs = new Map();
    this.element = h('div', {class: 'transport', role: 'group', 'aria-label': 'Steps'},
      h('div', {class: 'way'}, this.position),
      h('div', {class: 'buttons'}, Object.values(this.buttons)),
      this.counts,
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
    const speed = SPEEDS[this.speed.value];
    this.player.speed = speed;
    put(this.speedName, speed === Infinity ? 'max' : `${speed}/s`);
    this.speed.setAttribute('aria-valuetext', speedText(speed));
    this.speed.title = speedText(speed);
  }

  #key(event) {
    this.byPointer = false;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const {target} = event;
    if (target.closest?.('input:not([type=checkbox]), select, textarea, [role=menu], .tabs')) return;
    const {player} = this;
    if (event.key === ' ' && target.closest?.('input, button, a, summary')) return;
    const act = {ArrowRight: () => player.step(), ArrowLeft: () => player.back(), ' ': () => player.toggle(), Home: () => player.reset(), End: () => player.toEnd()}[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  draw() {
    const {player, buttons, position} = this;
    const frame = player.frame(player.at);
    const busy = player.playing || player.running;
    if (this.busy !== busy) {
      this.busy = busy;
      put(buttons.play, icon(busy ? 'pause' : 'play'));
      set(buttons.play, {title: busy ? 'Pause (space)' : 'Play (space)', 'aria-label': busy ? 'Pause' : 'Play', 'aria-pressed': String(Boolean(busy))});
    }
    const still = !player.frames.length || (player.done && player.known === 0);
    for (const [name, off] of [['reset', player.at === 0], ['back', player.at === 0], ['step', still || player.atEnd], ['end', still || player.atEnd], ['play', still]]) {
      if (buttons[name].disabled !== off) buttons[name].disabled = off;
    }
    // Frames fetched ahead are not told yet, unless the end is known.
    set(position, {min: player.first, max: Math.max(player.done ? player.known : player.reached, 1), value: player.at, disabled: still});
    if (!frame) return;
    for (const [id, words, text, exact] of this.stats(frame, player)) {
      if (!this.outputs.has(id)) {
        const output = h('output', {id});
        this.outputs.set(id, output);
        this.counts.append(h('span', {class: 'count'}, h('span', {}, words), output));
      }
      const output = this.outputs.get(id);
      const told = String(exact ?? text);
      if (output.dataset.value === told) continue;
      output.dataset.value = told;
      put(output, typeof text === 'number' ? whole(text) : text);
    }
  }
}
