// Plays frames: keeps those that are known, fetches more ahead of time, and moves through them.
//
//   const player = new Player({fetch: async (start, count, take) => …, show: (k) => …});
//   player.start(frame0);  player.frame(k); player.at; player.known; player.done; player.ending
//
// fetch() hands lists of frames to take() as they come and resolves to {done, ending}. What a step needs is in the
// buffer, so it is drawn at once. Only the newest frames are kept; to see the first ones again, the run restarts.

export const SPEEDS = [1, 2, 4, 8, 15, 30, 60, Infinity];
const AHEAD = 150; // frames that should be known beyond the one shown
const QUIET = 80; // milliseconds: a run that is replaced sooner fetches nothing
const TARGET = 90; // milliseconds that a fetch should take, so that other questions do not wait long
const GLIMPSE = 250; // how often a long way to the end is shown

export class Player {
  constructor({fetch, show, restart = () => {}, fail = () => {}, keep = 20_000, bytes = 64e6}) {
    Object.assign(this, {ask: fetch, showFrame: show, restart, fail, keep, bytes, generation: 0, speed: 8, chunk: 32,
      listeners: []});
    this.clear();
  }

  on(listener) {
    this.listeners.push(listener);
  }

  #tell() {
    for (const listener of this.listeners) listener(this);
  }

  /** Forget all: no run is open. */
  clear() {
    this.freeze();
    Object.assign(this, {frames: [], first: 0, at: 0, reached: 0, ending: '', weight: 0});
    clearTimeout(this.soon);
    this.thaw();
    this.frozen = null;
  }

  /** Begin with frame 0 of a new run; unless told not to, show it. */
  start(frame, shown = true) {
    this.clear();
    Object.assign(this, {frames: [frame], done: false});
    this.soon = setTimeout(() => this.#fetchAhead(), QUIET);
    if (shown) this.go(0);
  }

  /** Fetch nothing more: the run is about to be replaced. What is asked for meanwhile is done with the new one. */
  freeze() {
    this.generation++;
    this.pause();
    Object.assign(this, {fetching: null, done: true});
    this.frozen ??= new Promise((resolve) => { this.thaw = resolve; });
  }

  get known() {
    return this.first + this.frames.length - 1;
  }

  get atEnd() {
    return this.done && this.at === this.known;
  }

  frame(k) {
    return this.frames[k - this.first];
  }

  /** Show a frame that is known. */
  go(k) {
    if (!this.frames.length) return;
    this.at = Math.min(Math.max(k, this.first), this.known);
    this.reached = Math.max(this.reached, this.at);
    this.showFrame(this.at);
    this.#tell();
    if (!this.soon) this.#fetchAhead();
  }

  async step() {
    this.pause();
    await this.frozen;
    if (await this.need(this.at + 1)) this.go(this.at + 1);
  }

  back() {
    this.pause();
    if (this.at > this.first) this.go(this.at - 1);
    else this.reset();
  }

  reset() {
    this.pause();
    if (this.first) this.restart(); // the first frames are no longer kept
    else this.go(0);
  }

  /** Show the last frame, or the one after so many more. Say whether it is the last. */
  async toEnd(most = 50_000) {
    this.pause();
    await this.frozen;
    const {generation} = this;
    const last = this.at + most;
    let shown = performance.now();
    this.running = true;
    this.#tell();
    while (this.running && !this.done && this.known < last) {
      if (!await this.#fetch(Math.min(Math.max(this.chunk, 64), last - this.known))
        || generation !== this.generation) break;
      if (this.running && performance.now() - shown > GLIMPSE) {
        shown = performance.now();
        this.go(Math.min(this.known, last));
      }
    }
    if (generation !== this.generation) return false;
    const stopped = !this.running;
    this.running = false;
    if (!stopped) this.go(Math.min(this.known, last)); // others may have fetched more
    this.#tell();
    return this.done;
  }

  toggle() {
    if (this.playing || this.running) this.pause();
    else this.play();
  }

  async play() {
    await this.frozen;
    if (this.playing || !this.frames.length) return;
    if (this.atEnd && this.first === 0) this.go(0);
    Object.assign(this, {playing: true, due: 0, last: performance.now()});
    this.#tell();
    this.timer = requestAnimationFrame((time) => this.#tick(time));
  }

  pause() {
    const was = this.playing || this.running;
    this.playing = this.running = false;
    cancelAnimationFrame(this.timer);
    if (was) this.#tell();
  }

  /** As many steps as are due since the last time; only the last of them is drawn. */
  #tick(time) {
    if (!this.playing) return;
    const passed = Math.max(0, Math.min(time - this.last, 250));
    this.last = time;
    this.due += this.speed === Infinity ? Math.max(this.known - this.at, 1) : (passed * this.speed) / 1000;
    const steps = Math.min(Math.floor(this.due + 1e-6), this.known - this.at);
    this.due -= steps;
    if (steps > 0) this.go(this.at + steps);
    else {
      this.due = Math.min(this.due, 1); // nothing has come yet: what is late is not caught up
      this.#fetchAhead();
    }
    if (this.atEnd) this.pause();
    else if (this.playing) this.timer = requestAnimationFrame((next) => this.#tick(next));
  }

  /** Wait until a frame is known; say whether there is one. */
  async need(k) {
    const {generation} = this;
    while (this.known < k && !this.done && generation === this.generation) {
      if (!await this.#fetch(this.chunk)) break;
    }
    return generation === this.generation && k <= this.known;
  }

  #fetchAhead() {
    this.soon = 0;
    const fast = this.playing && this.speed > 60;
    if (this.done || this.fetching || this.known - this.at >= (fast ? 2000 : AHEAD)) return;
    this.#fetch(fast ? Math.max(this.chunk, 400) : this.chunk);
  }

  /** Fetch some more; one fetch at a time. Say whether it went well. */
  #fetch(count) {
    clearTimeout(this.soon);
    this.soon = 0;
    if (this.fetching) return this.fetching;
    const mine = this.fetching = this.#fetchNow(count, this.generation);
    mine.then(() => { if (this.fetching === mine) this.fetching = null; });
    return mine;
  }

  async #fetchNow(count, generation) {
    const [began, before] = [performance.now(), this.known];
    try {
      const {done, ending = ''} = await this.ask(before + 1, count,
        (list) => { if (generation === this.generation) this.#take(list); });
      if (generation !== this.generation) return false;
      Object.assign(this, {done, ending});
    } catch (error) {
      if (generation !== this.generation) return false;
      this.pause();
      this.fail(error);
      return false;
    }
    const got = this.known - before;
    const fit = Math.round((got * TARGET) / Math.max(performance.now() - began, 1));
    if (got) this.chunk = Math.max(16, Math.min(512, fit));
    this.#tell();
    return this.done || got > 0;
  }

  /** Take frames in, and drop the oldest if they are too many; the one that is shown stays. */
  #take(list) {
    const weigh = ({fresh = 0}) => 300 + fresh; // a guess at the memory that it takes
    this.frames.push(...list);
    this.weight += list.reduce((sum, frame) => sum + weigh(frame), 0);
    const heavy = (drop) => this.frames.length - drop > this.keep || this.weight > this.bytes;
    let drop = 0;
    while (drop < this.at - this.first && heavy(drop)) this.weight -= weigh(this.frames[drop++]);
    this.frames.splice(0, drop);
    this.first += drop;
  }
}
