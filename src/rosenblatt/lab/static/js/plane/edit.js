// Editing the points of a plane, by mouse, finger and keyboard. It changes nothing itself: it tells what is wanted.

import {h, number, put, s} from '../dom.js';
import {distance, niceStep, roundTo} from '../geometry.js';
import {named} from './dots.js';

const NEAR = {mouse: 11, pen: 14, touch: 22};
const LONG = 550; // milliseconds of a long press
const TWICE = 350;
const OUT = 18; // pixels outside of the plot where letting go removes a point
const ARROWS = {arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, 1], arrowdown: [0, -1]};
const CROSS = 'M-12 0H-4M4 0H12M0 -12V-4M0 4V12';
const written = (place, digits) => place.map((v) => number(v, digits)).join(', ');

export class Editor {
  constructor(plane) {
    // The cursor is where the keyboard is, in the plane's coordinates.
    Object.assign(this, {plane, picked: -1, drag: null, lastTap: {}, cursor: null});
    this.readout = h('output', {class: 'readout', 'aria-hidden': 'true'});
    this.voice = h('div', {class: 'voice', role: 'status', 'aria-live': 'polite'});
    this.help = h('div', {class: 'keys', hidden: true},
      'Arrows move · Enter adds · N, P next, previous point · Delete removes · C class · Esc leaves');
    plane.element.append(this.readout, this.help, this.voice);
    const listeners = {
      pointerdown: (event) => this.#down(event), pointermove: (event) => this.#move(event), pointerup: () => this.#up(),
      pointercancel: () => this.#cancel(), pointerleave: () => put(this.readout),
      contextmenu: (event) => event.preventDefault(),
      keydown: (event) => this.#key(event), focus: () => this.#focus(), blur: () => this.#blur(),
    };
    for (const [name, act] of Object.entries(listeners)) plane.front.addEventListener(name, act);
    // A finger on a point moves the point; elsewhere it may scroll the page.
    plane.front.addEventListener('touchstart', (event) => {
      if (event.touches.length === 1 && this.hit(this.#place(event.touches[0]), 'touch') >= 0) event.preventDefault();
    }, {passive: false});
  }

  leave() {
    clearTimeout(this.timer);
  }

  get list() {
    return this.plane.told.points;
  }

  /** Return the point nearest to a place in pixels, or −1 if none is near. */
  hit([x, y], kind = 'mouse') {
    let [best, least] = [-1, (NEAR[kind] ?? NEAR.mouse) ** 2];
    this.list.forEach((p, i) => {
      const far = (this.plane.X(p[0]) - x) ** 2 + (this.plane.Y(p[1]) - y) ** 2;
      if (far <= least) [best, least] = [i, far];
    });
    return best;
  }

  pick(i) {
    this.picked = i < this.list.length ? i : -1;
    this.plane.tell('pick', {i: this.picked});
    this.draw();
  }

  #place({clientX, clientY}) {
    const {left, top} = this.plane.front.getBoundingClientRect();
    return [clientX - left - this.plane.plot.left, clientY - top - this.plane.plot.top];
  }

  /** Return a place in the plane, rounded to what a pixel can tell. */
  #rounded(place) {
    const [x, y] = this.plane.from(place);
    const [x0, x1, y0, y1] = this.plane.view;
    return [roundTo(x, x1 - x0), roundTo(y, y1 - y0)];
  }

  #outside([x, y], by = 0) {
    const {width, height} = this.plane.plot;
    return x < -by || y < -by || x > width + by || y > height + by;
  }

  #down(event) {
    this.menu?.remove();
    if (!event.isPrimary || event.button === 1 || event.button > 2) return;
    const [place, kind] = [this.#place(event), event.pointerType];
    const i = this.hit(place, kind);
    // The mouse does not take the keyboard here: arrow keys go on stepping.
    if (document.activeElement !== this.plane.front) event.preventDefault();
    if (i < 0 && this.#outside(place)) return;
    this.drag = {i, place, kind, other: event.shiftKey || event.button === 2};
    this.plane.front.setPointerCapture(event.pointerId);
    if (i >= 0 && kind !== 'mouse') this.timer = setTimeout(() => this.#openMenu(i), LONG);
  }

  #move(event) {
    const {drag, plane} = this;
    const place = this.#place(event);
    const held = drag?.i >= 0;
    if (held && !drag.moved && distance(place, drag.place) < (drag.kind === 'touch' ? 8 : 4)) return;
    if (held && !drag.moved) {
      clearTimeout(this.timer);
      drag.moved = true;
      plane.points.lifted = drag.i;
      this.pick(drag.i);
    }
    const out = this.#outside(place, held ? OUT : 0);
    plane.front.style.cursor = held ? 'grabbing' : this.hit(place) >= 0 ? 'grab' : out ? 'default' : 'crosshair';
    plane.element.classList.toggle('dropping', held && out);
    const [x, y] = this.#rounded(place);
    put(this.readout, !out ? `(${written([x, y], 6)})` : held ? 'let go to remove' : '');
    if (!held) return;
    drag.out = out;
    plane.tell('move', {i: drag.i, x, y});
  }

  /** Let go of what is held; return it. */
  #release() {
    clearTimeout(this.timer);
    const {drag, plane} = this;
    this.drag = null;
    plane.points.lifted = -1;
    plane.element.classList.remove('dropping');
    plane.front.style.cursor = '';
    return drag;
  }

  #up() {
    const drag = this.#release();
    if (drag?.moved) {
      this.plane.tell(drag.out ? 'remove' : 'drop', {i: drag.i});
      this.plane.show({points: [...this.list]});
    } else if (drag) this.#tap(drag);
  }

  #cancel() {
    const drag = this.#release();
    if (drag?.moved) this.plane.tell('drop', {i: drag.i});
  }

  #tap({i, place, other}) {
    const now = performance.now();
    const twice = i >= 0 && this.lastTap.i === i && now - this.lastTap.time < TWICE;
    this.lastTap = {i, time: now};
    if (i < 0) {
      const [x, y] = this.#rounded(place);
      this.plane.tell('add', {x, y, other});
      this.pick(this.list.length - 1);
    } else if (twice) this.#remove(i);
    else if (other) this.plane.tell('flip', {i});
    else this.pick(i);
  }

  #remove(i) {
    this.plane.tell('remove', {i});
    this.pick(-1);
  }

  /** Remove the point that is picked; say whether there was one. */
  removePicked() {
    const {picked} = this;
    if (picked >= 0) this.#remove(picked);
    return picked >= 0;
  }

  #openMenu(i) {
    this.#release();
    this.pick(i);
    const item = (text, act) => h('button', {type: 'button', onclick: () => {
      this.menu.remove();
      act();
    }}, text);
    const flip = (name, c) => item(`Class ${named(name)}`, () => this.plane.tell('flip', {i, c}));
    this.menu = h('div', {class: 'menu point-menu', role: 'menu'}, this.plane.told.classes.map(flip),
      item('Remove', () => this.#remove(i)));
    const [x, y] = this.plane.at(this.list[i]);
    const [left, top] = [Math.min(x, this.plane.plot.width - 140), Math.max(y - 40, 0)];
    Object.assign(this.menu.style, {left: `${left}px`, top: `${top}px`});
    this.plane.element.append(this.menu);
  }

  #focus() {
    const {plane} = this;
    if (!plane.front.matches(':focus-visible')) return;
    this.help.hidden = false;
    this.cursor ??= this.list[this.picked]?.slice(0, 2) ?? this.#rounded([plane.plot.width / 2, plane.plot.height / 2]);
    this.draw();
  }

  #blur() {
    this.help.hidden = true;
    this.cursor = null;
    this.draw();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.cursor) return;
    const key = event.key.toLowerCase();
    if (ARROWS[key]) this.#nudge(ARROWS[key], event.shiftKey);
    else if (key === 'enter') this.plane.tell('add', {x: this.cursor[0], y: this.cursor[1], other: event.shiftKey});
    else if (key === 'n' || key === 'p') this.#walk(key === 'n' ? 1 : -1);
    else if (key === 'delete' || key === 'backspace') put(this.voice, this.removePicked() ? 'removed' : 'no point');
    else if (key === 'c' && this.picked >= 0) this.plane.tell('flip', {i: this.picked});
    else if (key !== 'escape') return;
    else if (this.picked >= 0) this.pick(-1);
    else this.plane.front.blur();
    event.preventDefault();
    event.stopPropagation();
  }

  #nudge(way, far) {
    const [x0, x1, y0, y1] = this.plane.view;
    const ranges = [[x0, x1], [y0, y1]];
    this.cursor = this.cursor.map((v, k) => {
      const [lo, hi] = ranges[k];
      const next = v + (way[k] * niceStep(hi - lo, 12)) / (far ? 1 : 10);
      return Math.min(Math.max(Number(next.toPrecision(12)), lo), hi);
    });
    if (this.picked >= 0) {
      this.plane.tell('move', {i: this.picked, x: this.cursor[0], y: this.cursor[1]});
      this.plane.tell('drop', {i: this.picked});
    }
    put(this.voice, written(this.cursor));
    this.draw();
  }

  #walk(step) {
    const n = this.list.length;
    if (!n) return;
    const i = this.picked < 0 && step < 0 ? n - 1 : (this.picked + step + n) % n;
    const [x, y, c] = this.list[i];
    this.cursor = [x, y];
    this.pick(i);
    put(this.voice, `point ${i + 1} of ${n}, class ${this.plane.told.classes[c]}, at ${written(this.cursor)}`);
  }

  /** Draw the ring about the point that is picked, and the keyboard's cross. */
  draw() {
    const {plane, cursor} = this;
    const p = this.list[this.picked];
    put(plane.hands,
      p && s('circle', {class: 'picked', cx: plane.X(p[0]), cy: plane.Y(p[1]), r: plane.points.radius + 5}),
      cursor && s('path', {class: 'cross', d: CROSS, transform: `translate(${plane.at(cursor).join(' ')})`}));
  }
}
