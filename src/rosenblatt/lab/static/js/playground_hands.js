// What hands do on the playground: points in the plane, keys, files dropped on the page.

import {h} from './dom.js';

const FIELDS = 'input, select, textarea, dialog, [role=menu]';

/** Connect hands to a playground; return what undoes it. */
export function listen(screen) {
  const {plane, list} = screen;
  const other = (c) => (c + 1) % list.classes.length;
  plane.on('add', ({x, y, other: second}) => list.add(x, y, second ? other(screen.chosen) : screen.chosen));
  plane.on('move', ({i, x, y}) => list.move(i, x, y));
  plane.on('drop', () => list.drop());
  plane.on('remove', ({i}) => list.remove(i));
  plane.on('flip', ({i, c}) => list.flip(i, c));

  const key = (event) => {
    if (event.defaultPrevented || event.target.closest?.(FIELDS) || document.querySelector('dialog[open]')) return;
    const letter = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && (letter === 'z' || letter === 'y')) {
      if (letter === 'y' || event.shiftKey) list.redo();
      else list.undo();
    } else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (letter >= '1' && letter <= '6') screen.choose(Number(letter) - 1);
    else if ((letter === 'delete' || letter === 'backspace') && plane.editor.removePicked()) { /* it is gone */ }
    else return;
    event.preventDefault();
  };

  const veil = h('div', {class: 'veil', hidden: true}, h('p', {}, 'Drop a CSV: two columns of numbers and one of classes'));
  document.body.append(veil);
  const files = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  const over = (event) => {
    if (!files(event)) return;
    event.preventDefault();
    veil.hidden = false;
  };
  const out = (event) => { if (!event.relatedTarget) veil.hidden = true; };
  const drop = (event) => {
    if (!files(event)) return;
    event.preventDefault();
    veil.hidden = true;
    if (event.dataTransfer.files[0]) screen.openFile(event.dataTransfer.files[0]);
  };
  const listeners = {keydown: key, dragover: over, dragleave: out, drop};
  for (const [name, act] of Object.entries(listeners)) window.addEventListener(name, act);
  return () => {
    for (const [name, act] of Object.entries(listeners)) window.removeEventListener(name, act);
    veil.remove();
  };
}
