// What hands do on the playground: points in the plane, keys, files dropped on the page.

import {h} from '../dom.js';
import {openFile} from './files.js';

/** Connect hands to a playground; return what undoes it. */
export function listen(screen) {
  const {plane, list} = screen;
  plane.on('add', ({x, y, other}) => list.add(x, y, (screen.chosen + Boolean(other)) % list.classes.length));
  plane.on('move', ({i, x, y}) => list.move(i, x, y));
  plane.on('drop', () => list.drop());
  plane.on('remove', ({i}) => list.remove(i));
  plane.on('flip', ({i, c}) => list.flip(i, c));

  const veil = h('div', {class: 'veil', hidden: true},
    h('p', {}, 'Drop a CSV: two columns of numbers and one of classes'));
  document.body.append(veil);
  const dragged = (act) => (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    act(event);
  };
  const listeners = {
    keydown: (event) => {
      if (event.defaultPrevented || event.target.closest?.('input, select, textarea, [role=menu]')
        || document.querySelector('dialog[open]')) return;
      const letter = event.key.toLowerCase();
      const control = event.ctrlKey || event.metaKey;
      if (control && letter === 'z' && !event.shiftKey) list.undo();
      else if (control && 'zy'.includes(letter)) list.redo();
      else if (control || event.altKey) return;
      else if (letter >= '1' && letter <= '6') screen.choose(Number(letter) - 1);
      else if (!['delete', 'backspace'].includes(letter) || !plane.editor.removePicked()) return;
      event.preventDefault();
    },
    dragover: dragged(() => { veil.hidden = false; }),
    dragleave: (event) => { veil.hidden ||= !event.relatedTarget; },
    drop: dragged((event) => {
      veil.hidden = true;
      if (event.dataTransfer.files[0]) openFile(screen, event.dataTransfer.files[0]);
    }),
  };
  for (const [name, act] of Object.entries(listeners)) window.addEventListener(name, act);
  return () => {
    for (const [name, act] of Object.entries(listeners)) window.removeEventListener(name, act);
    veil.remove();
  };
}
