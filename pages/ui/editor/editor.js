'use strict';

// The matrix editor. Streamlit calls the default export on every change of the data; all that has to
// outlive such a call (the DOM, the cell being typed in, the drag, what is not yet confirmed) is in one
// Editor. The server's values are the truth, except where a newer edit is on its way.
//
// When fragment runs follow one another quickly, Streamlit now and then takes a component off the page and
// mounts it anew a moment later, even in the middle of a drag. The Editor outlives that too: it waits, and
// the next mount adopts it, DOM and all.

const DRAG_START = 4; // px before a press becomes a drag
const DRAG_PIXELS = 8; // px a step
const IN_FLIGHT = 2; // messages sent ahead of the server's answers while dragging
const SETTLE_AFTER = 200; // ms without an edit
const RESEND_AFTER = 3000; // ms without an answer, doubled each time
const RESENDS = 5;
const ORPHAN_LIVES = 2000; // ms between being taken off the page and being given up
const NARROW = '(max-width: 640px)'; // a phone: the heatmaps are drawn one below the other
const TOUCHES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const editors = new WeakMap(); // mounted root → Editor
let orphan = null; // the Editor last taken off the page

export default function render({ data, parentElement, setStateValue, setTriggerValue }) {
  if (!data) return undefined;
  const editor = editors.get(parentElement) || orphan || new Editor(data.seq);
  editors.set(parentElement, editor);
  editor.outbox.post = (message) => setStateValue('edit', message);
  editor.outbox.settle = (seq) => setTriggerValue('settle', seq);
  editor.pick = (cell) => setTriggerValue('pick', cell);
  editor.tellWidth = (narrow) => setStateValue('narrow', narrow);
  if (editor.root.parentNode !== parentElement) editor.moveTo(parentElement);
  editor.update(data);
  return () => {
    editors.delete(parentElement);
    if (editor.root.parentNode === parentElement) editor.leave();
  };
}

// ---------------------------------------------------------------- the address bar

// Streamlit opens a page with an empty query, and writes the link a moment later: that has to be one entry of
// the history, or Back would lead to the empty one, which is written anew, and never further.
if (!window.attentionHistory) {
  window.attentionHistory = true;
  const push = history.pushState;
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? '', location.href);
    const filled = !location.search && next.search && next.pathname === location.pathname;
    (filled ? history.replaceState : push).call(history, state, title, url);
  };
}

// ---------------------------------------------------------------- numbers and texts

/** The number an entry means, or NaN. Full-width digits and all kinds of minus are fine. */
function parseNumber(entry) {
  const text = entry.normalize('NFKC').trim().replace(/[\u2012-\u2015\u2212]/g, '-');
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) + 0 : NaN;
}

/** At most four significant digits, but never less than the whole part. */
function shortest(value) {
  const size = Math.abs(value);
  return String(size >= 1000 ? Math.round(value) : Number(value.toPrecision(4)) + 0);
}

/** Takes off what binary arithmetic adds: 0.1 + 0.2 is 0.3. */
function clean(value) {
  return Number(value.toPrecision(12)) + 0;
}

function fill(template, facts) {
  return (template || '').replace(/\{(\w+)\}/g, (all, name) => (name in facts ? facts[name] : all));
}

/** A pasted block as rows of entries: from a spreadsheet, a CSV file, or a printed array. */
function splitBlock(text) {
  const plain = text.replace(/\]\s*,?\s*\[/g, '\n').replace(/[[\]]/g, '');
  const lines = plain.replace(/^\s*\n|\s+$/g, '').split(/\r\n|\n|\r/);
  const separator = [/\t/, /;/, /,/].find((mark) => mark.test(plain)) || /\s+/;
  return lines.map((line) => line.trim().replace(/[,;]$/, '').split(separator).map((entry) => entry.trim()));
}

// ---------------------------------------------------------------- colours

function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function colourOf(share, stops) {
  const place = Math.min(Math.max((share + 1) / 2, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  return stops[low].map((part, i) => Math.round(part + (stops[low + 1][i] - part) * (place - low)));
}

/** Black or white: at least 4.5 to 1 on every colour. */
function inkOn(colour) {
  const [r, g, b] = colour.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
}

// ---------------------------------------------------------------- the charts on the page

const views = new WeakMap();

function viewOf(svg) {
  if (views.has(svg)) return views.get(svg);
  for (const node of svg.querySelectorAll('*')) {
    const item = node.__data__;
    const context = item && (item.context || item.mark?.group?.context || item.group?.context);
    if (context?.dataflow) {
      views.set(svg, context.dataflow);
      return context.dataflow;
    }
  }
  return null;
}

/** Writes new numbers straight into a chart; what cannot be done here, the full rerun repairs. */
function pushChart(step, fields) {
  const svg = document.querySelector(`.st-key-step-${CSS.escape(step)} svg.marks`);
  const view = svg && viewOf(svg);
  if (!view) return;
  const rows = view.data('source');
  const columns = Object.entries(fields).filter(([, list]) => list.length === rows.length);
  const changes = view.changeset();
  let any = false;
  for (const [field, list] of columns) {
    rows.forEach((row, i) => {
      if (row[field] === list[i]) return;
      changes.modify(row, field, list[i]);
      any = true;
    });
  }
  if (any) view.change('source', changes).runAsync();
}

function pushLive(live) {
  for (const [step, fields] of Object.entries(live.charts)) {
    try {
      pushChart(step, fields);
    } catch (problem) {
      console.debug('live update skipped', step, problem);
    }
  }
  for (const [id, text] of Object.entries(live.texts)) {
    const node = document.querySelector(`[data-live="${CSS.escape(id)}"]`);
    if (node && node.textContent !== text) node.textContent = text;
  }
}

/** The computed cell under a click, or null. */
function pickedCell(target) {
  if (!target.closest?.('[class*="st-key-step-"] svg.marks')) return null;
  const datum = target.__data__?.datum;
  if (!datum || ![datum.r, datum.c, datum.p].every(Number.isFinite)) return null;
  const step = target.closest('[class*="st-key-step-"]').className.match(/st-key-step-(\w+)/)[1];
  return { step, row: datum.r, col: datum.c, panel: datum.p, result: Boolean(datum.d) };
}

// ---------------------------------------------------------------- what is on its way to the server

class Outbox {
  constructor(seq) {
    this.post = null; // not on the page: nothing is sent
    this.pending = new Map(); // cell key → {edit, seq of the first message with it; 0: not sent}
    this.sent = this.acked = this.last = seq;
    this.busy = false; // a gesture is going on
    this.settled = true;
    this.edited = 0;
    this.resends = 0;
  }

  put(key, edit) {
    this.pending.set(key, { edit, seq: 0 });
    this.edited = performance.now();
    this.settled = false;
  }

  /** Sends what is new. While a gesture goes on, only so far ahead of the answers. */
  flush() {
    const fresh = [...this.pending.values()].some((entry) => !entry.seq);
    if (fresh && (!this.busy || this.sent - this.acked < IN_FLIGHT)) this.send();
    this.planSettle();
  }

  send() {
    if (!this.post) return;
    this.sent += 1;
    const entries = [...this.pending.values()];
    for (const entry of entries) entry.seq ||= this.sent;
    this.post({ seq: this.sent, held: this.busy, edits: entries.map((entry) => entry.edit) });
    this.planResend();
  }

  /** The server has taken in all messages up to `seq`. A smaller one than before: it started anew. */
  take(seq) {
    const restarted = seq < this.last;
    if (seq > this.last) this.resends = 0;
    this.last = seq;
    this.acked = restarted ? this.sent : Math.max(this.acked, seq);
    this.sent = Math.max(this.sent, seq);
    for (const [key, entry] of this.pending) {
      if (restarted) entry.seq = 0;
      else if (entry.seq && entry.seq <= seq) this.pending.delete(key);
    }
    if (!this.pending.size) clearTimeout(this.resendTimer);
  }

  dropUnsent() {
    for (const [key, entry] of this.pending) if (!entry.seq) this.pending.delete(key);
  }

  planResend() {
    clearTimeout(this.resendTimer);
    this.resendTimer = setTimeout(() => {
      if (!this.pending.size || this.resends >= RESENDS) return;
      if (this.busy) return void this.planResend();
      this.resends += 1;
      this.send();
    }, RESEND_AFTER * 2 ** this.resends);
  }

  planSettle() {
    clearTimeout(this.settleTimer);
    if (this.settled || this.busy || this.pending.size || this.sent !== this.acked) return;
    const wait = Math.max(0, this.edited + SETTLE_AFTER - performance.now());
    this.settleTimer = setTimeout(() => {
      if (!this.post) return;
      this.settled = true;
      this.settle(this.sent);
    }, wait);
  }

  close() {
    clearTimeout(this.resendTimer);
    clearTimeout(this.settleTimer);
  }
}

// ---------------------------------------------------------------- the DOM

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function shapeOf(spec) {
  return JSON.stringify([spec.kind, spec.values.map((row) => row.length), spec.col_offset]);
}

let messages = 0;

/** One matrix's DOM. Built once a shape; labels and values are written in afterwards. */
class Matrix {
  constructor(spec) {
    this.shape = shapeOf(spec);
    this.name = spec.name;
    this.mask = spec.kind === 'mask';
    const message = `att-message-${(messages += 1)}`;
    this.cells = spec.values.map((row, r) => row.map((_, c) => this.cell(r, c, spec.col_offset || 0, message)));
    this.cells[0][0].node.tabIndex = 0;
    this.title = element('strong');
    this.subtitle = element('span');
    this.axis = element('th', { scope: 'colgroup', colspan: spec.cols.length }, element('span'));
    this.axisRow = element('tr', {}, element('td'), this.axis);
    this.corner = element('th', {}, element('span'));
    this.colHeads = spec.cols.map(() => element('th', { scope: 'col' }, element('span')));
    this.rowHeads = spec.rows.map(() => element('th', { scope: 'row' }, element('span')));
    const rows = this.cells.map((row, r) =>
      element('tr', {}, this.rowHeads[r], ...row.map((cell) => element('td', { role: 'gridcell' }, cell.node))));
    this.table = element(
      'table', { role: 'grid' },
      element('caption', {}, element('div', {}, this.title, this.subtitle)),
      element('thead', {}, this.axisRow, element('tr', {}, this.corner, ...this.colHeads)),
      element('tbody', {}, ...rows));
    this.message = element('p', { class: 'att-message', role: 'alert', id: message });
    this.notice = '';
    this.node = element(
      'div', { class: 'att-matrix' }, element('div', { class: 'att-scroll' }, this.table), this.message);
    const width = spec.cols.length * 45 + 70;
    this.node.style.containIntrinsicSize = `auto ${width}px auto ${spec.rows.length * 35 + 60}px`;
  }

  cell(row, col, offset, message) {
    const place = { 'data-matrix': this.name, 'data-row': row, 'data-col': col + offset, tabindex: -1 };
    const node = this.mask
      ? element('button', { ...place, type: 'button', class: 'att-cell att-mask' })
      : element('input', {
        ...place, type: 'text', inputmode: 'decimal', class: 'att-cell', autocomplete: 'off',
        spellcheck: 'false', enterkeyhint: 'done', 'aria-errormessage': message });
    const key = `${this.name},${row},${col + offset}`;
    return { matrix: this, node, row, col, place: { matrix: this.name, row, col: col + offset }, key, error: '' };
  }

  label(spec, texts) {
    const key = JSON.stringify([spec.title, spec.subtitle, spec.rows, spec.cols, spec.row_axis, spec.col_axis,
      texts.cell, texts.mask_cell]);
    if (key === this.labels) return;
    this.labels = key;
    setText(this.title, spec.title);
    setText(this.subtitle, spec.subtitle || '');
    this.axisRow.hidden = !spec.col_axis;
    setText(this.axis.firstChild, spec.col_axis || '');
    setText(this.corner.firstChild, spec.row_axis || '');
    this.colHeads.forEach((head, c) => setText(head.firstChild, spec.cols[c]));
    this.rowHeads.forEach((head, r) => {
      setText(head.firstChild, spec.rows[r]);
      head.title = spec.rows[r];
    });
    for (const { node, row, col } of this.cells.flat()) {
      const facts = { matrix: spec.title, row: spec.rows[row], column: spec.cols[col], col: spec.cols[col] };
      node.setAttribute('aria-label', fill(this.mask ? texts.mask_cell : texts.cell, facts));
    }
  }

  showMessage() {
    const wrong = this.cells.flat().filter((cell) => cell.error);
    setText(this.message, wrong.length ? wrong[wrong.length - 1].error : this.notice);
  }
}

// ---------------------------------------------------------------- the editor

class Editor {
  constructor(seq) {
    this.outbox = new Outbox(seq);
    this.matrices = new Map();
    this.cells = new WeakMap(); // node → cell
    this.focused = null;
    this.typing = null; // the cell whose text is being edited
    this.drag = null;
    this.live = -1;
    this.hint = element('p', { class: 'att-hint' });
    this.list = element('div', { class: 'att-matrices' });
    this.root = element('div', { class: 'att-editor' }, this.hint, this.list);
    this.closing = new AbortController();
    this.narrow = window.matchMedia(NARROW);
    this.listen();
  }

  /** On the page, for the first time or again: with the focus and the caret where they were. */
  moveTo(parent) {
    clearTimeout(this.ending);
    if (orphan === this) orphan = null;
    parent.append(this.root);
    const node = this.focused?.node;
    if (!node || document.activeElement !== document.body) return;
    const caret = [node.selectionStart, node.selectionEnd];
    node.focus({ preventScroll: true });
    if (this.typing) node.setSelectionRange(...caret);
  }

  leave() {
    this.outbox.post = null;
    orphan = this;
    this.ending = setTimeout(() => this.destroy(), ORPHAN_LIVES);
  }

  destroy() {
    if (orphan === this) orphan = null;
    this.closing.abort();
    this.outbox.close();
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }

  // ---- data from the server

  update(data) {
    const changed = this.data && data.stamp !== this.data.stamp;
    const newLive = data.live && (data.live.seq > this.live || changed);
    this.data = data;
    this.stops = data.palette.map(rgb);
    this.outbox.take(data.seq);
    if (changed) this.dropDrafts();
    setText(this.hint, data.texts.hint || '');
    this.build();
    for (const matrix of this.matrices.values()) {
      matrix.cells.flat().forEach((cell) => this.paint(cell));
      matrix.showMessage();
    }
    if (newLive) {
      this.live = data.live.seq;
      pushLive(data.live);
    }
    this.outbox.flush();
    if (this.narrow.matches !== data.narrow) this.tellWidth(this.narrow.matches);
  }

  /** The state changed for another reason: only the cell under the hand keeps its entry. */
  dropDrafts() {
    this.outbox.dropUnsent();
    for (const matrix of this.matrices.values()) {
      matrix.notice = '';
      for (const cell of matrix.cells.flat()) if (cell !== this.typing) this.setError(cell, '');
    }
  }

  /** Brings the DOM to the data's shapes. A matrix that keeps its shape keeps its nodes, and so the focus. */
  build() {
    const wanted = new Map(this.data.matrices.map((spec) => [spec.name, shapeOf(spec)]));
    for (const [name, matrix] of this.matrices) if (wanted.get(name) !== matrix.shape) this.forget(matrix);
    this.data.matrices.forEach((spec, place) => {
      const matrix = this.matrices.get(spec.name) || this.add(spec);
      matrix.spec = spec;
      matrix.label(spec, this.data.texts);
      const there = this.list.children[place];
      if (there !== matrix.node) this.list.insertBefore(matrix.node, there || null);
    });
  }

  add(spec) {
    const matrix = new Matrix(spec);
    this.matrices.set(spec.name, matrix);
    for (const cell of matrix.cells.flat()) this.cells.set(cell.node, cell);
    return matrix;
  }

  forget(matrix) {
    if (this.typing?.matrix === matrix) this.typing = null;
    if (this.focused?.matrix === matrix) this.focused = null;
    if (this.drag?.cell.matrix === matrix) this.endDrag();
    this.matrices.delete(matrix.name);
    matrix.node.remove();
  }

  // ---- one cell

  value(cell) {
    const entry = this.outbox.pending.get(cell.key);
    return entry ? entry.edit.value : cell.matrix.spec.values[cell.row][cell.col];
  }

  paint(cell) {
    const value = this.value(cell);
    if (cell.matrix.mask) {
      setText(cell.node, value ? '✓' : '×');
      cell.node.setAttribute('aria-pressed', String(value));
      return;
    }
    const text = shortest(value);
    if (cell !== this.typing && !cell.error && cell.node.value !== text) {
      cell.node.value = text;
      if (document.activeElement === cell.node) cell.node.select();
    }
    const look = `${value} ${cell.matrix.spec.range} ${this.data.palette}`;
    if (look === cell.look) return;
    cell.look = look;
    cell.node.title = String(value) === text ? '' : String(value);
    cell.node.toggleAttribute('data-long', text.length > 6);
    const colour = colourOf(value / (cell.matrix.spec.range || 1), this.stops);
    cell.node.style.background = `rgb(${colour})`;
    cell.node.style.color = inkOn(colour);
  }

  /** Takes a new value for a cell; send() or frame by frame flush() brings it to the server. */
  put(cell, value) {
    cell.matrix.notice = '';
    this.setError(cell, '');
    if (value !== this.value(cell)) this.outbox.put(cell.key, { ...cell.place, value });
    this.paint(cell);
  }

  stepOf(cell) {
    return cell.matrix.spec.step || this.data.step;
  }

  bounded(value) {
    return clean(Math.min(Math.max(value, -this.data.limit), this.data.limit));
  }

  /** What is wrong with an entry, in the reader's language; '' if nothing. */
  fault(entry, number = parseNumber(entry)) {
    const { texts, limit } = this.data;
    if (Number.isFinite(number) && Math.abs(number) <= limit) return '';
    const isNumber = !Number.isNaN(number);
    return fill(isNumber ? texts.too_large : texts.not_a_number, { entry: entry.trim(), limit });
  }

  setError(cell, error) {
    if (cell.error === error) return;
    cell.error = error;
    if (error) cell.node.setAttribute('aria-invalid', 'true');
    else cell.node.removeAttribute('aria-invalid');
    cell.matrix.showMessage();
  }

  // ---- typing

  startTyping(cell, whole) {
    this.setTyping(cell);
    if (!whole) return;
    cell.node.value = String(this.value(cell));
    cell.node.setSelectionRange(cell.node.value.length, cell.node.value.length);
  }

  setTyping(cell) {
    this.typing?.node.classList.remove('att-typing');
    this.typing = cell;
    cell?.node.classList.add('att-typing');
  }

  commit(cell) {
    const entry = cell.node.value;
    const error = this.fault(entry);
    this.setError(cell, error);
    if (error) return;
    this.setTyping(null);
    this.put(cell, parseNumber(entry));
    this.outbox.flush();
  }

  restore(cell) {
    this.setTyping(null);
    this.setError(cell, '');
    this.paint(cell);
    cell.node.select();
  }

  // ---- dragging

  pressed(event, cell) {
    this.dragged = false;
    if (event.button !== 0 || !event.isPrimary || this.drag || cell.matrix.mask) return;
    if (cell === this.typing || cell.error) return;
    const value = this.value(cell);
    const { clientX: x, pointerId: id, shiftKey: fine } = event;
    this.drag = { cell, id, x, fine, start: value, from: value, fromX: x, active: false };
    if (event.pointerType !== 'touch') cell.node.focus({ preventScroll: true });
    cell.node.setPointerCapture(id);
  }

  moved(event) {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.active && Math.abs(event.clientX - drag.fromX) <= DRAG_START) return;
    if (!drag.active) this.startDrag(drag);
    if (event.shiftKey !== drag.fine) {
      drag.from = this.value(drag.cell); // the other step counts from here
      drag.fromX = drag.x;
      drag.fine = event.shiftKey;
    }
    drag.x = event.clientX;
    this.frame ||= requestAnimationFrame(() => this.follow());
  }

  startDrag(drag) {
    if (this.typing) this.commit(this.typing);
    this.setTyping(null);
    drag.active = this.outbox.busy = true;
    this.root.classList.add('att-dragging');
  }

  follow() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.drag?.active) return;
    const { cell, from, fromX, x, fine } = this.drag;
    const step = this.stepOf(cell) / (fine ? 10 : 1);
    this.put(cell, this.bounded(from + Math.round((x - fromX) / DRAG_PIXELS) * step));
    this.outbox.flush();
  }

  released(event) {
    if (event.pointerId !== this.drag?.id) return;
    this.follow();
    this.endDrag();
  }

  endDrag() {
    this.dragged = this.drag.active;
    this.drag = null;
    this.outbox.busy = false;
    this.root.classList.remove('att-dragging');
    this.outbox.flush();
  }

  cancelDrag(event) {
    if (event.key !== 'Escape' || !this.drag?.active) return;
    event.preventDefault();
    event.stopPropagation();
    this.put(this.drag.cell, this.drag.start);
    this.endDrag();
  }

  // ---- keys

  key(event, cell) {
    if (event.isComposing) return;
    if (cell === this.typing) this.keyWhileTyping(event, cell);
    else if (this.keyOnCell(event, cell)) event.preventDefault();
  }

  keyWhileTyping(event, cell) {
    if (event.key === 'Enter') {
      this.commit(cell);
      if (!cell.error) cell.node.select();
    } else if (event.key === 'Escape') this.restore(cell);
    else return;
    event.preventDefault();
  }

  /** A key in cell mode; true if it was ours. */
  keyOnCell(event, cell) {
    const { key, shiftKey } = event;
    const number = !cell.matrix.mask;
    const arrow = TOUCHES[key];
    if (event.altKey || event.metaKey || (event.ctrlKey && key !== 'Home' && key !== 'End')) return false;
    if (arrow && shiftKey && number) this.nudge(cell, key === 'ArrowUp' || key === 'ArrowRight' ? 1 : -1);
    else if (arrow) this.go(cell.matrix, cell.row + arrow[0], cell.col + arrow[1]);
    else if (key === 'Home') this.go(cell.matrix, event.ctrlKey ? 0 : cell.row, 0);
    else if (key === 'End') this.go(cell.matrix, event.ctrlKey ? Infinity : cell.row, Infinity);
    else if (!number) return false;
    else if (key === 'F2' || key === 'Enter') this.startTyping(cell, true);
    else if (key === 'Delete' || key === 'Backspace') this.change(cell, 0);
    else {
      if (key.length === 1 && key !== ' ') {
        cell.node.select();
        this.startTyping(cell, false);
      }
      return key === ' ';
    }
    return true;
  }

  go(matrix, row, col) {
    const { cells } = matrix;
    const line = cells[Math.min(Math.max(row, 0), cells.length - 1)];
    line[Math.min(Math.max(col, 0), line.length - 1)].node.focus();
  }

  nudge(cell, direction) {
    this.outbox.busy = true; // until the key is up
    this.put(cell, this.bounded(this.value(cell) + direction * this.stepOf(cell)));
    this.outbox.flush();
  }

  change(cell, value) {
    this.put(cell, value);
    this.outbox.flush();
  }

  keyUp() {
    if (this.drag || !this.outbox.busy) return;
    this.outbox.busy = false;
    this.outbox.flush();
  }

  // ---- blocks

  paste(event, cell) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const block = splitBlock(text);
    const single = block.length === 1 && block[0].length === 1;
    if (single && cell === this.typing) return;
    event.preventDefault();
    this.setTyping(null);
    this.setError(cell, '');
    const { matrix } = cell;
    matrix.notice = this.blockFault(block, cell);
    if (!matrix.notice) {
      block.forEach((line, r) => line.forEach((entry, c) => {
        const number = parseNumber(entry);
        this.put(matrix.cells[cell.row + r][cell.col + c], matrix.mask ? number !== 0 : number);
      }));
      this.outbox.flush();
    }
    this.paint(cell);
    matrix.showMessage();
  }

  blockFault(block, cell) {
    const { cells } = cell.matrix;
    const rows = block.length;
    const cols = Math.max(...block.map((line) => line.length));
    const room = { room_rows: cells.length - cell.row, room_cols: cells[0].length - cell.col };
    if (rows > room.room_rows || cols > room.room_cols) {
      return fill(this.data.texts.paste_shape, { rows, cols, ...room });
    }
    const ragged = block.find((line) => line.length !== cols);
    if (ragged) return fill(this.data.texts.not_a_number, { entry: '' });
    return block.flat().map((entry) => this.fault(entry)).find(Boolean) || '';
  }

  copy(event, cell) {
    if (cell === this.typing) return;
    const lines = cell.matrix.cells.map((row) => row.map((one) => Number(this.value(one))).join('\t'));
    event.clipboardData.setData('text/plain', lines.join('\n'));
    event.preventDefault();
  }

  // ---- events

  listen() {
    const { signal } = this.closing;
    const on = (type, handle) =>
      this.root.addEventListener(type, (event) => {
        const cell = this.cells.get(event.target);
        if (cell) handle.call(this, event, cell);
      }, { signal });
    on('pointerdown', this.pressed);
    on('mousedown', (event, cell) => {
      // no text selection, no caret: a press may become a drag
      if (cell !== this.typing && !cell.error && !cell.matrix.mask) event.preventDefault();
    });
    on('click', this.clicked);
    on('dblclick', (event, cell) => {
      if (!cell.matrix.mask && cell !== this.typing) this.startTyping(cell, true);
    });
    on('input', (event, cell) => this.startTyping(cell, false));
    on('keydown', this.key);
    on('keyup', this.keyUp);
    on('paste', this.paste);
    on('copy', this.copy);
    on('focusin', this.entered);
    on('focusout', this.left);
    this.narrow.addEventListener('change', () => this.tellWidth(this.narrow.matches), { signal });
    // A drag goes on wherever the pointer is, and also if its cell is off the page for a moment.
    document.addEventListener('pointermove', (event) => this.moved(event), { signal });
    document.addEventListener('pointerup', (event) => this.released(event), { signal });
    document.addEventListener('pointercancel', (event) => this.released(event), { signal });
    document.addEventListener('keydown', (event) => this.cancelDrag(event), { signal, capture: true });
    document.addEventListener('click', (event) => {
      const cell = pickedCell(event.target);
      if (cell) this.pick(cell);
    }, { signal });
  }

  clicked(event, cell) {
    if (cell.matrix.mask) {
      this.change(cell, !this.value(cell));
    } else if (!this.dragged && cell !== this.typing) {
      cell.node.focus();
      cell.node.select();
    }
    this.dragged = false;
  }

  entered(event, cell) {
    for (const other of cell.matrix.cells.flat()) other.node.tabIndex = other === cell ? 0 : -1;
    this.focused = cell;
    if (cell.error) this.setTyping(cell);
    else if (cell !== this.typing && !cell.matrix.mask) cell.node.select();
  }

  left(event, cell) {
    if (document.activeElement === cell.node || !this.root.isConnected) return; // only the window, or Streamlit
    this.focused = null;
    if (cell === this.typing) {
      this.commit(cell);
      this.setTyping(null);
    }
    this.keyUp();
  }
}
