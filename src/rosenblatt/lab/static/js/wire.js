// The way to the library: questions and answers over a WebSocket.
//
//   const result = await wire.call('playground.open', {points}, {onPart: (part) => …});
//   wire.latest('verdict', 'playground.verdict', {points})   // of many in a row, the last one counts
//   wire.on('ready', reopen)    // a fresh process: what a screen asked it to remember is to be asked again
//   wire.on('state', ({name}) => …)  // 'starting', 'ready', 'lost', 'moved', 'full', 'broken'
//
// Where the process ends or the server is gone, all that was asked is rejected with `lost`. What is asked until there
// is a new one waits for it, unless the server goes meanwhile.

import {flush} from './address.js';

const RETRY = {starting: 200, lost: 800, moved: 3000, full: 2000, broken: 5000};
const ENDS = {1009: 'starting', 1013: 'full', 4000: 'broken'}; // what the server says when it closes
const SLOW = 400;
const PATIENCE = 1200;
const MOST = 4 << 20; // bytes of a question, as the server has it
const LARGE = {error: 'this is larger than the lab takes: 4 MB at most; use fewer points or rows'};
const GONE = {error: 'the lab does not answer', lost: true, cancelled: true};

export class LabError extends Error {
  constructor(answer) {
    super(answer.error);
    this.cancelled = Boolean(answer.cancelled);
    this.lost = Boolean(answer.lost);
  }
}

class Wire {
  constructor() {
    this.listeners = {};
    this.pending = new Map();
    this.next = 1;
    this.ready = false;
    this.queue = []; // [id, text] of what is to be sent when there is a process
    this.newest = new Map();
    this.base = new URL('.', document.baseURI);
    this.channel = new BroadcastChannel('rosenblatt-lab');
    this.channel.onmessage = ({data}) => this.#hear(data);
  }

  on(event, listener) {
    (this.listeners[event] ??= new Set()).add(listener);
    return () => this.listeners[event].delete(listener);
  }

  #tell(event, detail = {}) {
    for (const listener of [...(this.listeners[event] ?? [])]) {
      try {
        listener(detail);
      } catch (error) {
        reportError(error); // one that fails must not keep the others from hearing
      }
    }
  }

  open() {
    this.#tell('state', {name: 'starting'});
    this.#connect();
  }

  #connect() {
    const url = new URL('socket', this.base);
    url.protocol = 'ws:';
    this.socket = new WebSocket(url);
    this.socket.onopen = () => this.#tell('state', {name: 'starting'});
    this.socket.onmessage = ({data}) => this.#take(JSON.parse(data));
    this.socket.onclose = (event) => this.#lost(event);
  }

  #take(answer) {
    if (answer.ready) {
      this.ready = true;
      this.channel.postMessage({at: String(this.base)});
      this.#tell('state', {name: 'ready'});
      for (const [, text] of this.queue.splice(0)) this.socket.send(text); // asked before what is asked now
      this.#tell('ready');
      return;
    }
    if (answer.lost) this.ready = false; // until there is another process
    const asked = this.pending.get(answer.id);
    if (!asked) return;
    if ('part' in answer) {
      asked.onPart?.(answer.part);
      return;
    }
    this.#forget(answer.id);
    if ('error' in answer) asked.reject(new LabError(answer));
    else asked.resolve(answer.result);
  }

  #forget(id) {
    clearTimeout(this.pending.get(id)?.timer);
    this.pending.delete(id);
    this.#tell('busy', {slow: this.slow()});
  }

  #refuse(id, answer) {
    const asked = this.pending.get(id);
    this.#forget(id);
    asked?.reject(new LabError(answer));
  }

  async #lost(event) {
    this.ready = false;
    this.queue = [];
    const why = event.code === 1009 ? {...LARGE, lost: true} : GONE;
    for (const id of [...this.pending.keys()]) this.#refuse(id, why);
    const name = ENDS[event.code] ?? await this.#whyGone();
    this.#tell('state', {name});
    if (name === 'moved') this.channel.postMessage({where: true});
    setTimeout(() => this.#connect(), RETRY[name]);
  }

  /** Find out whether nobody is there, or somebody to whom this page's key means nothing. */
  async #whyGone() {
    try {
      const told = {cache: 'no-store', signal: AbortSignal.timeout(PATIENCE)};
      const answer = await fetch(new URL('icon.svg', this.base), told);
      return answer.status === 403 ? 'moved' : 'lost';
    } catch {
      return 'lost';
    }
  }

  /** Pages of a later run have another key. They say so, and pages left over move to it. */
  #hear(data) {
    if (data?.where && this.ready) this.channel.postMessage({at: String(this.base)});
    if (typeof data?.at !== 'string' || this.ready || data.at === String(this.base)) return;
    if (!URL.canParse(data.at) || new URL(data.at).origin !== location.origin) return;
    flush();
    location.replace(data.at + location.hash);
  }

  /** Ask, and return a promise of the result; parts come before it. */
  call(name, told = {}, {onPart, quiet = false} = {}) {
    const id = this.next++;
    const text = JSON.stringify({id, do: name, with: told});
    if (text.length > MOST / 3 && new Blob([text]).size > MOST) return Promise.reject(new LabError(LARGE));
    const promise = new Promise((resolve, reject) => {
      this.pending.set(id, {resolve, reject, onPart, timer: quiet ? 0 : setTimeout(() => {
        const asked = this.pending.get(id);
        if (asked) asked.slow = true;
        this.#tell('busy', {slow: this.slow()});
      }, SLOW)});
    });
    if (this.ready) this.socket.send(text);
    else this.queue.push([id, text]);
    promise.id = id;
    return promise;
  }

  /** Ask, but while an answer of the same kind is awaited, only the last question is kept. Resolves to
   *  undefined for those that were overtaken. */
  latest(kind, name, told, options) {
    const waiting = this.newest.get(kind);
    if (waiting) {
      waiting.next?.resolve(undefined);
      return new Promise((resolve, reject) => { waiting.next = {asked: [kind, name, told, options], resolve, reject}; });
    }
    const line = {next: null};
    this.newest.set(kind, line);
    const done = () => {
      this.newest.delete(kind);
      if (line.next) this.latest(...line.next.asked).then(line.next.resolve, line.next.reject);
    };
    const promise = this.call(name, told, options);
    promise.then(done, done);
    return promise;
  }

  slow() {
    return [...this.pending].filter(([, asked]) => asked.slow).map(([id]) => id);
  }

  /** End a question: its promise is rejected with `cancelled`. */
  cancel(id) {
    if (!this.pending.has(id)) return;
    const place = this.queue.findIndex(([queued]) => queued === id);
    if (place >= 0) {
      this.queue.splice(place, 1);
      this.#refuse(id, {error: 'cancelled', cancelled: true});
    } else if (this.ready) {
      this.socket.send(JSON.stringify({id: this.next++, do: 'cancel', with: {id}}));
    }
  }

  /** End what a screen that is left has asked. To end what is computed costs a process, so it has a moment. */
  leave() {
    for (const line of this.newest.values()) {
      line.next?.resolve(undefined);
      line.next = null;
    }
    const [first, ...others] = this.pending.keys();
    others.reverse().forEach((id) => this.cancel(id));
    setTimeout(() => this.cancel(first), 500);
  }

  cancelAll() {
    for (const id of [...this.pending.keys()].reverse()) this.cancel(id);
  }
}

export const wire = new Wire();
