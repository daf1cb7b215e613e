// The panel "Data": presets, the class to add points of, files, undo.

import {button, complaints} from '../controls.js';
import {h, put} from '../dom.js';
import {named} from '../plane/dots.js';
import {openFile, upload} from './files.js';
import {sign} from './now.js';

const OWN = 'own';

export class DataPanel {
  /** `screen` has a `list` of points, and begin(preset's name), choose(c), taken(points, text). */
  constructor(screen) {
    const {list} = this.screen = screen;
    this.preset = h('select', {id: 'preset', 'aria-label': 'Points to begin with',
      onchange: () => screen.begin(this.preset.value)});
    this.note = h('p', {class: 'note small soft', id: 'data-note'});
    this.chips = h('div', {class: 'chips', role: 'radiogroup', 'aria-label': 'Class of the points that you add'});
    this.file = h('input', {type: 'file', accept: '.csv,.tsv,.txt,text/csv,text/plain', id: 'csv', class: 'voice',
      tabindex: -1, 'aria-label': 'A CSV file', onchange: () => {
      if (this.file.files[0]) openFile(screen, this.file.files[0]);
      this.file.value = '';
    }});
    this.undo = button('undo', '↶', 'Undo (Ctrl Z)', () => list.undo());
    this.redo = button('redo', '↷', 'Do again (Ctrl Y)', () => list.redo());
    this.clear = button('clear', 'Clear', 'Remove all points', () => list.clear());
    this.columns = h('div', {class: 'columns'});
    [this.error, this.fail] = complaints('data-error');
    this.element = h('section', {class: 'panel data', 'aria-label': 'Data'}, this.preset, this.note, this.chips,
      h('div', {class: 'row files'},
        button('open-csv', 'Open a CSV',
        'Open a CSV file with two columns of numbers and one of classes; or drop it on the page',
        () => this.file.click()), this.file, this.clear, this.undo, this.redo), this.columns, this.error);
  }

  catalog(presets) {
    put(this.preset, presets.map(({name, title}) => h('option', {value: name}, title)),
      h('option', {value: OWN, hidden: true}, 'Your own points'));
  }

  /** Show where the points come from, and what can be done with them. */
  show({preset, note, list, chosen, limits}) {
    this.preset.value = preset ?? OWN;
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
      class: 'chip', type: 'button', role: 'radio', 'aria-checked': String(c === chosen), 'data-class': c,
        tabindex: c === chosen ? 0 : -1,
      title: `Add points of class ${name} (key ${c + 1})`, onclick: () => this.screen.choose(c),
    }, sign(c), h('span', {}, named(name)))), classes.length < limits.classes
      && button('add-class', '+', 'One more class', () => this.screen.choose(this.screen.list.addClass()),
        'chip more'));
    this.chips.onkeydown = (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (!step) return;
      event.preventDefault();
      this.screen.choose((chosen + step + classes.length) % classes.length);
    };
    if (had) this.chips.querySelector('[aria-checked=true]')?.focus();
  }

  /** Let columns of a file be chosen, if there is a choice. */
  showColumns(columns) {
    if (!columns || (columns.numeric.length < 3 && columns.label.length < 2)) {
      put(this.columns);
      return;
    }
    const {numeric, label, chosen} = columns;
    const selects = [numeric, numeric, label].map((list, k) => {
      const {screen} = this;
      const onchange = () => upload(screen, screen.fileText, selects.map((one) => one.value));
      const select = h('select', {id: `column-${k}`, onchange},
        list.map((value) => h('option', {value}, value)));
      select.value = chosen[k];
      return select;
    });
    put(this.columns, ['across', 'up', 'class'].map((name, k) => h('label', {class: 'option'}, name, selects[k])));
  }
}
