// Names that the learner types: of tokens, in the row labels, and of columns, in the column labels.

import { fill } from './markup.js';
/** @import { PictureView } from './picture.js' */
/** @import { Label } from './types.js' */

/** While an entry is open, Ctrl+Z is the browser's own and takes back what was typed, not the edit before it. */
export function keepUndo(event) {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') event.stopPropagation();
}

export class Names {
  /** @param {Pick<PictureView, 'viewAt' | 'views' | 'data' | 'outbox' | 'hush' | 'onLeave'>} picture */
  constructor(picture) {
    this.picture = picture;
  }

  listen(root, signal) {
    const on = (type, handle) => root.addEventListener(type, (event) => {
      const label = this.labelOf(event.target);
      if (label) handle.call(this, event, label);
    }, { signal });
    on('focusin', this.entered);
    on('input', (event, label) => {
      label.typing = true;
      label.refused = false;
      this.picture.hush();
    });
    on('mousedown', this.pressed);
    on('keydown', this.key);
    this.picture.onLeave(signal, ({ target }) => {
      const label = this.labelOf(target);
      if (label) this.left(label);
    });
  }

  /** @returns {Label | null} */
  labelOf(node) {
    if (!node.matches?.('.pic-name')) return null;
    const { nameRow, nameCol } = node.dataset;
    const view = this.picture.viewAt(node);
    return (nameCol === undefined ? view?.labels[Number(nameRow)] : view?.colLabels[Number(nameCol)]) ?? null;
  }

  /** Where a label belongs: whose names are typed, what they are, what is shown, and which keys lead to the next. */
  sideOf(label) {
    const { spec, labels, colLabels } = label.view;
    return colLabels.includes(label)
      ? { labels: colLabels, matrix: spec.col_names, names: spec.dimensions, shown: spec.cols, keys: ['ArrowLeft', 'ArrowRight'] }
      : { labels, matrix: spec.names, names: spec.tokens || spec.rows, shown: spec.rows, keys: ['ArrowUp', 'ArrowDown'] };
  }

  nameOf(label) {
    return this.sideOf(label).names[label.row];
  }

  entered(event, label) {
    for (const other of this.sideOf(label).labels) other.input.tabIndex = other === label ? 0 : -1;
    if (label.typing) return;
    label.input.value = this.nameOf(label);
    label.input.select();
  }

  /** Without the focus a label shows what the rows are called, or the name that is on its way. */
  show(label) {
    label.typing = false;
    label.view.setError(label, '');
    const { entry, row } = label;
    label.input.value = (entry && !entry.done && entry.edit.text) || this.sideOf(label).shown[row];
  }

  key(event, label) {
    const { labels, keys } = this.sideOf(label);
    // Within a text, ← and → are the caret's.
    const way = keys[0] === 'ArrowLeft' && label.typing ? -1 : keys.indexOf(event.key);
    if (event.isComposing) return;
    if (event.key === 'Enter') {
      this.commit(label);
      if (label.error) label.input.select();
    } else if (event.key === 'Escape') {
      label.typing = false;
      label.view.setError(label, '');
      label.input.value = this.nameOf(label);
      label.input.select();
    } else if (way >= 0) labels[label.row + (way ? 1 : -1)]?.input.focus();
    else {
      if (label.typing) keepUndo(event);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The first press after a refusal keeps the wrong name selected; the second sets the caret. */
  pressed(event, label) {
    if (!label.refused) return;
    event.preventDefault();
    label.refused = false;
    label.input.select();
  }

  /** A name that is left is taken, or given up with a word where it is wrong. */
  left(label) {
    const text = this.nameIn(label);
    if (label.typing) this.commit(label);
    const wrong = label.error;
    this.show(label);
    if (wrong) label.view.say(() => this.fault(label, text));
  }

  nameIn({ input }) {
    return input.value.split(/\s+/u).filter(Boolean).join(' ');
  }

  /** What is wrong with a name, in the reader's language; '' if nothing. */
  fault(label, text) {
    const { texts, name_limit: limit } = this.picture.data;
    const length = [...text].length;
    if (!length && label.view.labels.includes(label)) return texts.token_empty;
    return length > limit ? fill(texts.token_too_long, { length, limit }) : '';
  }

  commit(label) {
    const text = this.nameIn(label);
    const error = this.fault(label, text);
    label.view.setError(label, error);
    label.refused = Boolean(error);
    if (error) return;
    label.typing = false;
    if (text === this.nameOf(label)) return;
    const { outbox } = this.picture;
    outbox.begin();
    const { matrix } = this.sideOf(label);
    label.entry = outbox.put(`${matrix},${label.row}`, { matrix, row: label.row, text });
    outbox.flush();
  }

  drop() {
    for (const view of this.picture.views.values()) {
      for (const label of [...view.labels, ...view.colLabels]) if (label.input && (label.typing || label.error)) this.show(label);
    }
  }
}
