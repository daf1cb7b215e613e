// The frame around the screens: which one is shown, the look, what to say when the server is gone.

import {address, flush, read} from './address.js';
import {h, put} from './dom.js';
import {takeMenu} from './take.js';
import {wire} from './wire.js';
import {SCREENS} from './screens.js';

const THEMES = {auto: ['◐', 'As the system'], light: ['☀', 'Light'], dark: ['☾', 'Dark']};
const root = document.documentElement;
const place = document.getElementById('screen');
const notice = document.getElementById('notice');
let shown = null; // {name, screen}

function show() {
  const {screen, params} = read();
  const name = screen in SCREENS ? screen : Object.keys(SCREENS)[0];
  if (shown?.name === name && shown.screen.follow) {
    shown.screen.follow(params); // the same screen with another state, such as after "back"
    return;
  }
  flush();
  shown?.screen.leave?.();
  place.replaceChildren();
  place.className = `screen ${name}`;
  document.title = `${SCREENS[name].title} · Rosenblatt lab`;
  shown = {name, screen: SCREENS[name].open(place, params)};
  for (const tab of document.querySelectorAll('.tabs a')) {
    if (tab.dataset.name === name) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  document.querySelector('.tabs [aria-current]')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
}

function setTheme(name) {
  if (name === 'auto') delete root.dataset.theme;
  else root.dataset.theme = name;
  try {
    localStorage.setItem('theme', name);
  } catch { /* it is not kept, then */ }
  window.dispatchEvent(new Event('themechange'));
}

function themeButton() {
  let current = 'auto';
  try {
    current = localStorage.getItem('theme') ?? 'auto';
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
    '. Nothing on this page is lost, and it goes on by itself.'],
  moved: ['The lab was started again, at a new address.', ' Open the one that its terminal shows: this page then moves there by itself, with all that is on it.'],
};

function tellState({name, reason}) {
  document.body.dataset.state = name;
  const text = SAID[name];
  notice.hidden = !text;
  notice.classList.toggle('bad', Boolean(text));
  if (text) put(notice, h('strong', {}, text[0]), h('span', {}, ...text.slice(1).map((part) => part.cloneNode ? part.cloneNode(true) : part)), reason ? ` (${reason})` : null);
}

function tellBusy({slow}) {
  if (document.body.dataset.state !== 'ready') return;
  notice.hidden = !slow.length;
  notice.classList.remove('bad');
  if (slow.length) {
    put(notice, h('span', {class: 'spinner'}), 'Computing …', h('button', {class: 'btn small', id: 'cancel', onclick: () => wire.cancelAll()}, 'Cancel'));
  }
}

for (const [name, {title}] of Object.entries(SCREENS)) {
  document.getElementById('tabs').append(h('a', {href: address(name), 'data-name': name}, title));
}
document.getElementById('home').href = address(Object.keys(SCREENS)[0]);
put(document.getElementById('tools'), takeMenu(() => shown), themeButton());
wire.on('state', tellState);
wire.on('busy', tellBusy);
window.addEventListener('hashchange', show);
window.addEventListener('pagehide', flush);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => window.dispatchEvent(new Event('themechange')));
show();
wire.open();
