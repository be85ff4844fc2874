// Typing, keys, clicks and blocks. The cell whose text is being edited is `typing`. A wrong entry goes when its cell
// is left: the last good number is back, and a message says what was wrong until the next gesture. An open cell can
// also be blank, and Enter goes on from it to the next blank one.

import { stepped } from './drag.js';
import { fill } from './markup.js';
import { keepUndo } from './names.js';
import { MAX_ENTRY, parseNumber, plainText, splitBlock } from './numbers.js';
/** @import { PictureView } from './picture.js' */
/** @import { Cell } from './types.js' */

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Gestures {
  /** @param {PictureView} picture */
  constructor(picture) {
    this.picture = picture;
    this.typing = /** @type {Cell | null} */ (null);
    /** @type {{ cell: Cell, gesture: number } | null} emptied by a key and not left since: typing there is one gesture */
    this.emptied = null;
  }

  listen(root, signal) {
    const on = (type, handle) => root.addEventListener(type, (event) => {
      const cell = this.picture.cellAt(event.target);
      if (cell) handle.call(this, event, cell);
    }, { signal });
    on('mousedown', this.pressed);
    on('click', this.clicked);
    on('dblclick', (event, cell) => {
      if (this.isNumber(cell) && !cell.typing) this.startTyping(cell, true);
    });
    on('input', (event, cell) => this.startTyping(cell, false));
    on('keydown', this.key);
    on('keyup', () => this.rest());
    on('paste', this.paste);
    on('copy', this.copy);
    on('focusin', this.entered);
    this.picture.onLeave(signal, ({ target }) => {
      const cell = this.picture.cellAt(target);
      if (cell) this.left(cell);
    });
  }

  /** @param {Cell} cell */
  isNumber(cell) {
    return cell.node.tagName === 'INPUT';
  }

  // ---- typing

  /** @param {Cell} cell */
  startTyping(cell, whole) {
    cell.refused = false;
    this.picture.hush();
    if (this.typing !== cell) this.commitOpen();
    this.setTyping(cell);
    if (!whole) return;
    cell.node.value = String(cell.view.valueAt(cell.row, cell.col) ?? '');
    cell.node.setSelectionRange(cell.node.value.length, cell.node.value.length);
  }

  /** @param {Cell | null} cell */
  setTyping(cell) {
    if (this.typing) this.typing.typing = false;
    this.typing?.node.classList.remove('pic-typing');
    this.typing = cell;
    if (cell) cell.typing = true;
    cell?.node.classList.add('pic-typing');
  }

  /**
   * The open entry of another picture, in the same cell of this one.
   * @param {Gestures} other
   */
  takeUp(other) {
    const { typing } = other;
    const cell = typing && this.picture.views.get(typing.view.spec.id)?.cells[typing.row]?.[typing.col];
    if (!cell || !this.isNumber(cell)) return;
    const { value, selectionStart, selectionEnd } = typing.node;
    other.setTyping(null);
    cell.node.focus({ preventScroll: true });
    cell.node.value = value;
    cell.node.setSelectionRange(selectionStart, selectionEnd);
    this.setTyping(cell);
  }

  /** Takes an unfinished entry as if Enter had been pressed; one that is wrong is given up. */
  commitOpen() {
    const cell = this.typing;
    if (!cell) return;
    const entry = cell.node.value;
    this.commit(cell);
    this.setTyping(null);
    if (!cell.error) return;
    cell.view.setError(cell, '');
    cell.view.write(cell);
    cell.view.say(() => this.fault(entry, cell));
  }

  /** @param {Cell} cell */
  commit(cell) {
    const error = this.fault(cell.node.value, cell);
    cell.view.setError(cell, error);
    cell.refused = Boolean(error);
    if (error) return;
    this.setTyping(null);
    this.begin(cell);
    this.picture.put(cell, this.meaning(cell.node.value, cell));
    cell.view.write(cell);
    this.picture.outbox.flush();
  }

  /** @param {Cell} cell */
  restore(cell) {
    this.setTyping(null);
    cell.view.setError(cell, '');
    cell.view.write(cell);
    cell.node.select();
  }

  /** Begins a gesture. Entries in open cells go out at once, without waiting for one another: nothing undoes them. */
  begin(cell) {
    const { outbox } = this.picture;
    const goesOn = this.emptied?.cell === cell && this.emptied?.gesture === outbox.gesture;
    this.emptied = null;
    if (!cell.view.open && !goesOn) outbox.begin();
  }

  /** What an entry means in this cell: a number, or null for a blank one. */
  meaning(entry, { view }) {
    if (view.open && !entry.trim()) return null;
    const number = parseNumber(entry);
    return view.spec.kind === 'mask' ? number !== 0 : number;
  }

  /** What is wrong with an entry, in the reader's language; '' if nothing. */
  fault(entry, { view }) {
    if (view.open && !entry.trim()) return '';
    const { texts, limit } = this.picture.data;
    const { length } = entry.trim();
    if (length > MAX_ENTRY) {
      return fill(texts.entry_too_long, { entry: entry.trim().slice(0, MAX_ENTRY), length, limit: MAX_ENTRY });
    }
    const number = parseNumber(entry);
    if (Math.abs(number) <= limit) return '';
    return fill(Number.isNaN(number) ? texts.not_a_number : texts.too_large, { entry: entry.trim(), limit });
  }

  /** Another language: what is wrong is said in it. */
  translate() {
    for (const view of this.picture.views.values()) {
      for (const cell of view.cells.flat()) if (cell.error) view.setError(cell, this.fault(cell.node.value, cell));
      view.showMessage();
    }
  }

  /** The server's state replaced everything: unfinished and wrong entries go. */
  drop() {
    const open = this.typing;
    this.setTyping(null);
    this.emptied = null;
    this.picture.hush();
    for (const view of this.picture.views.values()) {
      for (const cell of view.cells.flat()) {
        if (!cell.error && cell !== open) continue;
        view.setError(cell, '');
        view.paint(cell, true);
      }
    }
  }

  // ---- keys

  key(event, cell) {
    if (event.isComposing) return;
    if (cell.typing) this.keyWhileTyping(event, cell);
    else if (this.keyOnCell(event, cell)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  keyWhileTyping(event, cell) {
    if (event.key === 'Enter') {
      this.commit(cell);
      if (cell.error || !this.goOn(cell)) cell.node.select();
    } else if (event.key === 'Escape') this.restore(cell);
    else {
      keepUndo(event);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** From an open cell to the next blank one of the picture, around its end; false where there is none. */
  goOn(cell) {
    if (!cell.view.open) return false;
    const open = [...this.picture.views.values()].filter((view) => view.open)
      .flatMap((view) => view.cells.flat().filter((one) => view.takesEdits(one)));
    const here = open.indexOf(cell);
    const next = [...open.slice(here + 1), ...open.slice(0, here)]
      .find(({ view, row, col }) => view.valueAt(row, col) === undefined);
    next?.node.focus();
    return Boolean(next);
  }

  /** A key on a cell; true if it was ours. */
  keyOnCell(event, cell) {
    const { key, shiftKey } = event;
    const arrow = ARROWS[key];
    if (event.altKey || event.metaKey || (event.ctrlKey && key !== 'Home' && key !== 'End')) return false;
    const row = cell.row;
    const col = cell.col - cell.view.offset;
    if (arrow && shiftKey && this.isNumber(cell)) this.nudge(cell, key === 'ArrowUp' || key === 'ArrowRight' ? 1 : -1);
    else if (arrow) this.go(cell.view, row + arrow[0], col + arrow[1]);
    else if (key === 'Home') this.go(cell.view, event.ctrlKey ? 0 : row, 0);
    else if (key === 'End') this.go(cell.view, event.ctrlKey ? Infinity : row, Infinity);
    else if (key === 'Escape') return this.picture.free();
    else if (!this.isNumber(cell)) return this.keyOnButton(event, cell);
    else if (key === 'F2' || key === 'Enter') this.startTyping(cell, true);
    else if (key === 'Delete' || key === 'Backspace') {
      this.change(cell, cell.view.open ? null : 0);
      this.emptied = { cell, gesture: this.picture.outbox.gesture };
    }
    else {
      if (key.length === 1 && key !== ' ') {
        cell.node.select();
        this.startTyping(cell, false);
      }
      return key === ' ';
    }
    return true;
  }

  keyOnButton(event, cell) {
    if (cell.node.tagName === 'BUTTON' || (event.key !== 'Enter' && event.key !== ' ')) return false;
    this.choose(cell);
    return true;
  }

  go(view, row, col) {
    const line = view.cells[Math.min(Math.max(row, 0), view.rows - 1)];
    line[Math.min(Math.max(col, 0), view.cols - 1)].node.focus();
  }

  /** @param {Cell} cell */
  nudge(cell, direction) {
    const { outbox, data } = this.picture;
    if (!outbox.busy) outbox.hold(); // until the key is up
    this.picture.put(cell, stepped(cell.view.spec, cell.view.valueAt(cell.row, cell.col) ?? 0, direction, false, data.limit));
    outbox.flush();
  }

  rest() {
    if (!this.picture.drag.active) this.picture.outbox.release();
  }

  /** @param {Cell} cell */
  change(cell, value) {
    this.begin(cell);
    this.picture.put(cell, value);
    this.picture.outbox.flush();
  }

  // ---- clicks and the focus

  /** The first press after a refusal keeps the wrong text selected, for the next one; the second sets the caret. */
  pressed(event, cell) {
    if (!cell.refused) return;
    event.preventDefault();
    cell.refused = false;
    cell.node.select();
  }

  clicked(event, cell) {
    const dragged = this.picture.drag.moved;
    this.picture.drag.moved = false;
    if (dragged || cell.typing || cell.view.thumbnail) return;
    if (cell.node.tagName === 'BUTTON') this.change(cell, !cell.view.valueAt(cell.row, cell.col));
    cell.node.focus({ preventScroll: true });
    if (this.isNumber(cell)) cell.node.select();
    this.choose(cell);
  }

  /** A click on a cell, or Enter: an answer, or a pin. */
  choose(cell) {
    const { view, row, col } = cell;
    if (view.spec.clickable && !view.spec.editable) this.picture.pick({ matrix: view.id, row, col });
    else if (cell.node.tagName !== 'BUTTON') this.picture.pin([view.id, row, col]);
  }

  entered(event, cell) {
    cell.view.setTabStop(cell);
    this.picture.lookAt('focused', cell);
    if (!cell.typing && this.isNumber(cell)) cell.node.select();
  }

  /** @param {Cell} cell */
  left(cell) {
    if (cell.typing) this.commitOpen();
    this.emptied = null;
    this.rest();
    this.picture.lookAway(cell);
  }

  // ---- blocks

  paste(event, cell) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const block = splitBlock(text);
    const single = block.length === 1 && block[0].length === 1;
    if (!cell.view.spec.editable || (single && cell.typing)) return;
    event.preventDefault();
    this.setTyping(null);
    const { view } = cell;
    view.setError(cell, '');
    this.picture.hush();
    if (this.blockFault(block, cell)) view.say(() => this.blockFault(block, cell));
    else this.pasteBlock(block, cell);
    view.paint(cell, true);
  }

  /** @param {Cell} cell */
  pasteBlock(block, cell) {
    const { view, row, col } = cell;
    this.begin(cell);
    block.forEach((line, r) => line.forEach((entry, c) => {
      const place = view.cell(row + r, col + c);
      if (place && view.takesEdits(place)) this.picture.put(place, this.meaning(entry, place));
    }));
    this.picture.outbox.flush();
  }

  /** @param {Cell} cell */
  blockFault(block, cell) {
    const { view } = cell;
    const rows = block.length;
    const cols = Math.max(...block.map((line) => line.length));
    const room = { room_rows: view.rows - cell.row, room_cols: view.offset + view.cols - cell.col };
    if (rows > room.room_rows || cols > room.room_cols) {
      return fill(this.picture.data.texts.paste_shape, { rows, cols, ...room });
    }
    if (block.some((line) => line.length !== cols)) return fill(this.picture.data.texts.not_a_number, { entry: '' });
    const places = block.flatMap((line, r) => line.map((entry, c) => [entry, view.cell(cell.row + r, cell.col + c)]));
    return places.filter(([, place]) => view.takesEdits(place)).map((one) => this.fault(...one)).find(Boolean) || '';
  }

  copy(event, cell) {
    if (cell.typing) return;
    event.clipboardData.setData('text/plain', tableText(cell.view));
    event.preventDefault();
  }
}

/** A matrix as tab separated text. */
export function tableText(view) {
  const plain = (value) => (typeof value === 'number' ? plainText(value) : String(Number(value)));
  const write = view.spec.kind === 'text' ? String : plain;
  const entry = (value) => (value === undefined ? '' : write(value));
  return view.cells.map((line) => line.map(({ row, col }) => entry(view.valueAt(row, col))).join('\t')).join('\n');
}
