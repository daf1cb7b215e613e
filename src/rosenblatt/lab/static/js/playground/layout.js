// How the playground is laid out, and what its panels lead to.

import {button} from '../controls.js';
import {h, put} from '../dom.js';
import {DataPanel} from './data.js';
import {Now} from './now.js';
import {LearnerPanel, ShowPanel, VerdictPanel} from './panels.js';

/** Make the panels of a playground, and put all into its place: setup, stage, story. */
export function layOut(screen, place) {
  const data = new DataPanel(screen);
  const panel = new LearnerPanel(screen);
  const shown = new ShowPanel(screen, panel.keepLabel);
  Object.assign(screen, {data, panel, shown, now: new Now(), proof: new VerdictPanel(screen)});
  const zoom = (id, text, words, by) => button(id, text, words, () => screen.zoom(by), 'btn small icon');
  put(place,
    h('div', {class: 'setup stack'}, data.element, panel.element, shown.element),
    h('div', {class: 'stage panel'}, screen.plane.element, h('div', {class: 'zoom'},
      zoom('zoom-in', '+', 'Nearer', 0.8),
      zoom('zoom-out', '−', 'Farther', 1.25), zoom('fit', '⤢', 'Show all points', 0)), screen.transport.element),
    h('div', {class: 'story stack'}, screen.now.element, screen.chart.element, screen.proof.element));
}
