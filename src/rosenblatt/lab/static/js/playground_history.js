// The panel with the chart: mistakes so far against the bound on them, or the loss.

import {Chart} from './chart.js';
import {h, put} from './dom.js';

const BOUNDED = ['perceptron', 'averaged', 'voted']; // whose mistakes the bound is about

export class History {
  constructor(player) {
    this.player = player;
    this.chart = new Chart((k) => {
      player.pause();
      player.go(k);
    });
    this.title = h('h2', {}, 'Mistakes');
    this.element = h('section', {class: 'panel history', 'aria-label': 'Chart'}, this.title, this.chart.element);
  }

  /** Begin with a new run, of a learner that goes by a loss or not. */
  clear({loss = false, once = false} = {}) {
    this.loss = loss;
    this.element.hidden = once;
    this.chart.clear();
    put(this.title, loss ? 'Loss' : 'Mistakes');
  }

  draw({learner, settings, binary, verdict}) {
    const {player, chart, loss} = this;
    for (let k = Math.max(chart.values.length, player.first); k <= player.reached; k++) chart.note(k,
      player.frame(k)?.[loss ? 'loss' : 'mistakes']);
    const counts = !loss && binary && BOUNDED.includes(learner.name) && settings.rate !== 'inverse'
      && verdict?.bound?.theorem === 'novikoff';
    chart.draw({at: player.at, reached: player.reached, bound: counts ? verdict.bound.bound : null, whole: !loss,
      words: loss ? 'Loss' : 'Mistakes so far'});
  }
}
