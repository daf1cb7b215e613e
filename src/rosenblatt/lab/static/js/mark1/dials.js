// The weights as dials, each turned by its own motor: straight up is zero, to the right is positive.

import {CELLS, Cells, SIDE, circle} from './cells.js';

const FULL = Math.PI * .75; // the angle of a full turn
const LONGEST = 450; // milliseconds that the farthest dial turns
const SCALES = [4, 6, 8, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000];
const calm = matchMedia('(prefers-reduced-motion: reduce)');

export class Dials extends Cells {
  /** `onpoint(cell)` is told which dial is pointed at, or −1. */
  constructor(onpoint) {
    super('dials', 'Dials, a weight for each cell. Arrows move from dial to dial');
    this.weights = new Array(CELLS).fill(0);
    this.lit = new Uint8Array(CELLS);
    this.angles = new Float64Array(CELLS);
    this.onpoint = onpoint;
    const point = (event) => {
      const [row, column] = this.at(event).map((x) => Math.min(SIDE - 1, Math.max(0, Math.floor(x))));
      onpoint(row * SIDE + column);
    };
    for (const name of ['pointermove', 'pointerdown']) this.canvas.addEventListener(name, point);
    this.canvas.addEventListener('pointerleave', () => onpoint(-1));
  }

  /** Turn the dials to weights; a full turn is a round number that none exceeds. */
  turn(weights) {
    const most = weights.reduce((top, w) => Math.max(top, Math.abs(w)), 0);
    this.weights = weights;
    this.full = SCALES.find((n) => n >= most) ?? most;
    const goals = weights.map((w) => w / this.full * FULL);
    const farthest = goals.reduce((far, goal, k) => Math.max(far, Math.abs(goal - this.angles[k])), 0);
    cancelAnimationFrame(this.frame);
    // All motors are alike: what has a short way arrives early.
    this.#step(goals, calm.matches ? Infinity : farthest / LONGEST, performance.now());
  }

  #step(goals, speed, last) {
    this.frame = requestAnimationFrame((now) => {
      const most = speed * Math.max(1, now - last);
      let still = true;
      goals.forEach((goal, k) => {
        const left = goal - this.angles[k];
        this.angles[k] = Math.abs(left) > most ? this.angles[k] + Math.sign(left) * most : goal;
        still &&= this.angles[k] === goal;
      });
      this.draw();
      this.canvas.dataset.still = still;
      if (!still && this.canvas.isConnected) this.#step(goals, speed, now);
    });
  }

  /** Mark the dials whose photocells are lit. */
  light(lit) {
    this.lit = lit;
    this.draw();
  }

  moveTo(cell = this.cursor) {
    super.moveTo(cell);
    this.onpoint(this.canvas.matches(':focus-visible') ? cell : -1);
  }

  paint(pen, k, x, y, size) {
    const {colours} = this;
    const angle = this.angles[k];
    const side = angle > 0 ? 1 : 0;
    circle(pen, x, y, size * .43);
    pen.fillStyle = colours.sunken;
    pen.fill();
    pen.globalAlpha = Math.sqrt(Math.min(1, Math.abs(angle) / FULL));
    pen.fillStyle = colours[`region-${side}`];
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = size * (this.lit[k] ? .075 : .04);
    pen.strokeStyle = this.lit[k] ? colours.ink : colours.line;
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + Math.sin(angle) * size * .34, y - Math.cos(angle) * size * .34);
    pen.lineWidth = size * (angle ? .1 : .06);
    pen.strokeStyle = angle ? colours[`class-${side}`] : colours.faint;
    pen.stroke();
  }
}
