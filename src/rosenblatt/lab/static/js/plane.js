// A plane with points, decision regions, and what a learner does there.
//
//   const plane = new Plane({view: [-3, 3, -3, 3], names: ['x₁', 'x₂'], label: 'The plane', edit: true});
//   plane.show({points, classes, present, binary, frame, before, verdict, options, grid, gridView});
//   plane.on('add', ({x, y, other}) => …);   'move' {i, x, y}, 'drop' {i}, 'remove' {i}, 'pick' {i}, 'flip' {i}, 'resize'
//
// show() may be given a part of these; the rest stays. It draws again only what has changed.

import {h, put, s, set} from './dom.js';
import {clip, corners, fitView, px} from './geometry.js';
import {axes} from './plane_axes.js';
import {Editor} from './plane_edit.js';
import {band, centroids, hyperplanes, looked, normal, supports} from './plane_layers.js';
import {Points, shape} from './plane_points.js';
import {certificate, radiusAndMargin} from './plane_proofs.js';
import {paintRegions} from './plane_regions.js';
import {plainSvg} from './take.js';

export const CALM = {regions: true, normal: true, update: true, margin: false, certificate: false, bound: false};

export class Plane {
  constructor({view, names = ['x₁', 'x₂'], label = 'The plane', edit = false}) {
    this.base = view;
    this.names = names;
    this.title = label;
    this.told = {points: [], classes: ['-1', '+1'], present: [0, 1], binary: true, frame: null, before: null, verdict: null, options: CALM};
    this.listeners = {};
    this.colours = new Map();
    this.themes = 0;
    this.regions = h('canvas', {class: 'regions'});
    this.points = new Points(this);
    this.points.canvas.className = 'dots';
    this.back = s('svg', {class: 'back', 'aria-hidden': 'true'});
    this.under = s('g', {class: 'under'});
    this.over = s('g', {class: 'over'});
    this.hands = s('g', {class: 'hands'});
    this.inner = s('svg', {}, this.under, this.points.group, this.over, this.hands);
    this.front = s('svg', {class: 'front', role: edit ? 'application' : 'img', 'aria-label': label, tabindex: edit ? 0 : null}, this.inner);
    this.element = h('div', {class: `plane${edit ? ' edit' : ''}`}, this.regions, this.back, this.points.canvas, this.front);
    this.onTheme = () => {
      this.colours.clear();
      this.themes++;
      this.#drawAll();
    };
    window.addEventListener('themechange', this.onTheme);
    this.observer = new ResizeObserver(() => { if (this.measure()) this.tell('resize'); });
    this.observer.observe(this.element);
    this.editor = edit ? new Editor(this) : null;
    this.measure();
  }

  leave() {
    this.observer.disconnect();
    window.removeEventListener('themechange', this.onTheme);
    this.editor?.leave();
  }

  on(event, listener) {
    (this.listeners[event] ??= []).push(listener);
  }

  tell(event, detail = {}) {
    for (const listener of this.listeners[event] ?? []) listener(detail);
  }

  /** Look how large the plane is now; say whether that has changed. */
  measure() {
    const width = this.element.clientWidth || 640;
    const height = this.element.clientHeight || 520;
    if (width === this.width && height === this.height) return false;
    [this.width, this.height] = [width, height];
    const small = width < 420;
    const [left, top] = [small ? 38 : 46, 10];
    this.plot = {left, top, width: Math.max(width - left - 12, 40), height: Math.max(height - top - (small ? 32 : 36), 40)};
    for (const svg of [this.back, this.front]) set(svg, {viewBox: `0 0 ${width} ${height}`, width, height});
    set(this.inner, {x: left, y: top, width: this.plot.width, height: this.plot.height});
    this.setView(this.base);
    return true;
  }

  /** Show another part of the plane; it grows so that both axes have one scale. */
  setView(view, names = this.names) {
    this.base = view;
    this.names = names;
    this.view = fitView(view, this.plot.width, this.plot.height);
    this.scaleKey = `${this.view.join()} ${this.width} ${this.height}`;
    this.#drawAll();
  }

  X = (x) => ((x - this.view[0]) / (this.view[1] - this.view[0])) * this.plot.width;
  Y = (y) => ((this.view[3] - y) / (this.view[3] - this.view[2])) * this.plot.height;
  at = (p) => [this.X(p[0]), this.Y(p[1])];

  /** Return where a place in pixels of the plot lies in the plane. */
  from([x, y]) {
    const [x0, x1, y0, y1] = this.view;
    return [x0 + (x / this.plot.width) * (x1 - x0), y1 - (y / this.plot.height) * (y1 - y0)];
  }

  /** Return how far from the middle of the view a point is. */
  central(p) {
    const [x, y] = this.at(p);
    return Math.hypot(x - this.plot.width / 2, y - this.plot.height / 2);
  }

  /** Return the part of the view where |w·x + b| ≤ away. */
  strip(w, b, away) {
    return clip(clip(corners(this.view), w, b + away), [-w[0], -w[1]], away - b);
  }

  /** Return a resolution for regions: a sample every few pixels. */
  grid(every = 6) {
    return [Math.max(8, Math.round(this.plot.width / every)), Math.max(8, Math.round(this.plot.height / every))];
  }

  colour(name) {
    if (!this.colours.has(name)) this.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return this.colours.get(name);
  }

  /** Lay a canvas over the plot, clear it, and return what draws on it, in pixels of the page. */
  prepare(canvas) {
    const {left, top, width, height} = this.plot;
    const ratio = window.devicePixelRatio || 1;
    Object.assign(canvas.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`});
    const context = canvas.getContext('2d');
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }

  show(told) {
    const was = this.told;
    const now = {...was, ...told, options: {...was.options, ...told.options}};
    this.told = now;
    const changed = (...names) => names.some((name) => now[name] !== was[name]);
    const looks = JSON.stringify(now.options) !== JSON.stringify(was.options);
    if (changed('points')) this.#drawPoints();
    if (changed('frame', 'binary', 'grid', 'gridView', 'present') || looks) this.#drawRegions();
    if (changed('frame', 'before', 'points', 'verdict', 'present') || looks) this.#drawLayers();
    this.editor?.draw();
  }

  #drawAll() {
    if (!this.view) return;
    put(this.back, axes(this, this.names));
    this.#drawPoints();
    this.#drawRegions();
    this.#drawLayers();
    this.editor?.draw();
  }

  #drawPoints() {
    this.points.draw(this.told.points);
  }

  #drawRegions() {
    this.border = paintRegions(this, this.prepare(this.regions), this.told, this.told.options.regions);
  }

  #drawLayers() {
    const {told} = this;
    const {options, frame} = told;
    const under = [];
    const over = [];
    if (options.bound) under.push(...radiusAndMargin(this, told));
    if (options.certificate) under.push(...certificate(this, told));
    if (frame) {
      if (options.margin) under.push(...band(this, told));
      if (this.border) under.push(s('path', {class: 'line bold', d: this.border}));
      under.push(...hyperplanes(this, told), ...supports(this, told));
      over.push(...centroids(this, told));
      if (options.normal || options.update) over.push(...normal(this, told));
      over.push(...looked(this, told));
    }
    put(this.under, under);
    put(this.over, over);
  }

  /** Return a picture with all that is shown and a legend, as an element of SVG. */
  svg() {
    const {plot, told} = this;
    const picture = plainSvg(this.front);
    const [ground, inner] = [...picture.children];
    [...inner.children].at(-1).remove(); // the hands
    ground.setAttribute('fill', this.colour('--panel'));
    const image = s('image', {x: plot.left, y: plot.top, width: plot.width, height: plot.height, href: this.regions.toDataURL()});
    const paper = s('rect', {x: plot.left, y: plot.top, width: plot.width, height: plot.height, fill: this.colour('--plane')});
    const lines = [...plainSvg(this.back).children].slice(1);
    ground.after(paper, image, ...lines);
    if (this.points.painted) inner.children[1].append(...this.points.asShapes(told.points));
    const {height} = this;
    picture.append(...this.#legend(height + 16));
    set(picture, {viewBox: `0 0 ${this.width} ${height + 32}`, height: height + 32});
    set(ground, {height: height + 32});
    return picture;
  }

  #legend(y) {
    let x = this.plot.left;
    return this.told.classes.flatMap((name, c) => {
      const at = x + 8;
      x += 32 + 8 * name.length;
      return [
        s('path', {d: shape(c, 6), fill: this.colour(`--class-${c}`), transform: `translate(${px([at, y - 4])})`}),
        s('text', {x: at + 13, y, fill: this.colour('--ink'), 'font-size': 13, 'font-family': 'sans-serif'}, name.replace(/^-(?=\d)/, '−')),
      ];
    });
  }
}
