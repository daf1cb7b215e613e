// Painting a surface from its heights on a grid: tints, a light from above left, lines of equal height.

const LEVELS = 16;
const LIGHT = 0.11;

/** Read colours of style sheets as [red, green, blue]. */
function coloursOf(element, names) {
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  return names.map((name) => {
    element.style.color = `var(${name})`;
    probe.fillStyle = getComputedStyle(element).color;
    element.style.color = '';
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data;
  });
}

/** Paint a grid {values, across, up, low, high}, whose first row is the top one, over a whole canvas. */
export function paint(canvas, {values, across, up, low, high}) {
  // By their roots, a bowl's lines are as far apart below as above.
  const heights = Float32Array.from(values, (value) => Math.sqrt(Math.max(value - low, 0) / (high - low || 1)));
  const [deep, middle, top, [r, g, b]] = coloursOf(canvas, ['--low', '--middle', '--high', '--ink']);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  // The outermost numbers are those of the edges, not of cells beside them.
  const [sx, sy] = [canvas.width / (across - 1), canvas.height / (up - 1)];
  context.drawImage(tinted(heights, across, up, deep, middle, top), -sx / 2, -sy / 2, across * sx, up * sy);
  context.lineWidth = devicePixelRatio;
  for (let level = 1; level < LEVELS; level++) {
    context.strokeStyle = `rgb(${r} ${g} ${b} / ${level % 4 ? 0.15 : 0.32})`;
    context.stroke(contour(heights, across, up, level / LEVELS, sx, sy));
  }
}

function tinted(heights, across, up, deep, middle, top) {
  const picture = document.createElement('canvas');
  Object.assign(picture, {width: across, height: up});
  const context = picture.getContext('2d');
  const image = context.createImageData(across, up);
  const within = (value, most) => Math.min(Math.max(value, 0), most);
  const at = (column, row) => heights[within(row, up - 1) * across + within(column, across - 1)];
  for (let row = 0, k = 0; row < up; row++) {
    for (let column = 0; column < across; column++) {
      // What faces the light is as bright as what is lower.
      const fall = at(column - 1, row) - at(column + 1, row) + at(column, row - 1) - at(column, row + 1);
      const tint = within(at(column, row) + LIGHT * Math.tanh((fall * across) / 6), 1);
      const [from, to, part] = tint < 0.5 ? [deep, middle, 2 * tint] : [middle, top, 2 * tint - 1];
      for (let one = 0; one < 3; one++) image.data[k++] = from[one] + part * (to[one] - from[one]);
      image.data[k++] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return picture;
}

/** The lines where heights cross a level, cell by cell (marching squares). */
function contour(heights, across, up, level, sx, sy) {
  const lines = new Path2D();
  for (let k = 0; k < across * (up - 1); k++) {
    const column = k % across;
    if (column === across - 1) continue;
    const corners = [heights[k], heights[k + 1], heights[k + across + 1], heights[k + across]];
    let cuts = 0;
    for (let side = 0; side < 4; side++) {
      const [from, to] = [corners[side], corners[(side + 1) % 4]];
      if (from > level === to > level) continue;
      const part = (level - from) / (to - from);
      const [x, y] = [[part, 0], [1, part], [1 - part, 1], [0, 1 - part]][side];
      lines[cuts++ % 2 ? 'lineTo' : 'moveTo']((column + x) * sx, ((k - column) / across + y) * sy);
    }
  }
  return lines;
}
