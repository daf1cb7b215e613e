// The retina: photocells to draw on, and what they see of the picture.

import {CELLS, Cells, SIDE, circle} from './cells.js';

export class Retina extends Cells {
  /** `onchange` is told whenever the picture is another. */
  constructor(onchange) {
    super('retina', 'Retina of 20 by 20 cells. Arrows move, space lights a cell, Delete clears');
    this.picture = new Uint8Array(CELLS);
    this.seen = this.picture;
    this.size = 2; // of the pen
    this.erasing = false;
    this.fresh = false; // whether the next line begins a new picture
    this.onchange = onchange;
    const {canvas} = this;
    canvas.addEventListener('pointerdown', (event) => this.#down(event));
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('lostpointercapture', () => { this.line = null; });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /** Show another picture. */
  put(picture) {
    this.picture = picture;
    this.fresh = false;
    this.draw();
    this.onchange();
  }

  see(seen) {
    this.seen = seen;
    this.draw();
  }

  #down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const ink = this.erasing || event.button === 2 ? 0 : 1;
    if (this.fresh && ink) this.picture = new Uint8Array(CELLS);
    this.line = {ink, last: this.at(event)};
    this.#mark(this.line.last);
    this.put(this.picture);
  }

  #move(event) {
    if (!this.line) return;
    for (const one of [...event.getCoalescedEvents(), event]) this.#to(this.at(one));
    this.put(this.picture);
  }

  /** Draw on to a place, without gaps. */
  #to(place) {
    const {last} = this.line;
    const steps = Math.ceil(3 * Math.hypot(place[0] - last[0], place[1] - last[1]));
    for (let k = 1; k <= steps; k++) this.#mark(last.map((x, i) => x + (place[i] - x) * k / steps));
    this.line.last = place;
  }

  #mark(place) {
    // A pen of even width is centred on the nearest corner, one of odd width on a cell.
    const [top, left] = place.map((x) => Math.round(x - this.size / 2));
    for (let k = 0; k < this.size ** 2; k++) {
      const [r, c] = [top + Math.floor(k / this.size), left + k % this.size];
      if (r >= 0 && r < SIDE && c >= 0 && c < SIDE) this.picture[r * SIDE + c] = this.line.ink;
    }
  }

  press(key) {
    if (key === ' ' || key === 'Enter') this.picture[this.cursor] ^= 1;
    else if (key === 'Delete' || key === 'Backspace') this.picture.fill(0);
    else return false;
    this.put(this.picture);
    return true;
  }

  paint(pen, k, x, y, size) {
    circle(pen, x, y, size * (this.seen[k] ? .46 : .3));
    pen.fillStyle = this.seen[k] ? this.colours.ink : this.colours.line;
    pen.fill();
    if (!this.picture[k] || this.seen[k]) return;
    circle(pen, x, y, size * .4); // drawn here, but the retina sees it elsewhere, or not
    pen.lineWidth = size * .08;
    pen.strokeStyle = this.colours.accent;
    pen.stroke();
  }
}
