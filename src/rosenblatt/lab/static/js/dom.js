// Making elements, and writing numbers.

const SVG = 'http://www.w3.org/2000/svg';

/** Make an element: h('button', {class: 'btn', onclick: f, disabled: true}, 'Text', child, …). */
export function h(name, told = {}, ...children) {
  return fill(document.createElement(name), told, children);
}

/** Make an element of SVG: s('circle', {cx: 1, cy: 2, r: 3}). */
export function s(name, told = {}, ...children) {
  return fill(document.createElementNS(SVG, name), told, children);
}

const real = (children) => children.flat(Infinity).filter((child) => (child ?? false) !== false);

function fill(element, told, children) {
  set(element, told);
  element.append(...real(children));
  return element;
}

/** Set attributes and listeners; false, null and undefined remove an attribute. */
export function set(element, told) {
  for (const [name, value] of Object.entries(told)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? '' : value);
  }
  return element;
}

/** Replace all that an element contains. */
export function put(element, ...children) {
  element.replaceChildren(...real(children));
  return element;
}

/** Write a number with so many digits that count, with a true minus. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(digits - 1).replace('e+', 'e')
    : String(Number(value.toPrecision(digits)));
  return text.replaceAll('-', '−');
}

/** Write a whole number with commas. */
export const whole = (value) => Math.round(value).toLocaleString('en-US').replace('-', '−');

/** Write "1 point", "2 points". */
export const count = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;
