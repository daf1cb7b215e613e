// The frame around the screens: which one is shown, the look, what to say when the server is gone.

import {address, discard, flush, read} from './address.js';
import {h, put} from './dom.js';
import {takeMenu} from './take.js';
import {wire} from './wire.js';
import {SCREENS} from './screens.js';

const THEMES = {auto: ['◐', 'As the system'], light: ['☀', 'Light'], dark: ['☾', 'Dark']};
const dark = [...document.styleSheets[0].cssRules].find((rule) => rule.media); // the colours of lab.css
const place = document.getElementById('screen');
const notice = document.getElementById('notice');
let shown = null; // {name, screen}
let soon = 0;

function show() {
  discard(); // the address as it is now is what counts
  const {screen, params} = read();
  const name = Object.hasOwn(SCREENS, screen) ? screen : Object.keys(SCREENS)[0];
  if (!name) return;
  if (shown?.name === name && shown.screen?.follow) {
    shown.screen.follow(params); // the same screen with another state, such as after "back"
    return;
  }
  shown?.screen?.leave?.();
  if (shown) wire.leave();
  place.replaceChildren();
  place.className = `screen ${name}`;
  document.title = `${SCREENS[name].title} · Rosenblatt lab`;
  for (const tab of document.querySelectorAll('.tabs a')) {
    if (tab.dataset.name === name) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  document.querySelector('.tabs [aria-current]')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  shown = {name, screen: null};
  draw(shown, params);
}

/** Draw a screen, once its module is there: `load` gets it when it is first wanted. */
async function draw(mine, params) {
  const {open, load} = SCREENS[mine.name];
  try {
    const draws = open ?? (await load()).open;
    if (shown === mine) mine.screen = draws(place, params);
  } catch (error) {
    if (shown === mine) put(place, h('p', {class: 'error', role: 'alert'}, `This screen could not be drawn: ${error.message}. Choose another one above.`));
    reportError(error);
  }
}

function setTheme(name) {
  dark.media.mediaText = {light: 'not all', dark: 'all'}[name] ?? '(prefers-color-scheme: dark)';
  try {
    localStorage.setItem('theme', name);
  } catch { /* it is not kept, then */ }
  window.dispatchEvent(new Event('themechange'));
}

function themeButton() {
  let current = 'auto';
  try {
    current = localStorage.getItem('theme');
  } catch { /* nothing was kept */ }
  if (!(current in THEMES)) current = 'auto';
  const button = h('button', {class: 'btn quiet icon', id: 'theme', onclick: () => {
    const names = Object.keys(THEMES);
    current = names[(names.indexOf(current) + 1) % names.length];
    label();
    setTheme(current);
  }});
  const label = () => {
    const [sign, text] = THEMES[current];
    put(button, sign);
    button.title = `Look: ${text.toLowerCase()}`;
    button.setAttribute('aria-label', `Look: ${text.toLowerCase()}. Change`);
  };
  label();
  setTheme(current);
  return button;
}

const SAID = {
  lost: ['The lab does not answer.', ' If its terminal was closed, start it again with ', h('code', {}, 'rosenblatt lab'),
    ' and open the address that it shows. Nothing on this page is lost.'],
  moved: ['The lab was started again, at a new address.', ' Open the one that its terminal shows. If it has the same port, ',
    'this page follows; else put this page’s address from # on behind it.'],
  full: ['Too many pages of the lab are open.', ' Close one of them: this one then goes on by itself.'],
  broken: ['The process that computes does not start.', ' The terminal in which the lab runs shows why.'],
};

function say(bad, ...children) {
  notice.hidden = !children.length;
  notice.classList.toggle('bad', bad);
  put(notice, ...children.map((child) => child.cloneNode ? child.cloneNode(true) : child));
}

function tellState({name}) {
  if (name in SAID && document.body.dataset.state === name) return; // said once is enough
  document.body.dataset.state = name;
  clearTimeout(soon);
  if (name === 'starting') {
    soon = setTimeout(() => say(false, h('span', {class: 'spinner'}), 'Getting ready …'), 500);
  } else if (name in SAID) {
    const [first, ...rest] = SAID[name];
    say(true, h('strong', {}, first), ...rest);
  } else {
    say(false);
    tellBusy({slow: wire.slow()});
  }
}

function tellBusy({slow}) {
  if (document.body.dataset.state !== 'ready') return;
  const shows = Boolean(document.getElementById('cancel'));
  if (!slow.length) say(false);
  else if (!shows) {
    say(false, h('span', {class: 'spinner'}), 'Computing …');
    notice.append(h('button', {class: 'btn small', id: 'cancel', onclick: () => wire.cancelAll()}, 'Cancel'));
  }
}

for (const [name, {title}] of Object.entries(SCREENS)) {
  document.getElementById('tabs').append(h('a', {href: address(name), 'data-name': name}, title));
}
document.getElementById('home').href = address(Object.keys(SCREENS)[0] ?? '');
put(document.getElementById('tools'), takeMenu(() => shown), themeButton());
wire.on('state', tellState);
wire.on('busy', tellBusy);
window.addEventListener('hashchange', show);
window.addEventListener('pagehide', flush);
document.addEventListener('click', (event) => { if (event.target.closest?.('a')) flush(); }, true); // "back" leads to all of it
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address is for what is shown
  place.focus();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => window.dispatchEvent(new Event('themechange')));
show();
wire.open();
// The others are at hand before they are wanted, even if the server is gone by then.
setTimeout(() => Object.values(SCREENS).forEach(({load}) => load?.().catch(() => {})), 2000);
