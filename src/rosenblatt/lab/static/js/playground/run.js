// Running a learner on the points that are shown: opens runs, fetches their frames, asks for verdicts. While points
// are dragged, only as much is asked as is answered in time.

import {Player} from '../player.js';
import {wire} from '../wire.js';

const CAP = 50_000; // steps of one way to the end
const CAP_MOVING = 3_000;
const SWIFT = 70; // milliseconds: a run that takes longer waits until the drag rests
const REST = 160;
const LONG = 8_000; // what takes longer is not tried again by itself

/** Knows where a run is, while one run after another takes its place. */
export class Course {
  /** Where one is, or is about to be: a run may end before it. */
  get place() {
    const {busy, again, goal, player: {frozen, running, at, done, atEnd}} = this;
    if (busy && (again || frozen || running || !(at || done))) return goal;
    return atEnd && at ? {end: true} : {step: at};
  }

  /** The step that is shown, or soon will be. */
  get step() {
    return this.place.step ?? this.player.at;
  }

  /** Where to go after a change: where one was when a drag began; after others to the end, if one was there. */
  aim(kind) {
    const {place} = this;
    if (!this.dragged) this.held = kind === 'move' || place.end ? place : {step: 0};
    this.dragged = kind === 'move';
    return this.held;
  }
}

export class Running extends Course {
  /** `told()` returns what to run: {points, classes, learner, settings, bias, view, grid, planes, present}. */
  constructor({told, opened, show, verdict, idle, fail}) {
    super();
    Object.assign(this, {told, opened, idle, failed: fail, gotVerdict: verdict, run: null, took: 0, verdictTook: 0,
      goal: {}});
    this.player = new Player({
      fetch: (...asked) => this.#fetch(...asked), show, restart: () => this.open({step: 0}),
        fail: (error) => this.#fail(error),
    });
  }

  leave() {
    this.gone = true;
    clearTimeout(this.timer);
    clearTimeout(this.verdictTimer);
    this.player.clear();
  }

  /** Points or settings have changed: ask again. `moving` says that more changes will follow at once. */
  changed({goal, moving = false}) {
    Object.assign(this, {goal, moving, stuck: false, unproved: false, fell: false});
    clearTimeout(this.timer);
    if (moving && performance.now() - this.began > SWIFT) this.player.pause(); // what runs to its end is out of date
    this.ask();
    if (!moving || this.took < SWIFT) this.open();
    else this.timer = setTimeout(() => this.open(), REST);
  }

  /** Ask for the verdict; of many in a row the last one counts. */
  ask() {
    clearTimeout(this.verdictTimer);
    if (this.moving && this.verdictTook > REST) this.verdictTimer = setTimeout(() => this.#askNow(), REST);
    else this.#askNow();
  }

  async #askNow() {
    const {points, classes, bias} = this.told();
    const began = performance.now();
    try {
      const verdict = await wire.latest('verdict', 'playground.verdict', {points, classes, bias}, {quiet: true});
      if (verdict === undefined || this.gone) return;
      this.verdictTook = performance.now() - began;
      this.gotVerdict(verdict, this.verdictTook);
    } catch (error) {
      if (error.cancelled || this.gone) return; // asked again when there is a process
      this.unproved = error.lost;
      this.gotVerdict({kind: 'error', text: error.message});
    }
  }

  /** Open a run and go to a step of it, or to its end. What is asked meanwhile comes after it. */
  async open(goal = this.goal) {
    this.goal = goal;
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    while (this.again && !this.gone) {
      this.again = false;
      await this.#openOnce(this.goal).catch((error) => this.#fail(error));
    }
    this.busy = false;
  }

  async #openOnce(goal) {
    const {points, classes, learner, settings, view, grid, present} = this.told();
    const {player, moving} = this;
    player.freeze();
    if (present.length < 2) {
      player.clear();
      this.run = null;
      this.idle();
      return;
    }
    this.began = this.asked = performance.now();
    const opened = await wire.call('playground.open', {points, classes, learner, settings, view, grid},
      {quiet: moving});
    if (this.gone || (this.again && !this.moving)) return; // overtaken
    Object.assign(this, {run: opened.run, last: null});
    this.#complete(opened.frame);
    this.opened(opened, view, grid);
    const later = opened.kind === 'steps' && (goal.end || goal.step > 0);
    player.start(opened.frame, !later || goal.first);
    if (later) await player.toEnd(Math.min(goal.step ?? CAP, moving ? CAP_MOVING : Infinity));
    else if (goal.step && goal === this.goal) this.goal = {step: 0};
    if (!goal.first) this.took = performance.now() - this.began; // the first one is slow whatever it is
    this.fell = false;
  }

  async #fetch(start, count, take) {
    const {run} = this;
    this.asked = performance.now();
    return wire.call('playground.steps', {run, start, count}, {quiet: this.moving || count < 200, onPart: (part) => {
      if (run !== this.run) return;
      part.forEach((frame) => this.#complete(frame));
      take(part);
    }});
  }

  /** Frames tell a region only when it has changed. Where planes tell it, it is not kept. */
  #complete(frame) {
    frame.fresh = (frame.region?.length ?? 0) + 16 * (frame.support?.length ?? 0);
    frame.region = this.told().planes && frame.w ? null : frame.region ?? this.last?.region ?? null;
    this.last = frame;
  }

  #fail(error) {
    if (this.gone) return;
    if (this.run !== null) this.goal = this.place;
    this.player.freeze();
    this.run = null;
    if (error.cancelled) {
      // Somebody gave up, or the lab is gone. It is opened again when there is a process, but not run to the end again.
      if (error.message === 'cancelled') this.goal = {step: 0};
    } else if (error.lost && !this.fell && performance.now() - this.asked < LONG) {
      this.fell = true; // an accident; it is tried once more
    } else {
      this.stuck = error.lost;
      this.player.clear();
      this.failed(error.message);
    }
  }

  /** A fresh process remembers nothing: go on where one was. What took too long is not tried again by itself. */
  revive() {
    if (this.run !== null) this.goal = this.place;
    if (!this.stuck) this.open();
    if (!this.unproved) this.ask();
  }
}
