// The tokens' names, typed in the row labels.

import { fill } from './markup.js';
/** @import { Picture } from './picture.js' */
/** @import { Label } from './types.js' */

/** While an entry is open, Ctrl+Z is the browser's own and takes back what was typed, not the edit before it. */
export function keepUndo(event) {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') event.stopPropagation();
}

export class Names {
  /** @param {Pick<Picture, 'viewAt' | 'views' | 'data' | 'outbox' | 'hush' | 'onLeave'>} picture */
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
    return this.picture.viewAt(node)?.labels[Number(node.dataset.nameRow)] ?? null;
  }

  nameOf({ view, row }) {
    return (view.spec.tokens || view.spec.rows)[row];
  }

  entered(event, label) {
    for (const other of label.view.labels) other.input.tabIndex = other === label ? 0 : -1;
    if (label.typing) return;
    label.input.value = this.nameOf(label);
    label.input.select();
  }

  /** Without the focus a label shows what the rows are called, or the name that is on its way. */
  show(label) {
    label.typing = false;
    label.view.setError(label, '');
    const { entry, view, row } = label;
    label.input.value = entry && !entry.done ? entry.edit.text : view.spec.rows[row];
  }

  key(event, label) {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.isComposing) return;
    if (event.key === 'Enter') {
      this.commit(label);
      if (label.error) label.input.select();
    } else if (event.key === 'Escape') {
      label.typing = false;
      label.view.setError(label, '');
      label.input.value = this.nameOf(label);
      label.input.select();
    } else if (move) label.view.labels[label.row + move]?.input.focus();
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
    if (wrong) label.view.say(() => this.fault(text));
  }

  nameIn({ input }) {
    return input.value.split(/\s+/u).filter(Boolean).join(' ');
  }

  /** What is wrong with a name, in the reader's language; '' if nothing. */
  fault(text) {
    const { texts, name_limit: limit } = this.picture.data;
    const length = [...text].length;
    if (!length) return texts.token_empty;
    return length > limit ? fill(texts.token_too_long, { length, limit }) : '';
  }

  commit(label) {
    const text = this.nameIn(label);
    const error = this.fault(text);
    label.view.setError(label, error);
    label.refused = Boolean(error);
    if (error) return;
    label.typing = false;
    if (text === this.nameOf(label)) return;
    const { outbox } = this.picture;
    outbox.begin();
    label.entry = outbox.put(`${label.view.spec.names},${label.row}`, { matrix: label.view.spec.names, row: label.row, text });
    outbox.flush();
  }

  drop() {
    for (const view of this.picture.views.values()) {
      for (const label of view.labels) if (label.input && (label.typing || label.error)) this.show(label);
    }
  }
}
