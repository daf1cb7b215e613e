// A plane with points, decision regions, and what a learner does there.
//
//   const plane = new Plane({view: [-3, 3, -3, 3], names: ['x₁', 'x₂'], label: 'The plane', edit: true});
//   plane.show({points, classes, present, binary, frame, before, verdict, proof, options, grid, gridView});
//   plane.on('add', ({x, y, other}) => …);  move {i, x, y}, drop {i}, remove {i}, pick {i}, flip {i, c}, resize
//
// show() may be given a part of these; the rest stays. It draws again only what has changed.

import {h, put, s, set} from '../dom.js';
import {fitView, px} from '../geometry.js';
import {axes} from './axes.js';
import {Editor} from './edit.js';
import {band, centroids, hyperplanes, looked, normal, supports} from './layers.js';
import {named, Points, shape} from './dots.js';
import {certificate, radiusAndMargin, star} from './proofs.js';
import {paintRegions} from './regions.js';
import {plainSvg} from '../take.js';

export const CALM = {regions: true, normal: true, update: true, margin: false, certificate: true, bound: false};

export class Plane {
  constructor({view, names = ['x₁', 'x₂'], label = 'The plane', edit = false}) {
    Object.assign(this, {base: view, names, listeners: {}, colours: {}, themes: 0});
    this.told = {points: [], classes: ['-1', '+1'], present: [0, 1], binary: true, options: CALM};
    this.regions = h('canvas', {class: 'regions'});
    this.points = new Points(this);
    this.back = s('svg', {'aria-hidden': 'true'});
    [this.under, this.over, this.hands] = [s('g'), s('g'), s('g')];
    this.inner = s('svg', {}, this.under, this.points.group, this.over, this.hands);
    this.front = s('svg', {class: 'front', role: edit ? 'application' : 'img', 'aria-label': label,
      tabindex: edit ? 0 : null}, this.inner);
    this.element = h('div', {class: `plane${edit ? ' edit' : ''}`}, this.regions, this.back, this.points.canvas,
      this.front);
    this.onTheme = () => {
      this.colours = {};
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
    const {clientWidth: width = 0, clientHeight: height = 0} = this.element;
    if (this.plot && (!width || (width === this.width && height === this.height))) return false;
    [this.width, this.height] = [width || 640, height || 520];
    const small = this.width < 420;
    const [left, top] = [small ? 38 : 46, 10];
    const low = small ? 32 : 36;
    const plot = {left, top, width: Math.max(this.width - left - 12, 40), height: Math.max(this.height - low - 10, 40)};
    this.plot = plot;
    const size = {viewBox: `0 0 ${this.width} ${this.height}`, width: this.width, height: this.height};
    for (const svg of [this.back, this.front]) set(svg, size);
    set(this.inner, {x: left, y: top, width: plot.width, height: plot.height});
    this.setView(this.base);
    return true;
  }

  /** Show another part of the plane; it grows so that both axes have one scale. */
  setView(view, names = this.names) {
    Object.assign(this, {base: view, names, view: fitView(view, this.plot.width, this.plot.height)});
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

  /** Return a resolution for regions: a sample every few pixels, but no more than the library takes. */
  grid() {
    const {width, height} = this.plot;
    const every = Math.max(width < 420 ? 3 : 4, Math.sqrt((width * height) / 38_000), width / 390, height / 390);
    return [width, height].map((size) => Math.max(8, Math.round(size / every)));
  }

  colour(name) {
    return this.colours[name] ??= getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  /** Lay a canvas over the plot, clear it, and return what draws on it, in pixels of the page. */
  prepare(canvas) {
    const {left, top, width, height} = this.plot;
    const ratio = window.devicePixelRatio || 1;
    const context = canvas.getContext('2d');
    const key = `${this.scaleKey} ${ratio}`;
    if (canvas.dataset.key !== key) {
      canvas.dataset.key = key;
      Object.assign(canvas.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`});
      Object.assign(canvas, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    context.clearRect(0, 0, width, height);
    return context;
  }

  show(told) {
    const was = this.told;
    const now = this.told = {...was, ...told, options: {...was.options, ...told.options}};
    const changed = (...names) => names.some((name) => now[name] !== was[name]);
    const looks = JSON.stringify(now.options) !== JSON.stringify(was.options);
    if (changed('points')) this.points.draw(now.points);
    if (looks || changed('frame', 'binary', 'grid', 'gridView', 'present')) this.#drawRegions();
    if (looks || changed('frame', 'before', 'points', 'verdict', 'proof', 'present')) this.#drawLayers();
    this.editor?.draw();
  }

  #drawAll() {
    if (!this.view) return;
    put(this.back, axes(this, this.names));
    this.points.draw(this.told.points);
    this.#drawRegions();
    this.#drawLayers();
    this.editor?.draw();
  }

  #drawRegions() {
    this.border = paintRegions(this, this.prepare(this.regions), this.told, this.told.options.regions);
  }

  #drawLayers() {
    const {told, told: {options, frame}} = this;
    const layers = (...list) => list.flatMap(([wanted, layer]) => (wanted ? layer(this, told) : []));
    const border = () => this.border ? [s('path', {class: 'line bold', d: this.border})] : [];
    put(this.under, layers([options.bound, radiusAndMargin], [options.certificate, certificate],
      [frame && options.margin, band], [frame, border], [frame, hyperplanes], [frame, supports]));
    put(this.over, layers([frame, centroids], [options.certificate, star], [frame, normal], [frame, looked]));
  }

  /** Return a picture with all that is shown and a legend, as an element of SVG. */
  svg() {
    const {plot: {left: x, top: y, width, height}, told} = this;
    const picture = plainSvg(this.front);
    const [ground, inner] = picture.children;
    inner.lastChild.remove(); // the hands
    if (this.points.painted) inner.children[1].append(...this.points.asShapes(told.points));
    const [, ...lines] = plainSvg(this.back).children;
    ground.after(s('rect', {x, y, width, height, fill: this.colour('--plane')}),
      s('image', {x, y, width, height, href: this.regions.toDataURL()}), ...lines);
    picture.append(...this.#legend(x, this.height + 16));
    const high = this.height + 32;
    set(picture, {viewBox: `0 0 ${this.width} ${high}`, height: high});
    set(ground, {height: high, fill: this.colour('--panel')});
    return picture;
  }

  #legend(left, y) {
    let x = left + 8;
    return this.told.classes.flatMap((name, c) => {
      const at = x;
      x += 32 + 8 * name.length;
      const look = {fill: this.colour('--ink'), 'font-size': 13, 'font-family': 'sans-serif'};
      const transform = `translate(${px([at, y - 4])})`;
      return [s('path', {d: shape(c, 6), fill: this.colour(`--class-${c}`), transform}),
        s('text', {x: at + 13, y, ...look}, named(name))];
    });
  }
}
