// The points that are being edited, with undo. A point is [x, y, class]; lists and points are never changed in place.

import {viewOf} from './geometry.js';

const MOST = 200; // changes that can be undone

export class PointList {
  constructor(changed) {
    this.changed = changed;
    this.load([], ['-1', '+1']);
  }

  /** Take other points; what was there before can be undone if `undoable`. `axes` come back with them. */
  load(points, classes, undoable = false, axes = null) {
    if (undoable) this.#remember();
    else [this.undone, this.done] = [[], []];
    Object.assign(this, {points, classes, axes, moving: false});
  }

  get #all() {
    return {points: this.points, classes: this.classes, axes: this.axes};
  }

  #remember() {
    this.done = [...this.done, this.#all].slice(-MOST);
    this.undone = [];
  }

  /** Make a change that can be undone. A drag is one, from its first move to its drop. */
  #change(points, kind, moving = false, classes = this.classes) {
    if (!this.moving) this.#remember();
    Object.assign(this, {points, moving, classes});
    this.changed(kind);
  }

  add(x, y, c) {
    this.#change([...this.points, [x, y, c]], 'add');
  }

  move(i, x, y) {
    if (this.points[i]) this.#change(this.points.with(i, [x, y, this.points[i][2]]), 'move', true);
  }

  drop() {
    if (!this.moving) return;
    this.moving = false;
    this.changed('drop');
  }

  remove(i) {
    if (this.points[i]) this.#change(this.points.toSpliced(i, 1), 'remove');
  }

  /** Give a point another class: the next one, unless told. */
  flip(i, c) {
    if (!this.points[i]) return;
    const [x, y, old] = this.points[i];
    this.#change(this.points.with(i, [x, y, c ?? (old + 1) % this.classes.length]), 'flip');
  }

  clear() {
    if (this.points.length) this.#change([], 'clear');
  }

  /** Add a class; the list stays sorted as the library sorts labels, and points keep their class. Return its number. */
  addClass() {
    const {classes} = this;
    const numbers = classes.every((name) => name.trim() !== '' && Number.isFinite(Number(name)));
    const other = (k) => (classes.includes(`other ${k}`) ? other(k + 1) : `other ${k}`);
    const name = numbers ? String(Math.floor(Math.max(...classes.map(Number))) + 1) : other(1);
    const sorted = numbers ? [...classes, name] : [...classes, name].sort((a, b) => (a < b ? -1 : 1));
    this.#change(this.points.map(([x, y, c]) => [x, y, sorted.indexOf(classes[c])]), 'classes', false, sorted);
    return sorted.indexOf(name);
  }

  undo() {
    this.#swap(this.done, this.undone);
  }

  redo() {
    this.#swap(this.undone, this.done);
  }

  #swap(from, to) {
    if (!from.length) return;
    to.push(this.#all);
    Object.assign(this, from.pop(), {moving: false});
    this.changed('undo');
  }

  /** The classes that have points. */
  get present() {
    if (this.counted !== this.points) {
      this.counted = this.points;
      this.found = [...new Set(this.points.map((p) => p[2]))].sort((a, b) => a - b);
    }
    return this.found;
  }

  view() {
    return viewOf(this.points);
  }

  csv(names) {
    const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = this.points.map(([x, y, c]) => `${x},${y},${quote(this.classes[c])}`);
    return [[...names, 'class'].map(quote).join(','), ...lines, ''].join('\n');
  }
}
