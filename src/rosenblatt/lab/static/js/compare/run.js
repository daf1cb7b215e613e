// Several learners in step: opens their runs, and hands the player {k, each: [a frame of each learner]}. One that is
// done keeps its last frame.

import {Player} from '../player.js';
import {Course} from '../playground/run.js';
import {wire} from '../wire.js';

export class Race extends Course {
  /** `told()` returns {asked, planes}: what to open, and whose regions are told by planes. */
  constructor({told, opened, show, fail}) {
    super();
    Object.assign(this, {told, opened, fail, run: null, goal: {step: 0}, ends: []});
    this.player = new Player({
      fetch: (...asked) => this.#fetch(...asked), show,
      restart: () => this.open({step: 0}), fail: (error) => this.#failed(error),
    });
  }

  leave() {
    this.gone = true;
    this.player.clear();
  }

  /** Open runs and go to a step of them, or to the end. While points are moving, one is shown after the other;
   *  otherwise what is under way is given up. */
  open(goal, moving = false) {
    if (!moving || !this.moving) this.player.freeze();
    Object.assign(this, {goal, moving, stuck: false, again: true});
    this.busy ??= this.#loop().finally(() => { this.busy = null; });
  }

  async #loop() {
    while (this.again && !this.gone) {
      this.again = false;
      this.player.freeze();
      await this.#openOnce(this.goal).catch((error) => this.#failed(error));
    }
  }

  async #openOnce({step, end}) {
    const {player, moving} = this;
    const {generation} = player;
    const {asked, planes} = this.told();
    const {run, runs, table} = await wire.call('compare.open', asked, {quiet: moving});
    if (this.gone || generation !== player.generation) return;
    Object.assign(this, {run, planes, lasts: [], ends: runs.map(({done, ending}) => done && {k: 0, text: ending})});
    this.opened(runs, asked, table);
    player.start(this.#step(0, runs.map(({frame}) => frame)), !end && !step);
    if (end || step) await player.toEnd(Math.min(step ?? 50_000, moving ? 1_000 : Infinity));
  }

  async #fetch(start, count, take) {
    const {run, moving} = this;
    let k = start;
    const onPart = (part) => { if (run === this.run) take(part.map((frames) => this.#step(k++, frames))); };
    const quiet = moving || count < 200;
    const {done, endings} = await wire.call('compare.steps', {run, start, count}, {quiet, onPart});
    if (run === this.run) this.ends = endings.map((text, i) => text && {k: this.lasts[i].k, text});
    return {done};
  }

  /** Frames tell a region only when it has changed. Where planes tell it, it is not kept. */
  #step(k, frames) {
    let fresh = 0;
    const each = frames.map((frame, i) => {
      const last = this.lasts[i];
      if (!frame) return last.k === k - 1 ? (this.lasts[i] = {...last, rows: [], updated: false}) : last;
      fresh += 300 + (frame.region?.length ?? 0) + 16 * (frame.support?.length ?? 0);
      frame.region = this.planes[i] && frame.w ? null : (frame.region ?? last?.region ?? null);
      return (this.lasts[i] = frame);
    });
    return {k, each, fresh};
  }

  /** How a learner ended, if it has at a step. */
  ending(i, k) {
    const end = this.ends[i];
    return end && k >= end.k ? end.text : '';
  }

  #failed({message, cancelled, lost}) {
    if (this.gone) return;
    this.player.freeze();
    this.run = null;
    this.stuck = lost && !cancelled; // it took too long, and is not tried again by itself
    if (message === 'cancelled') this.goal = {step: 0};
    if (cancelled) return; // it is opened again when there is a process
    this.player.clear();
    this.fail(message);
  }

  /** Open again where one was. */
  revive() {
    if (this.run !== null) this.goal = this.place;
    if (!this.stuck) this.open(this.goal);
  }
}
