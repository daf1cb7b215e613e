// The points that are being edited, with undo. A point is [x, y, class]; lists and points are never changed in place.

import {viewOf} from './geometry.js';

const MOST = 200; // changes that can be undone

export class PointList {
  constructor(changed) {
    this.changed = changed;
    this.load([], ['-1', '+1']);
  }

  /** Take other points; what was there before can be undone if `undoable`. `axes` are what else comes back with them. */
  load(points, classes, undoable = false, axes = null) {
    if (undoable) this.#remember();
    else [this.undone, this.done] = [[], []];
    Object.assign(this, {points, classes, axes, moving: false});
  }

  get #all() {
    return {points: this.points, classes: this.classes, axes: this.axes};
  }

  #remember() {
    this.done.push(this.#all);
    if (this.done.length > MOST) this.done.shift();
    this.undone = [];
  }

  #set(points, kind) {
    this.points = points;
    this.changed(kind);
  }

  add(x, y, c) {
    this.#remember();
    this.#set([...this.points, [x, y, c]], 'add');
  }

  /** Move a point; a drag is one change, from its first move to its drop. */
  move(i, x, y) {
    if (!this.points[i]) return;
    if (!this.moving) this.#remember();
    this.moving = true;
    const points = [...this.points];
    points[i] = [x, y, points[i][2]];
    this.#set(points, 'move');
  }

  drop() {
    if (!this.moving) return;
    this.moving = false;
    this.changed('drop');
  }

  remove(i) {
    if (!this.points[i]) return;
    if (!this.moving) this.#remember();
    this.moving = false;
    this.#set(this.points.filter((_, k) => k !== i), 'remove');
  }

  /** Give a point another class: the next one, unless told. */
  flip(i, c) {
    if (!this.points[i]) return;
    this.#remember();
    const [x, y, old] = this.points[i];
    const points = [...this.points];
    points[i] = [x, y, c ?? (old + 1) % this.classes.length];
    this.#set(points, 'flip');
  }

  clear() {
    if (!this.points.length) return;
    this.#remember();
    this.#set([], 'clear');
  }

  /** Add a class; the list stays sorted as the library sorts labels, and points keep their class. */
  addClass() {
    this.#remember();
    const {classes} = this;
    const numbers = classes.every((name) => name.trim() !== '' && Number.isFinite(Number(name)));
    const name = numbers ? String(Math.floor(Math.max(...classes.map(Number))) + 1) : freshName(classes);
    const sorted = numbers ? [...classes, name] : [...classes, name].sort((a, b) => (a < b ? -1 : 1));
    this.classes = sorted;
    this.#set(this.points.map(([x, y, c]) => [x, y, sorted.indexOf(classes[c])]), 'classes');
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
    Object.assign(this, from.pop());
    this.moving = false;
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

function freshName(classes) {
  for (let k = 1; ; k++) {
    const name = k === 1 ? 'other' : `other ${k}`;
    if (!classes.includes(name)) return name;
  }
}
