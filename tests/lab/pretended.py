"""Two screens made for tests, in place of the page's own."""

import re

from playwright.sync_api import Page

SCREENS = """
import {h, s} from './dom.js';
import {write} from './address.js';
import {wire} from './wire.js';

window.wire = wire;
window.told = []; // what happened, in order
window.tell = (text) => window.told.push(text);
wire.on('state', ({name}) => tell(`state ${name}`));

function opening(name) {
  return (place, params) => {
    let n = Number(params.get('n') ?? 0);
    const field = h('output', {id: 'n'}, n);
    const show = () => { field.textContent = n; };
    const more = () => { n += 1; show(); write(name, {n}); };
    const keep = () => wire.call('trying.keep', {value: `${name} ${n}`}).catch(() => 0);
    tell(`open ${name} ${n}`);
    place.append(h('p', {class: 'panel'}, `This is the ${name} screen. n = `, field),
      h('button', {class: 'btn', id: 'more', onclick: more}, 'More'),
      s('svg', {id: 'picture', viewBox: '0 0 200 100', width: 200, height: 100},
        s('defs', {}, s('clipPath', {id: 'left'}, s('rect', {width: 100, height: 100}))),
        s('rect', {width: 200, height: 100, 'clip-path': 'url(#left)', fill: 'var(--class-1)'}),
        s('circle', {cx: 150, cy: 50, r: 30, fill: '#0000ff'}),
        s('g', {hidden: true}, s('text', {id: 'unseen'}, 'unseen'))));
    const stop = wire.on('ready', () => {
      tell(`ready ${name}`);
      keep();
    });
    if (wire.ready) keep();
    return {
      leave() { stop(); tell(`leave ${name}`); },
      follow(now) { n = Number(now.get('n') ?? 0); show(); tell(`follow ${name} ${n}`); },
      take() {
        return {name: `the-${name}`, svg: () => document.getElementById('picture'),
          csv: () => 'x1,x2,class\\n1,2,a\\n', code: async () => `print(${n})\\n`};
      },
    };
  };
}

export const SCREENS = {
  first: {title: 'First', open: opening('first')},
  second: {title: 'Second', open: opening('second')},
  later: {title: 'Later', load: () => new Promise((resolve) => {
    setTimeout(() => resolve({open: opening('later')}), 300);
  })},
  broken: {title: 'Broken', open() { throw new Error('a fault of the screen'); }},
};
"""


def pretend(page: Page) -> Page:
    """Give a page these screens."""
    page.route(
        re.compile(r"/js/screens\.js$"),
        lambda route: route.fulfill(body=SCREENS, content_type="text/javascript"),
    )
    return page


def told(page: Page) -> list[str]:
    """Return what happened on a page so far, and forget it."""
    return page.evaluate("told.splice(0)")
