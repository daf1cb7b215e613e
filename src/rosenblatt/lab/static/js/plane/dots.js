// The points of a plane: a shape and a colour for each class; as SVG, or on a canvas if there are many.

import {s, set} from '../dom.js';

const MANY = 600; // above, points are drawn on a canvas
const Q = 0.88;
const SHAPES = [ // corners for a radius of 1; the first is a circle
  null, [[-Q, -Q], [Q, -Q], [Q, Q], [-Q, Q]], [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  [[0, -1.25], [1.15, 0.85], [-1.15, 0.85]], [[0, 1.25], [1.15, -0.85], [-1.15, -0.85]], star(1.4, 0.5),
];

/** Write a class's name as it is read: with a true minus. */
export const named = (name) => name.replace(/^-(?=\d)/, '−');

/** The corners of a star with five points. */
function star(r, inner) {
  return Array.from({length: 10}, (_, k) => {
    const [a, d] = [(Math.PI * k) / 5 - Math.PI / 2, k % 2 ? r * inner : r];
    return [d * Math.cos(a), d * Math.sin(a)];
  });
}

const outline = (places, r) => `M${places.map(([x, y]) => `${(r * x).toFixed(2)} ${(r * y).toFixed(2)}`).join('L')}Z`;

export const starPath = (r) => outline(star(1, 0.42), r);

/** Write a class's shape about 0, 0 as a path. */
export function shape(c, r) {
  return c % 6 ? outline(SHAPES[c % 6], r) : `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`;
}

/** Return a radius for so many points on a plane so wide. */
function radiusFor(n, width) {
  const full = n <= 40 ? 8 : n <= 160 ? 6.5 : n <= MANY ? 4.8 : n <= 2000 ? 3.4 : 2.6;
  return width < 380 ? Math.max(2.4, full * 0.78) : full;
}

/** Draws the points and keeps what is drawn; only what has changed is drawn again. */
export class Points {
  constructor(plane) {
    Object.assign(this, {plane, shapes: [], drawn: [], key: '', lifted: -1});
    this.group = s('g', {class: 'points'});
    this.canvas = document.createElement('canvas');
  }

  draw(points) {
    const {plane, key} = this;
    this.radius = radiusFor(points.length, plane.width);
    this.key = `${plane.scaleKey} ${this.radius} ${plane.themes}`;
    if (points.length > MANY) this.#paint(points, key !== this.key);
    else this.#drawShapes(points, key !== this.key);
    this.drawn = points;
  }

  #look([x, y, c], r = this.radius) {
    const place = this.plane.at([x, y]).map((v) => v.toFixed(2)).join(' ');
    return {class: `point k${c}`, d: shape(c, r), 'data-class': c, transform: `translate(${place})`};
  }

  #drawShapes(points, all) {
    const {shapes, drawn} = this;
    const again = all || this.painted;
    if (this.painted) this.plane.prepare(this.canvas);
    this.painted = false;
    while (shapes.length > points.length) shapes.pop().remove();
    points.forEach((point, i) => {
      if (i >= shapes.length) {
        shapes.push(s('path', {'data-point': i}));
        this.group.append(shapes[i]);
      } else if (!again && drawn[i] === point) return;
      set(shapes[i], this.#look(point));
    });
  }

  /** Paint all but the point that is being moved; that one is drawn above, and the canvas stays. */
  #paint(points, all) {
    const {plane, radius, lifted, drawn} = this;
    while (this.shapes.length) this.shapes.pop().remove();
    const same = !all && this.painted && this.without === lifted && points.length === drawn.length
      && points.every((p, i) => i === lifted || p === drawn[i]);
    if (!same) {
      const context = plane.prepare(this.canvas);
      const stamps = [];
      points.forEach(([x, y, c], i) => {
        if (i === lifted) return;
        const {image, half} = stamps[c] ??= stamp(plane, c, radius);
        context.drawImage(image, plane.X(x) - half, plane.Y(y) - half, 2 * half, 2 * half);
      });
      Object.assign(this, {painted: true, without: lifted});
    }
    if (points[lifted]) {
      this.shapes.push(s('path', this.#look(points[lifted], radius + 2)));
      this.group.append(this.shapes[0]);
    }
  }

  /** Return all points as SVG, for a picture. */
  asShapes(points) {
    return points.map((point) => s('path', {...this.#look(point), fill: this.plane.colour(`--class-${point[2]}`)}));
  }
}

/** Draw a class's shape once, to be copied many times. */
function stamp(plane, c, r) {
  const half = Math.ceil(1.5 * r + 2);
  const ratio = window.devicePixelRatio || 1;
  const image = document.createElement('canvas');
  image.width = image.height = Math.ceil(2 * half * ratio);
  const context = image.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, half * ratio, half * ratio);
  const path = new Path2D(shape(c, r));
  context.fillStyle = plane.colour(`--class-${c}`);
  context.strokeStyle = plane.colour('--plane');
  context.lineWidth = 0.8;
  context.fill(path);
  context.stroke(path);
  return {image, half};
}
