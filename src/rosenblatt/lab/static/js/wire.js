// The way to the library: questions and answers over a WebSocket.
//
//   const result = await wire.call('playground.open', {points}, {onPart: (part) => …});
//   wire.latest('verdict', 'playground.verdict', {points})   // of many in a row, the last one counts
//   wire.on('ready', reopen)    // a fresh process: what a screen asked it to remember is to be asked again
//   wire.on('state', ({name}) => …)  // 'starting', 'ready', 'lost', 'moved'

const RETRY = 800;
const SLOW = 400;

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
    this.newest = new Map();
    this.base = new URL('.', document.baseURI);
    this.channel = new BroadcastChannel('rosenblatt-lab');
    // A page of a later run has another key. It says so, and pages left over move to it.
    this.channel.onmessage = ({data}) => this.#moveTo(data);
    this.queue = [];
  }

  on(event, listener) {
    (this.listeners[event] ??= new Set()).add(listener);
    return () => this.listeners[event].delete(listener);
  }

  #tell(event, detail = {}) {
    for (const listener of [...(this.listeners[event] ?? [])]) listener(detail);
  }

  open() {
    this.#tell('state', {name: 'starting'});
    this.#connect();
  }

  #connect() {
    const url = new URL('socket', this.base);
    url.protocol = 'ws:';
    this.socket = new WebSocket(url);
    this.socket.onmessage = ({data}) => this.#take(JSON.parse(data));
    this.socket.onclose = (event) => this.#lost(event);
  }

  #take(answer) {
    if (answer.ready) {
      this.ready = true;
      this.channel.postMessage(String(this.base));
      this.#tell('state', {name: 'ready'});
      this.#tell('ready');
      for (const text of this.queue.splice(0)) this.socket.send(text);
      return;
    }
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

  async #lost(event) {
    this.ready = false;
    this.queue = [];
    for (const [id, asked] of [...this.pending]) {
      this.#forget(id);
      asked.reject(new LabError({error: 'the lab does not answer', lost: true, cancelled: true}));
    }
    let name = 'lost';
    try {
      const answer = await fetch(new URL('icon.svg', this.base), {cache: 'no-store'});
      if (answer.status === 403) name = 'moved';
    } catch { /* nobody is there */ }
    this.#tell('state', {name, reason: event.reason});
    setTimeout(() => this.#connect(), RETRY);
  }

  #moveTo(base) {
    if (this.ready || base === String(this.base)) return;
    if (new URL(base).origin !== location.origin) return;
    location.replace(base + location.hash);
  }

  /** Ask, and return a promise of the result; parts come before it. */
  call(name, told = {}, {onPart, quiet = false} = {}) {
    const id = this.next++;
    const promise = new Promise((resolve, reject) => {
      this.pending.set(id, {resolve, reject, onPart, timer: quiet ? 0 : setTimeout(() => {
        const asked = this.pending.get(id);
        if (asked) asked.slow = true;
        this.#tell('busy', {slow: this.slow()});
      }, SLOW)});
    });
    const text = JSON.stringify({id, do: name, with: told});
    if (this.ready) this.socket.send(text);
    else this.queue.push(text);
    promise.id = id;
    return promise;
  }

  /** Ask, but while an answer of the same kind is awaited, only the last question is kept. Resolves to
   *  undefined for those that were overtaken. */
  latest(kind, name, told, options) {
    const waiting = this.newest.get(kind);
    if (waiting) {
      waiting.next?.resolve(undefined);
      return new Promise((resolve, reject) => { waiting.next = {name, told, options, resolve, reject}; });
    }
    const line = {next: null};
    this.newest.set(kind, line);
    const done = () => {
      this.newest.delete(kind);
      if (line.next) this.latest(kind, line.next.name, line.next.told, line.next.options).then(line.next.resolve, line.next.reject);
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
    if (this.pending.has(id) && this.ready) this.socket.send(JSON.stringify({id: this.next++, do: 'cancel', with: {id}}));
  }

  cancelAll() {
    for (const id of [...this.pending.keys()].reverse()) this.cancel(id);
  }
}

export const wire = new Wire();
