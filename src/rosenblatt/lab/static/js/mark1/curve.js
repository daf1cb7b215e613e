// Pass by pass: the share of held-out pictures that are right, and of mistakes made on the way.

import {put, s} from '../dom.js';

const [LEFT, RIGHT, TOP, FLOOR] = [40, 254, 8, 68];

export function drawCurve(svg, passes) {
  const last = passes.length;
  const x = (k) => last === 1 ? RIGHT : LEFT + (RIGHT - LEFT) * k / (last - 1);
  const y = (share) => FLOOR - (FLOOR - TOP) * share;
  const axis = (at, height, text) => s('text', {x: at, y: height, 'text-anchor': 'end'}, text);
  const line = (name, text, shares) => {
    if (!shares.every(Number.isFinite) || !last) return null;
    const places = shares.map((share, k) => `${x(k)} ${y(share)}`);
    const end = y(shares.at(-1));
    return [s('path', {class: name, d: `M${places.join('L')}`}), s('circle', {class: name, cx: RIGHT, cy: end, r: 3}),
      s('text', {class: name, x: RIGHT + 8, y: end + 4}, text)];
  };
  svg.ariaLabel = `Held-out pictures that are right, after each of ${last} passes`;
  put(svg, axis(RIGHT, 82, last ? `pass ${last}` : 'no pass yet'), last > 1 && axis(LEFT + 34, 82, 'pass 1'),
    [0, .5, 1].map((part) => [s('path', {d: `M${LEFT} ${y(part)}H${RIGHT}`}), axis(LEFT - 6, y(part) + 4, `${100 * part} %`)]),
    line('wrong', 'mistakes', passes.map((one) => one.mistakes / one.looked)),
    line('held', 'held out', passes.map((one) => one.right / one.held)));
}
