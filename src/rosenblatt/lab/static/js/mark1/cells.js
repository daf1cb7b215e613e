// A square of 20 × 20 cells on a canvas: its size and colours, the cell under a pointer, a cursor for the keyboard.

import {h} from '../dom.js';

export const SIDE = 20;
export const CELLS = SIDE * SIDE;
const COLOURS = ['sunken', 'ink', 'faint', 'line', 'accent', 'class-0', 'class-1', 'region-0', 'region-1'];
const MOVES = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

/** The colours of the style sheet, by their names. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Read a picture of 67 letters as 400 cells. */
export function unpack(text) {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/') + '=');
  return Uint8Array.from({length: CELLS}, (_, k) => bytes.charCodeAt(k >> 3) >> (7 - k % 8) & 1);
}

/** Write 400 cells as 67 letters that may stand in an address. */
export function pack(cells) {
  const bytes = new Uint8Array(CELLS / 8);
  cells.forEach((lit, k) => { bytes[k >> 3] |= lit << (7 - k % 8); });
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
}

/** A kind of cells paints one with `paint(pen, k, x, y, size)`, and may take keys with `press(key)`. */
export class Cells {
  constructor(id, label) {
    const draw = () => this.draw();
    this.canvas = h('canvas', {id, class: 'cells', tabindex: 0, role: 'application', 'aria-label': label,
      onkeydown: (event) => this.#key(event), onfocus: () => this.moveTo(), onblur: () => this.moveTo()});
    this.cursor = 9 * SIDE + 9;
    this.sizes = new ResizeObserver(draw);
    this.sizes.observe(this.canvas);
    window.addEventListener('themechange', draw);
    this.leave = () => {
      this.sizes.disconnect();
      window.removeEventListener('themechange', draw);
    };
  }

  /** Where a pointer is, in cells: [row, column], not whole. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientY - box.top) / box.height * SIDE, (event.clientX - box.left) / box.width * SIDE];
  }

  moveTo(cell = this.cursor) {
    this.cursor = cell;
    this.draw();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    if (move) {
      const [row, column] = [Math.floor(this.cursor / SIDE) + move[0], this.cursor % SIDE + move[1]];
      if (Math.min(row, column) >= 0 && Math.max(row, column) < SIDE) this.moveTo(row * SIDE + column);
    } else if (!this.press?.(event.key)) {
      return;
    }
    event.preventDefault();
  }

  draw() {
    const side = Math.round(this.canvas.clientWidth * devicePixelRatio);
    if (!side) return;
    if (side !== this.canvas.width) this.canvas.width = this.canvas.height = side;
    const pen = this.canvas.getContext('2d');
    const size = side / SIDE;
    pen.clearRect(0, 0, side, side);
    this.drawWith(pen, size);
    if (!this.canvas.matches(':focus-visible')) return;
    pen.strokeStyle = this.colours.accent;
    pen.lineWidth = Math.max(2, size * .1);
    pen.strokeRect(this.cursor % SIDE * size + 1, Math.floor(this.cursor / SIDE) * size + 1, size - 2, size - 2);
  }

  drawWith(pen, size) {
    this.colours = colours();
    pen.lineCap = 'round';
    for (let k = 0; k < CELLS; k++) {
      this.paint(pen, k, (k % SIDE + .5) * size, (Math.floor(k / SIDE) + .5) * size, size);
    }
  }
}

export function circle(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
}
