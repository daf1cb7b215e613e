// Taking along what a screen shows: a link, a picture, the points, the code.
//
// A screen's take() returns {name, link, svg, csv, code}: a name for files; functions that return the
// address (#/…), an SVG element, CSV text, and a promise of Python code. What a screen lacks is left out; `table` is
// what the menu calls the CSV text.

import {flush} from './address.js';
import {h, put, s, set} from './dom.js';

const LOOKS = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap',
  'stroke-linejoin', 'opacity', 'font-family', 'font-size', 'font-weight', 'font-style', 'text-anchor', 'dominant-baseline',
  'visibility', 'image-rendering', 'paint-order', 'letter-spacing'];

/** Copy an SVG element with all that style sheets give it written into it. */
export function plainSvg(source) {
  if (!source.isConnected) return offstage(source, plainSvg); // style sheets hold in the page alone
  const copy = source.cloneNode(true);
  const from = [source, ...source.querySelectorAll('*')];
  const to = [copy, ...copy.querySelectorAll('*')];
  const unseen = [];
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    if (style.display === 'none' && !element.closest('defs')) unseen.push(to[k]);
    for (const look of LOOKS) {
      const value = style.getPropertyValue(look);
      if (value) to[k].setAttribute(look, value);
    }
    for (const name of ['class', 'tabindex', 'role', 'style', 'aria-label']) to[k].removeAttribute(name);
    for (const name of Object.keys(to[k].dataset ?? {})) delete to[k].dataset[name];
  });
  unseen.forEach((element) => element.remove());
  const {width, height} = size(source);
  const viewBox = copy.getAttribute('viewBox') ?? `0 0 ${width} ${height}`;
  const [x, y, w, tall] = viewBox.split(/[ ,]+/);
  const fill = getComputedStyle(document.body).backgroundColor;
  set(copy, {width, height, viewBox}).prepend(s('rect', {x, y, width: w, height: tall, fill}));
  return copy;
}

function offstage(element, act) {
  const stage = h('div', {class: 'offstage', 'aria-hidden': 'true'}, element);
  document.body.append(stage);
  try {
    return act(element);
  } finally {
    element.remove();
    stage.remove();
  }
}

function size(svg) {
  const view = svg.viewBox.baseVal;
  const laidOut = svg.hasAttribute('width') || !svg.closest('.offstage');
  const {width, height} = view?.width && !laidOut ? view : svg.getBoundingClientRect();
  return {width, height};
}

export const svgText = (svg) => new XMLSerializer().serializeToString(plainSvg(svg));

/** Draw an SVG element as a PNG, at twice its size. */
export async function pngOf(svg) {
  const plain = plainSvg(svg);
  const [width, height] = [plain.getAttribute('width'), plain.getAttribute('height')].map(Number);
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(plain)], {type: 'image/svg+xml'}));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h('canvas', {width: Math.round(2 * width), height: Math.round(2 * height)});
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function copyText(text, button) {
  const before = button.textContent;
  button.textContent = await navigator.clipboard.writeText(text).then(() => 'Copied', () => 'Select and copy it by hand');
  setTimeout(() => { button.textContent = before; }, 1600);
}

const copier = (text, name, kind) => {
  const button = h('button', {class: `btn ${kind}`, onclick: () => copyText(text, button)}, name);
  return button;
};

function showText(title, text, {file, command} = {}) {
  const dialog = h('dialog', {class: 'sheet', 'aria-label': title},
    h('header', {}, h('h2', {}, title), h('button', {class: 'btn quiet icon', 'aria-label': 'Close', onclick: () => dialog.close()}, '✕')),
    h('pre', {class: 'code', tabindex: 0, id: 'taken-text'}, text),
    command && h('p', {class: 'soft'}, 'The link is for this run of the lab. Elsewhere, and later, this shows the same:'),
    command && h('pre', {class: 'code', tabindex: 0, id: 'taken-command'}, command),
    h('footer', {},
      file && h('button', {class: 'btn', onclick: () => download(file, new Blob([text], {type: 'text/plain'}))}, `Save ${file}`),
      command && copier(command, 'Copy command', ''),
      copier(text, command ? 'Copy link' : 'Copy', 'primary')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** The button "Take along" with its menu; `shown()` tells the screen in front. */
export function takeMenu(shown) {
  const list = h('div', {class: 'menu', id: 'take-menu', role: 'menu', hidden: true});
  const button = h('button', {class: 'btn', id: 'take', 'aria-haspopup': 'menu', 'aria-expanded': 'false', onclick: () => toggle()}, 'Take along');
  const close = () => {
    list.hidden = true;
    button.setAttribute('aria-expanded', 'false');
  };
  const item = (id, text, act) => h('button', {role: 'menuitem', 'data-take': id, onclick: async () => {
    close();
    button.focus();
    try {
      await act();
    } catch (error) {
      if (error.message !== 'cancelled') showText('That did not work', String(error.message ?? error));
    }
  }}, text);
  const toggle = () => {
    if (!list.hidden) {
      close();
      return;
    }
    const taken = shown()?.screen?.take?.() ?? {};
    const name = taken.name ?? 'lab';
    const save = (end, type, text) => download(`${name}.${end}`, new Blob([text], {type}));
    put(list,
      item('link', 'Link to this', () => {
        flush();
        showText('A link to this', location.href, {command: `rosenblatt lab '${(location.hash || '#/').replaceAll("'", '%27')}'`});
      }),
      taken.svg && item('svg', 'Picture, SVG', () => save('svg', 'image/svg+xml', svgText(taken.svg()))),
      taken.svg && item('png', 'Picture, PNG', async () => download(`${name}.png`, await pngOf(taken.svg()))),
      taken.csv && item('csv', taken.table ?? 'Points, CSV', async () => save('csv', 'text/csv', await taken.csv())),
      taken.code && item('code', 'Python code', async () => showText('The same in Python', await taken.code(), {file: `${name}.py`})));
    list.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    list.querySelector('button')?.focus();
  };
  const leave = ({relatedTarget: next}) => next && !box.contains(next) && close();
  const box = h('div', {class: 'menu-box', onfocusout: leave, onkeydown: (event) => {
    if (event.key === 'Escape' && !list.hidden) {
      close();
      button.focus();
      event.stopPropagation();
    }
    const items = [...list.querySelectorAll('button')];
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step && !list.hidden) {
      items[(items.indexOf(document.activeElement) + step + items.length) % items.length]?.focus();
      event.preventDefault();
    }
  }}, button, list);
  document.addEventListener('pointerdown', (event) => { if (!box.contains(event.target)) close(); });
  return box;
}
