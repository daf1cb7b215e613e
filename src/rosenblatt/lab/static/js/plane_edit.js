// Editing the points of a plane, by mouse, finger and keyboard. It changes nothing itself: it tells what is wanted.

import {h, number, s, put} from './dom.js';
import {niceStep, roundTo} from './geometry.js';

const NEAR = {mouse: 11, pen: 14, touch: 22};
const LONG = 550; // milliseconds of a long press
const TWICE = 350;
const OUT = 18; // pixels outside of the plot where letting go removes a point
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

export class Editor {
  constructor(plane) {
    this.plane = plane;
    this.picked = -1;
    this.drag = null;
    this.lastTap = {i: -1, time: 0};
    this.cursor = null; // where the keyboard is, in the plane's coordinates
    this.readout = h('output', {class: 'readout', 'aria-hidden': 'true'});
    this.voice = h('div', {class: 'voice', role: 'status', 'aria-live': 'polite'});
    this.help = h('div', {class: 'keys', hidden: true}, 'Arrows move · Enter adds · N, P next, previous point · Delete removes · C class · Esc leaves');
    plane.element.append(this.readout, this.help, this.voice);
    const {front} = plane;
    front.addEventListener('pointerdown', (event) => this.#down(event));
    front.addEventListener('pointermove', (event) => this.#move(event));
    front.addEventListener('pointerup', (event) => this.#up(event));
    front.addEventListener('pointercancel', () => this.#cancel());
    front.addEventListener('pointerleave', () => put(this.readout));
    front.addEventListener('contextmenu', (event) => event.preventDefault());
    front.addEventListener('keydown', (event) => this.#key(event));
    front.addEventListener('focus', () => this.#focus());
    front.addEventListener('blur', () => this.#blur());
    // A finger on a point moves the point; elsewhere it may scroll the page.
    front.addEventListener('touchstart', (event) => {
      if (event.touches.length === 1 && this.hit(this.#place(event.touches[0]), 'touch') >= 0) event.preventDefault();
    }, {passive: false});
  }

  leave() {
    clearTimeout(this.timer);
    this.menu?.remove();
  }

  get list() {
    return this.plane.told.points;
  }

  /** Return the point nearest to a place in pixels, or −1 if none is near. */
  hit([x, y], kind = 'mouse') {
    let best = -1;
    let least = (NEAR[kind] ?? NEAR.mouse) ** 2;
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
    const box = this.plane.front.getBoundingClientRect();
    return [clientX - box.left - this.plane.plot.left, clientY - box.top - this.plane.plot.top];
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
    this.#closeMenu();
    if (!event.isPrimary || event.button > 2 || event.button === 1) return;
    const place = this.#place(event);
    const i = this.hit(place, event.pointerType);
    // The mouse does not take the keyboard here: arrow keys go on stepping.
    if (document.activeElement !== this.plane.front) event.preventDefault();
    if (i < 0 && this.#outside(place)) return;
    this.drag = {i, place, other: event.shiftKey || event.button === 2, kind: event.pointerType, moved: false, out: false};
    this.plane.front.setPointerCapture(event.pointerId);
    if (i >= 0 && event.pointerType !== 'mouse') this.timer = setTimeout(() => this.#openMenu(i), LONG);
  }

  #move(event) {
    const place = this.#place(event);
    const {drag} = this;
    if (!drag || drag.i < 0) {
      this.plane.front.style.cursor = this.hit(place) >= 0 ? 'grab' : this.#outside(place) ? 'default' : 'crosshair';
      this.#tellPlace(place);
      return;
    }
    if (!drag.moved && Math.hypot(place[0] - drag.place[0], place[1] - drag.place[1]) < (drag.kind === 'touch' ? 8 : 4)) return;
    clearTimeout(this.timer);
    if (!drag.moved) {
      drag.moved = true;
      this.plane.points.lifted = drag.i;
      this.pick(drag.i);
    }
    this.plane.front.style.cursor = 'grabbing';
    drag.out = this.#outside(place, OUT);
    this.plane.element.classList.toggle('dropping', drag.out);
    const [x, y] = this.#rounded(place);
    this.#tellPlace(place);
    this.plane.tell('move', {i: drag.i, x, y});
  }

  #tellPlace(place) {
    put(this.readout, this.#outside(place) ? (this.drag?.out ? 'let go to remove' : '') : `(${this.#rounded(place).map((v) => number(v, 6)).join(', ')})`);
  }

  #up(event) {
    clearTimeout(this.timer);
    const {drag} = this;
    this.drag = null;
    if (!drag) return;
    this.plane.points.lifted = -1;
    this.plane.element.classList.remove('dropping');
    this.plane.front.style.cursor = '';
    if (drag.moved) {
      this.plane.tell(drag.out ? 'remove' : 'drop', {i: drag.i});
      this.plane.show({points: [...this.list]});
      return;
    }
    if (event.type === 'pointercancel') return;
    this.#tap(drag);
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

  #cancel() {
    clearTimeout(this.timer);
    if (this.drag?.moved) this.plane.tell('drop', {i: this.drag.i});
    this.drag = null;
    this.plane.points.lifted = -1;
    this.plane.element.classList.remove('dropping');
  }

  #remove(i) {
    this.plane.tell('remove', {i});
    this.pick(-1);
  }

  /** Remove the point that is picked; say whether there was one. */
  removePicked() {
    if (this.picked < 0) return false;
    this.#remove(this.picked);
    return true;
  }

  #openMenu(i) {
    this.drag = null;
    this.pick(i);
    const [x, y] = this.plane.at(this.list[i]);
    const item = (text, act) => h('button', {type: 'button', onclick: () => {
      this.#closeMenu();
      act();
    }}, text);
    this.menu = h('div', {class: 'menu point-menu', role: 'menu'},
      ...this.plane.told.classes.map((name, c) => item(`Class ${name.replace(/^-(?=\d)/, '−')}`, () => this.plane.tell('flip', {i, c}))),
      item('Remove', () => this.#remove(i)));
    this.menu.style.left = `${Math.min(x, this.plane.plot.width - 140)}px`;
    this.menu.style.top = `${Math.max(y - 40, 0)}px`;
    this.plane.element.append(this.menu);
  }

  #closeMenu() {
    this.menu?.remove();
    this.menu = null;
  }

  #focus() {
    if (!this.plane.front.matches(':focus-visible')) return;
    this.help.hidden = false;
    const [x0, x1, y0, y1] = this.plane.view;
    this.cursor ??= this.list[this.picked]?.slice(0, 2) ?? [roundTo((x0 + x1) / 2, x1 - x0), roundTo((y0 + y1) / 2, y1 - y0)];
    this.draw();
  }

  #blur() {
    this.help.hidden = true;
    this.cursor = null;
    this.draw();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.cursor) return;
    const way = ARROWS[event.key];
    const key = event.key.toLowerCase();
    if (way) this.#nudge(way, event.shiftKey);
    else if (key === 'enter') this.#addHere(event.shiftKey);
    else if (key === 'n' || key === 'p') this.#walk(key === 'n' ? 1 : -1);
    else if (key === 'delete' || key === 'backspace') this.#say(this.removePicked() ? 'removed' : 'no point is chosen');
    else if (key === 'c' && this.picked >= 0) this.plane.tell('flip', {i: this.picked});
    else if (key === 'escape') this.#letGo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #letGo() {
    if (this.picked >= 0) this.pick(-1);
    else this.plane.front.blur();
  }

  #nudge([dx, dy], far) {
    const [x0, x1, y0, y1] = this.plane.view;
    const by = (span) => niceStep(span, 12) / (far ? 1 : 10);
    const keep = (v, lo, hi) => Math.min(Math.max(Number(v.toPrecision(12)), lo), hi);
    this.cursor = [keep(this.cursor[0] + dx * by(x1 - x0), x0, x1), keep(this.cursor[1] + dy * by(y1 - y0), y0, y1)];
    if (this.picked >= 0) {
      this.plane.tell('move', {i: this.picked, x: this.cursor[0], y: this.cursor[1]});
      this.plane.tell('drop', {i: this.picked});
    }
    this.#say(this.cursor.map((v) => number(v)).join(', '));
    this.draw();
  }

  #addHere(other) {
    this.plane.tell('add', {x: this.cursor[0], y: this.cursor[1], other});
    this.#say('added');
  }

  #walk(step) {
    const n = this.list.length;
    if (!n) return;
    const i = this.picked < 0 ? (step > 0 ? 0 : n - 1) : (this.picked + step + n) % n;
    this.cursor = this.list[i].slice(0, 2);
    this.pick(i);
    this.#say(`point ${i + 1} of ${n}, class ${this.plane.told.classes[this.list[i][2]]}, at ${this.cursor.map((v) => number(v)).join(', ')}`);
  }

  #say(text) {
    put(this.voice, text);
  }

  /** Draw the ring about the point that is picked, and the keyboard's cross. */
  draw() {
    const {plane} = this;
    const found = [];
    const p = this.list[this.picked];
    if (p) found.push(s('circle', {class: 'picked', cx: plane.X(p[0]), cy: plane.Y(p[1]), r: plane.points.radius + 5, 'data-picked': this.picked}));
    if (this.cursor) found.push(s('path', {class: 'cross', d: 'M-12 0H-4M4 0H12M0 -12V-4M0 4V12', transform: `translate(${plane.at(this.cursor).join(' ')})`}));
    put(plane.hands, found);
  }
}
