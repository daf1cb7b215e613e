// The inputs as corners of a square, a cube, or two cubes; with the plane of the unit, or the hulls that meet.

import {put, s, set} from '../dom.js';

export const FRONT = [115, 13]; // degrees, turned and tipped: from here most planes show a broad side
const [WIDTH, HEIGHT] = [{2: 380, 3: 380, 4: 520}, 340];
const EDGE = {2: 146, 3: 174, 4: 136};
const APART = 256; // the two cubes of four inputs

export const bitsOf = (n, row) => row.toString(2).padStart(n, '0');
export const line = ([x1, y1], [x2, y2], look) => s('line', {x1, y1, x2, y2, class: look});
export const text = (x, y, content, look) => s('text', {x, y, class: look}, content);
const polygon = (points, look) => s('polygon', {points: points.map(([x, y]) => `${x} ${y}`).join(), class: look});

/** The point that lies so far beyond `to`, seen from `from`. */
function beyond(from, to, far) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy) || 1;
  return [to[0] + far * dx / long, to[1] + far * dy / long];
}

function arrow([foot, tip]) {
  const long = Math.hypot(tip[0] - foot[0], tip[1] - foot[1]);
  if (long < 14) return null; // it points at the reader
  const [x, y] = beyond(foot, tip, -10);
  const [dx, dy] = [(tip[0] - foot[0]) / long * 5, (tip[1] - foot[1]) / long * 5];
  const head = polygon([tip, [x - dy, y + dx], [x + dy, y - dx]]);
  return s('g', {class: 'arrow'}, line(foot, [x, y]), head, text(...beyond(foot, tip, 11), 'w'));
}

export class Picture {
  #drag = null;

  constructor({onPick, onTurn}) {
    Object.assign(this, {onPick, onTurn});
    this.element = s('svg', {class: 'cube', id: 'truth-picture', tabindex: 0, role: 'application'});
    for (const name of ['keydown', 'pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
      this.element.addEventListener(name, this);
    }
  }

  handleEvent(event) { this[event.type](event); }

  show(answer, {outputs, row, turn}) {
    Object.assign(this, {answer, outputs, row, turn});
    this.#draw();
  }

  turnTo([yaw, pitch]) {
    if (!this.answer || this.answer.n === 2) return;
    this.turn = [((Math.round(yaw) + 180) % 360 + 360) % 360 - 180, Math.max(-90, Math.min(90, Math.round(pitch)))];
    this.#draw();
    this.onTurn(this.turn);
  }

  keydown(event) {
    const step = {ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, 6], ArrowDown: [0, -6]}[event.key];
    if (!step) return;
    event.preventDefault();
    this.turnTo([this.turn[0] + step[0], this.turn[1] + step[1]]);
  }

  pointerdown({button, target, clientX: x, clientY: y}) {
    if (!button) this.#drag = {x, y, turn: this.turn, row: target.closest('[data-row]')?.dataset.row};
  }

  pointermove(event) {
    const drag = this.#drag;
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    if (!drag.moved) this.element.setPointerCapture(event.pointerId);
    drag.moved = true;
    this.turnTo([drag.turn[0] + dx / 2, drag.turn[1] + dy / 2]);
  }

  pointercancel() { this.#drag = null; }

  pointerup() {
    const {row, moved} = this.#drag ?? {};
    this.#drag = null;
    if (row && !moved) this.onPick(Number(row), Number(row) === this.row);
  }

  #draw() {
    const {n, unit} = this.answer;
    set(this.element, {'data-n': n, viewBox: `${-WIDTH[n] / 2} ${-HEIGHT / 2} ${WIDTH[n]} ${HEIGHT}`,
      'aria-label': `The inputs as corners, with the ${unit ? 'plane of the unit' : 'hulls that meet'}`});
    put(this.element, n === 2 ? this.#square() : this.#cubes(n));
  }

  #square() {
    const at = ([x, y]) => [(x - 0.5) * EDGE[2], -10 - (y - 0.5) * EDGE[2]];
    const shapes = this.answer.unit?.shapes;
    const places = [[0, 0], [0, 1], [1, 0], [1, 1]].map(at);
    return [
      shapes && [polygon(shapes.off.map(at), 'off'), polygon(shapes.on.map(at), 'on')],
      polygon([0, 1, 3, 2].map((row) => places[row]), 'edge'),
      ['0', 'x1', '1'].map((name, k) => text(...at([k / 2, -0.56]), name, 'axis')),
      ['0', 'x2', '1'].map((name, k) => text(...at([-0.56, k / 2]), name, 'axis')),
      shapes?.line && [line(...shapes.line.map(at), 'border'), arrow(shapes.arrow.map(at))],
      this.#hulls(places, at), places.map((place, row) => this.#corner(place, row, at([0.5, 0.5])))];
  }

  /** A projection without perspective: what meets in the table meets in the picture. */
  #projection(n) {
    const angles = this.turn.map((degrees) => degrees * Math.PI / 180);
    const [[cy, cp], [sy, sp]] = [angles.map(Math.cos), angles.map(Math.sin)];
    return (point) => {
      const [x, y, z] = point.slice(-3).map((value) => value - 0.5);
      const back = y * cy - x * sy;
      const [left, up] = n === 4 ? [(point[0] - 0.5) * APART, 12] : [0, 0];
      return [left + EDGE[n] * (x * cy + y * sy), -up - EDGE[n] * (z * cp + back * sp), back * cp - z * sp];
    };
  }

  #cubes(n) {
    const at = this.#projection(n);
    const rows = Array.from({length: 2 ** n}, (_, row) => row);
    const places = rows.map((row) => at([...bitsOf(n, row)]));
    const middles = (n === 3 ? [[]] : [[0], [1]]).map((fixed) => at([...fixed, 0.5, 0.5, 0.5]));
    const edges = [];
    const names = n === 3 ? [] : middles.map(([x], k) => text(x, HEIGHT / 2 - 14, `x1 = ${k}`, 'axis'));
    middles.forEach((middle, k) => {
      const own = rows.slice(8 * k, 8 * k + 8);
      const farthest = own.reduce((a, b) => (places[b][2] > places[a][2] ? b : a));
      [4, 2, 1].forEach((bit, j) => {
        const pairs = own.filter((row) => !(row & bit)).map((row) => [row, row | bit]);
        const look = (pair) => (pair.includes(farthest) ? 'edge behind' : 'edge');
        edges.push(...pairs.map((pair) => line(places[pair[0]], places[pair[1]], look(pair))));
        // The name of an axis stands at the outermost of its four edges, or the lowest of those.
        const centres = pairs.map(([a, b]) => [0, 1].map((side) => (places[a][side] + places[b][side]) / 2));
        const out = ([x, y]) => Math.hypot(x - middle[0], y - middle[1]) + y / 50;
        const best = centres.reduce((a, b) => (out(b) > out(a) ? b : a));
        if (!k) names.push(text(...beyond(middle, best, 16), `x${n - 2 + j}`, 'axis'));
      });
    });
    const planes = (this.answer.unit?.shapes.planes ?? []).map((plane) => {
      const lift = (point) => at([plane.cube, ...point]);
      return [polygon(plane.polygon.map(lift), 'cut'), arrow(plane.arrow.map(lift))];
    });
    rows.sort((a, b) => places[b][2] - places[a][2]);
    const dots = rows.map((row) => this.#corner(places[row], row, middles[row >> 3]));
    return [planes, edges, names, this.#hulls(places, at), dots];
  }

  /** The hulls of the certificate's rows, and the point that both share. */
  #hulls(places, at) {
    const {certificate} = this.answer;
    if (!certificate) return null;
    const hulls = [0, 1].map((output) => {
      const rows = certificate.rows.filter((one) => one.output === output).map((one) => places[one.row]);
      const sides = rows.flatMap((a, k) => rows.slice(k + 1).map((b) => line(a, b)));
      return s('g', {class: `hull is-${output}`}, rows.length > 2 && polygon(rows), sides);
    });
    const [cx, cy] = at(certificate.meeting);
    return [hulls, s('g', {class: 'meeting'}, s('circle', {cx, cy, r: 7}), text(cx + 14, cy, certificate.where))];
  }

  #corner([cx, cy], row, middle) {
    const {answer: {n, certificate}, outputs} = this;
    const r = n === 4 ? 11 : 14;
    const pale = certificate && !certificate.rows.some((one) => one.row === row);
    return s('g', {class: `corner is-${outputs[row]} ${pale ? 'pale' : ''}`, 'data-row': row},
      row === this.row && s('circle', {cx, cy, r: r + 5, class: 'ring'}),
      s('circle', {cx, cy, r}), text(cx, cy, String(outputs[row]), 'digit'),
      text(...beyond(middle, [cx, cy], r + 16), bitsOf(n, row), 'bits'));
  }
}
