// The panel "Data": presets, the class to add points of, files, undo.

import {h, put, set} from './dom.js';
import {named, sign} from './playground_now.js';

const OWN = 'own';

export class DataPanel {
  /** `act` has functions: preset(name), choose(c), addClass(), clear(), undo(), redo(), file(file), columns(list). */
  constructor(act) {
    this.act = act;
    this.preset = h('select', {id: 'preset', 'aria-label': 'Points to begin with', onchange: () => act.preset(this.preset.value)});
    this.note = h('p', {class: 'note small soft', id: 'data-note'});
    this.chips = h('div', {class: 'chips', role: 'radiogroup', 'aria-label': 'Class of the points that you add'});
    this.file = h('input', {type: 'file', accept: '.csv,.tsv,.txt,text/csv,text/plain', id: 'csv', class: 'voice', tabindex: -1, 'aria-label': 'A CSV file', onchange: () => {
      if (this.file.files[0]) act.file(this.file.files[0]);
      this.file.value = '';
    }});
    const button = (id, text, words, run) => h('button', {class: 'btn small', id, type: 'button', title: words, 'aria-label': words, onclick: run}, text);
    this.undo = button('undo', '↶', 'Undo (Ctrl Z)', () => act.undo());
    this.redo = button('redo', '↷', 'Do again (Ctrl Y)', () => act.redo());
    this.clear = button('clear', 'Clear', 'Remove all points', () => act.clear());
    this.columns = h('div', {class: 'columns', hidden: true});
    this.error = h('p', {class: 'error', id: 'data-error', role: 'alert', hidden: true});
    this.element = h('section', {class: 'panel data', 'aria-label': 'Data'},
      this.preset, this.note, this.chips,
      h('div', {class: 'row files'}, button('open-csv', 'Open a CSV', 'Open a CSV file with two columns of numbers and one of classes; or drop it on the page', () => this.file.click()), this.file, this.clear, this.undo, this.redo),
      this.columns, this.error);
  }

  catalog(presets) {
    put(this.preset, presets.map(({name, title}) => h('option', {value: name}, title)), h('option', {value: OWN, hidden: true}, 'Your own points'));
  }

  /** Show where the points come from, and what can be done with them. */
  show({preset, note, list, chosen, limits}) {
    const source = preset ?? OWN;
    if (this.preset.value !== source) this.preset.value = source;
    put(this.note, note);
    this.undo.disabled = !list.done.length;
    this.redo.disabled = !list.undone.length;
    this.clear.disabled = !list.points.length;
    this.#chips(list.classes, chosen, limits);
  }

  #chips(classes, chosen, limits) {
    const key = `${classes.join('\n')} ${chosen}`;
    if (this.key === key) return;
    this.key = key;
    const had = this.chips.contains(document.activeElement);
    put(this.chips, classes.map((name, c) => h('button', {
      class: 'chip', type: 'button', role: 'radio', 'aria-checked': String(c === chosen), 'data-class': c, tabindex: c === chosen ? 0 : -1,
      title: `Add points of class ${name} (key ${c + 1})`, onclick: () => this.act.choose(c),
    }, sign(c), h('span', {}, named(name)))), classes.length < limits.classes ? h('button', {
      class: 'chip more', type: 'button', id: 'add-class', title: 'One more class', 'aria-label': 'One more class', onclick: () => this.act.addClass(),
    }, '+') : null);
    this.chips.onkeydown = (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (!step) return;
      event.preventDefault();
      this.act.choose((chosen + step + classes.length) % classes.length);
    };
    if (had) this.chips.querySelector('[aria-checked=true]')?.focus();
  }

  /** Let columns of a file be chosen, if there is a choice. */
  showColumns(columns) {
    const choice = columns && (columns.numeric.length > 2 || columns.label.length > 1);
    this.columns.hidden = !choice;
    if (!choice) {
      put(this.columns);
      return;
    }
    const names = ['across', 'up', 'class'];
    const selects = names.map((name, k) => {
      const select = h('select', {id: `column-${k}`, onchange: () => this.act.columns(selects.map((one) => one.value))},
        (k < 2 ? columns.numeric : columns.label).map((column) => h('option', {value: column}, column)));
      select.value = columns.chosen[k];
      return select;
    });
    put(this.columns, selects.map((select, k) => h('label', {class: 'field line'}, names[k], select)));
  }

  fail(text) {
    set(this.error, {hidden: !text});
    put(this.error, text ?? '');
  }
}
