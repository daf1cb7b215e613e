// How the playground is laid out, and what its panels lead to.

import {h, put} from './dom.js';
import {DataPanel} from './playground_data.js';
import {upload} from './playground_files.js';
import {Now} from './playground_now.js';
import {LearnerPanel, ShowPanel, VerdictPanel} from './playground_panels.js';

/** Make the panels of a playground, and put all into its place: setup, stage, story. */
export function layOut(screen, place) {
  const {list} = screen;
  screen.data = new DataPanel({
    preset: (name) => screen.load(new URLSearchParams({preset: name})), choose: (c) => screen.choose(c), addClass: () => screen.choose(list.addClass()),
    clear: () => list.clear(), undo: () => list.undo(), redo: () => list.redo(),
    file: (file) => screen.openFile(file), columns: (columns) => upload(screen, screen.fileText, columns),
  });
  screen.panel = new LearnerPanel({learner: (name) => screen.chooseLearner(name), setting: (name, value) => screen.setOption(name, value), keep: (flag) => screen.keepOn(flag)});
  screen.shown = new ShowPanel((name, flag) => screen.draw(name, flag), screen.panel.keepLabel);
  screen.now = new Now();
  screen.proof = new VerdictPanel();
  const zoom = (id, text, words, by) => h('button', {class: 'btn small icon', id, type: 'button', title: words, 'aria-label': words, onclick: () => screen.zoom(by)}, text);
  put(place,
    h('div', {class: 'setup stack'}, screen.data.element, screen.panel.element, screen.shown.element),
    h('div', {class: 'stage panel'}, screen.plane.element,
      h('div', {class: 'zoom'}, zoom('zoom-in', '+', 'Nearer', 0.8), zoom('zoom-out', '−', 'Farther', 1.25), zoom('fit', '⤢', 'Show all points', 0)),
      screen.transport.element),
    h('div', {class: 'story stack'}, screen.now.element, screen.history.element, screen.proof.element));
}
