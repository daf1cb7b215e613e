// What the page shows, as its address: #/screen?name=value&… A link to it shows the same.

let due = null;
let before = '';
let timer = 0;

/** Read the address: {screen, params: URLSearchParams}. */
export function read() {
  const [screen, query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return {screen, params: new URLSearchParams(query)};
}

/** Read a number: NaN if it is none, or should be whole and is not. */
export function asNumber(text, step) {
  const value = Number(text || NaN);
  return Number.isInteger(step) && !Number.isInteger(value) ? NaN : value;
}

export const stepIn = (params) => (/^\d{1,9}$/.test(params.get('step')) ? Math.min(params.get('step'), 1e6) : null);

/** Return an address for a screen and an object of texts; undefined, null and '' are left out. */
export function address(screen, params = {}) {
  const kept = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  // Commas and the like need no escape behind #, and links stay readable.
  const plain = query.replaceAll('%2C', ',').replaceAll('%3B', ';').replaceAll('%3A', ':').replaceAll('%2F', '/');
  return `#/${screen}${plain ? `?${plain}` : ''}`;
}

/** Write the address of what is shown now; it changes soon, not at once, as browsers allow few changes. */
export function write(screen, params) {
  if (!timer) {
    before = location.hash;
    timer = setTimeout(flush, 250);
  }
  due = address(screen, params);
}

/** Write what is due, unless the address has changed since: whoever changed it wants to see that. */
export function flush() {
  if (due !== null && due !== location.hash && before === location.hash) history.replaceState(null, '', due);
  discard();
}

/** Forget what is due: the address has changed by itself, as after "back". */
export function discard() {
  clearTimeout(timer);
  timer = 0;
  due = null;
}
