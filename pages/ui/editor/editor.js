/* The matrices to edit. Their cells are inputs coloured like a heatmap.

   data: {seq, stamp, step, limit, texts, palette, matrices, live}
     matrices: [{name, title, subtitle, rows, cols, col_offset, values, range, kind: "number" | "mask"}]
     seq: the newest of our messages that the server took in. stamp: changes when the state changed for another
     reason (undo, an example, a link), then everything here gives way to the data.
     live: {seq, charts: {key: {column: [...]}}, texts: {id: text}}, what changed on the rest of the page.
   Sent: edit {seq, edits: [{matrix, row, col, value}]}, all that the server has not confirmed; settle, when the
   hand rests; pick {chart, panel, row, col}, a click on a computed cell; narrow, whether this is a phone. */

const IN_FLIGHT = 2; // the next value may be sent while the last one is drawn, not more
const REST = 250; // milliseconds without an edit until the full run
const LATE = 3000; // milliseconds without an answer until all is sent again
const STEP_PIXELS = 8;
const NARROW = '(max-width: 640px)';

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector('.att-editor');
  const editor = (root.attEditor ??= new Editor(root));
  editor.send = { state: setStateValue, trigger: setTriggerValue };
  editor.update(data);
  return () => editor.close();
}

class Editor {
  constructor(root) {
    this.root = root;
    this.cells = new Map(); // "matrix,row,col" → cell
    this.pending = new Map(); // the same key → {value, seq} the server has not confirmed
    this.seq = 0;
    this.confirmed = 0;
    this.unsent = false;
    this.drag = null;
    this.listen();
  }

  listen() {
    const on = (name, handler) => this.root.addEventListener(name, handler);
    on('pointerdown', (e) => this.press(e));
    on('pointermove', (e) => this.move(e));
    on('pointerup', () => this.release());
    on('pointercancel', () => this.release());
    on('keydown', (e) => this.key(e));
    on('input', (e) => this.typing(e.target));
    on('focusin', (e) => this.focused(e.target));
    on('focusout', (e) => this.left(e.target));
    on('dblclick', (e) => this.cellOf(e.target) && this.type(this.cellOf(e.target)));
    on('paste', (e) => this.paste(e));
    on('copy', (e) => this.copy(e));
    on('click', (e) => this.click(e));
    this.pick = (e) => this.picked(e);
    document.addEventListener('click', this.pick);
    this.narrow = window.matchMedia(NARROW);
    this.tellWidth = () => this.send.state('narrow', this.narrow.matches);
    this.narrow.addEventListener('change', this.tellWidth);
  }

  close() {
    document.removeEventListener('click', this.pick);
    this.narrow.removeEventListener('change', this.tellWidth);
    clearTimeout(this.restTimer);
    clearTimeout(this.lateTimer);
    this.root.attEditor = undefined;
  }

  // ------------------------------------------------------------------ what comes from the server

  update(data) {
    const first = !this.data;
    const foreign = data.stamp !== this.data?.stamp;
    this.data = data;
    this.seq = Math.max(this.seq, data.seq);
    this.confirmed = data.seq;
    if (foreign) {
      this.pending.clear();
      this.drag = null;
    }
    for (const [key, edit] of this.pending) if (edit.seq && edit.seq <= data.seq) this.pending.delete(key);
    const shape = JSON.stringify(data.matrices.map((m) => [m.name, m.title, m.subtitle, m.rows, m.cols, m.kind]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    }
    this.fill(foreign);
    if (data.live && data.live.seq > (this.shown ?? 0)) {
      this.shown = data.live.seq;
      showLive(data.live);
    }
    if (this.unsent) this.flush();
    else this.rest();
    if (first && this.narrow.matches) this.tellWidth();
  }

  build() {
    const focus = document.activeElement?.dataset ?? {};
    this.cells.clear();
    this.root.replaceChildren(
      ...this.data.matrices.map((matrix) => this.table(matrix)),
      element('p', { className: 'att-hint', textContent: this.data.texts.hint }),
    );
    this.cells.get(`${focus.matrix},${focus.row},${focus.col}`)?.node.focus();
  }

  table(matrix) {
    const head = element('tr', {}, [element('td'), ...matrix.cols.map((c) => label(c, 'col'))]);
    const body = matrix.rows.map((name, r) =>
      element('tr', {}, [label(name, 'row'), ...matrix.cols.map((_, c) => element('td', {}, [this.cell(matrix, r, c)]))]),
    );
    const caption = element('caption', {}, [
      element('b', { textContent: matrix.title }),
      element('span', { textContent: ` ${matrix.subtitle}` }),
    ]);
    const message = element('p', { className: 'att-message', hidden: true });
    message.setAttribute('role', 'alert');
    const table = element('table', {}, [caption, element('thead', {}, [head]), element('tbody', {}, body)]);
    return element('div', { className: 'att-matrix' }, [element('div', { className: 'att-scroll' }, [table]), message]);
  }

  cell(matrix, r, c) {
    const col = c + matrix.col_offset;
    const isMask = matrix.kind === 'mask';
    const node = isMask ? element('button', { type: 'button' }) : element('input', { type: 'text', inputMode: 'decimal' });
    node.className = 'att-cell';
    node.autocomplete = 'off';
    node.tabIndex = r === 0 && c === 0 ? 0 : -1; // one tab stop a matrix, arrows inside
    Object.assign(node.dataset, { matrix: matrix.name, row: r, col });
    const words = { matrix: matrix.title, row: matrix.rows[r], col: matrix.cols[c], query: matrix.rows[r], key: matrix.cols[c] };
    node.setAttribute('aria-label', say(isMask ? this.data.texts.mask_cell : this.data.texts.cell, words));
    this.cells.set(`${matrix.name},${r},${col}`, { node, matrix: matrix.name, r, col, isMask, value: undefined });
    return node;
  }

  fill(all) {
    for (const matrix of this.data.matrices) {
      matrix.values.forEach((row, r) =>
        row.forEach((value, c) => {
          const key = `${matrix.name},${r},${c + matrix.col_offset}`;
          const cell = this.cells.get(key);
          cell.range = matrix.range;
          if (all) this.mend(cell);
          this.show(cell, this.pending.has(key) ? this.pending.get(key).value : value);
        }),
      );
    }
  }

  // ------------------------------------------------------------------ one cell

  show(cell, value) {
    if (cell.value === value && cell.shownRange === cell.range) return;
    cell.value = value;
    cell.shownRange = cell.range;
    if (cell.isMask) {
      cell.node.textContent = value ? '✓' : '−∞';
      cell.node.setAttribute('aria-pressed', String(value));
      return;
    }
    const [colour, ink] = shade(value / cell.range, this.data.palette);
    cell.node.style.background = colour;
    cell.node.style.color = ink;
    if (!cell.isTyping && !cell.isWrong) this.write(cell);
  }

  write(cell) {
    const text = shortText(cell.value);
    if (cell.node.value !== text) cell.node.value = text;
    cell.node.title = Number(text) === cell.value ? '' : String(cell.value);
  }

  cellOf(node) {
    const { matrix, row, col } = node?.dataset ?? {};
    return this.cells.get(`${matrix},${row},${col}`);
  }

  set(cell, value) {
    if (value === cell.value) return;
    this.show(cell, value);
    this.pending.set(`${cell.matrix},${cell.r},${cell.col}`, { value, seq: 0 });
    this.unsent = true;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.flush();
    });
  }

  nudge(cell, by) {
    const value = Number((cell.value + by).toFixed(6));
    if (Math.abs(value) <= this.data.limit) this.set(cell, value);
  }

  // ------------------------------------------------------------------ to the server

  flush(again = false) {
    if (!this.pending.size || (!again && this.seq - this.confirmed >= IN_FLIGHT)) return;
    this.unsent = false;
    this.seq += 1;
    for (const edit of this.pending.values()) edit.seq = this.seq;
    const edits = [...this.pending].map(([key, { value }]) => {
      const { matrix, r, col } = this.cells.get(key);
      return { matrix, row: r, col, value };
    });
    this.send.state('edit', { seq: this.seq, edits });
    this.unsettled = true;
    clearTimeout(this.lateTimer);
    this.lateTimer = setTimeout(() => this.pending.size && this.flush(true), LATE);
  }

  rest() {
    clearTimeout(this.restTimer);
    if (!this.unsettled || this.drag || this.pending.size) return;
    this.restTimer = setTimeout(() => {
      if (this.drag || this.pending.size) return;
      this.unsettled = false;
      this.send.trigger('settle', this.seq);
    }, REST);
  }

  // ------------------------------------------------------------------ typing

  focused(node) {
    const cell = this.cellOf(node);
    if (!cell) return;
    for (const other of this.cells.values()) if (other.matrix === cell.matrix) other.node.tabIndex = -1;
    node.tabIndex = 0;
  }

  type(cell) {
    if (cell.isMask || cell.isTyping) return;
    cell.isTyping = true;
    if (!cell.isWrong) cell.node.value = String(cell.value);
    cell.node.select();
  }

  typing(node) {
    const cell = this.cellOf(node);
    if (cell) cell.isTyping = true;
  }

  left(node) {
    const cell = this.cellOf(node);
    if (cell?.isTyping) this.commit(cell);
  }

  commit(cell) {
    const entry = cell.node.value;
    const value = readNumber(entry);
    cell.isTyping = false;
    if (Number.isNaN(value)) return this.refuse(cell, say(this.data.texts.not_a_number, { entry }));
    if (Math.abs(value) > this.data.limit)
      return this.refuse(cell, say(this.data.texts.too_large, { entry, limit: this.data.limit }));
    this.mend(cell);
    this.set(cell, value);
    this.write(cell);
    return true;
  }

  refuse(cell, text) {
    cell.isWrong = true;
    cell.node.setAttribute('aria-invalid', 'true');
    this.message(cell, text);
    return false;
  }

  mend(cell) {
    cell.isTyping = false;
    if (cell.isWrong) {
      cell.isWrong = false;
      cell.node.removeAttribute('aria-invalid');
      this.message(cell, '');
    }
    if (!cell.isMask && cell.value !== undefined) this.write(cell);
  }

  message(cell, text) {
    const place = cell.node.closest('.att-matrix').querySelector('.att-message');
    place.textContent = text;
    place.hidden = !text;
  }

  // ------------------------------------------------------------------ keys

  key(e) {
    const cell = this.cellOf(e.target);
    if (!cell) return;
    const { key } = e;
    if (key === 'Escape') return this.escape(cell);
    if (cell.isTyping) {
      if (key === 'Enter' && this.commit(cell)) e.target.select();
      return;
    }
    const handled = cell.isMask ? this.keyInGrid(cell, e) : this.keyInGrid(cell, e) || this.keyOnNumber(cell, e);
    if (handled) e.preventDefault();
  }

  escape(cell) {
    if (this.drag) {
      this.set(this.drag.cell, this.drag.start);
      this.release();
    }
    this.mend(cell);
  }

  keyInGrid(cell, e) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (e.ctrlKey || e.metaKey || e.altKey) return false;
    if (moves[e.key] && !e.shiftKey) return this.go(cell, ...moves[e.key]);
    if (e.key === 'Home') return this.go(cell, 0, -Infinity);
    if (e.key === 'End') return this.go(cell, 0, Infinity);
    return false;
  }

  go(cell, down, right) {
    const matrix = this.data.matrices.find((m) => m.name === cell.matrix);
    const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
    const r = clamp(cell.r + down, 0, matrix.rows.length - 1);
    const col = clamp(cell.col + right, matrix.col_offset, matrix.col_offset + matrix.cols.length - 1);
    const { node, isMask } = this.cells.get(`${cell.matrix},${r},${col}`);
    node.focus();
    if (!isMask) node.select();
    return true;
  }

  keyOnNumber(cell, e) {
    const step = this.data.step;
    const nudges = { ArrowUp: step, ArrowRight: step, ArrowDown: -step, ArrowLeft: -step };
    if (nudges[e.key] && e.shiftKey) this.nudge(cell, nudges[e.key]);
    else if (e.key === 'Delete' || e.key === 'Backspace') this.set(cell, 0);
    else if (e.key === 'Enter' || e.key === 'F2') this.type(cell);
    else return false;
    return true;
  }

  // ------------------------------------------------------------------ dragging

  press(e) {
    const cell = this.cellOf(e.target);
    if (!cell || cell.isMask || cell.isTyping || cell.isWrong || e.button !== 0) return;
    this.drag = { cell, x: e.clientX, start: cell.value, pointer: e.pointerId, moved: false };
  }

  move(e) {
    const drag = this.drag;
    if (!drag || e.pointerId !== drag.pointer) return;
    const dx = e.clientX - drag.x;
    if (!drag.moved) {
      if (Math.abs(dx) < 4) return;
      drag.moved = true;
      drag.cell.node.setPointerCapture(e.pointerId);
      drag.cell.node.classList.add('att-dragged');
    }
    e.preventDefault();
    window.getSelection()?.removeAllRanges();
    const step = e.shiftKey ? this.data.step / 10 : this.data.step;
    const value = Number((drag.start + Math.round(dx / STEP_PIXELS) * step).toFixed(6));
    if (Math.abs(value) <= this.data.limit) this.set(drag.cell, value);
  }

  release() {
    const drag = this.drag;
    this.drag = null;
    if (!drag?.moved) return;
    drag.cell.node.classList.remove('att-dragged');
    this.rest();
  }

  // ------------------------------------------------------------------ clicks, paste, copy

  click(e) {
    const cell = this.cellOf(e.target);
    if (!cell) return;
    if (cell.isMask) this.set(cell, !cell.value);
    else if (!cell.isTyping) e.target.select();
  }

  paste(e) {
    const cell = this.cellOf(e.target);
    const lines = (e.clipboardData?.getData('text') ?? '').replace(/\s+$/, '').split(/\r?\n/);
    if (!cell || cell.isMask) return;
    const block = lines.map((line) => line.trim().split(/\t|;|,(?!\d+$)\s*|,\s*|\s+/));
    if (block.length === 1 && block[0].length === 1) return; // an ordinary paste into the field
    e.preventDefault();
    this.pasteBlock(cell, block);
  }

  pasteBlock(cell, block) {
    const matrix = this.data.matrices.find((m) => m.name === cell.matrix);
    const cols = Math.max(...block.map((line) => line.length));
    const room_rows = matrix.rows.length - cell.r;
    const room_cols = matrix.cols.length - (cell.col - matrix.col_offset);
    this.mend(cell);
    if (block.length > room_rows || cols > room_cols)
      return this.message(cell, say(this.data.texts.paste_shape, { rows: block.length, cols, room_rows, room_cols }));
    const wrong = block.flat().find((entry) => !(Math.abs(readNumber(entry)) <= this.data.limit));
    if (wrong !== undefined) {
      const text = Number.isNaN(readNumber(wrong)) ? this.data.texts.not_a_number : this.data.texts.too_large;
      return this.message(cell, say(text, { entry: wrong, limit: this.data.limit }));
    }
    this.message(cell, '');
    block.forEach((line, i) =>
      line.forEach((entry, j) => {
        const target = this.cells.get(`${cell.matrix},${cell.r + i},${cell.col + j}`);
        this.mend(target);
        this.set(target, readNumber(entry));
        this.write(target);
      }),
    );
  }

  copy(e) {
    const cell = this.cellOf(e.target);
    if (!cell || cell.isTyping || cell.isMask) return;
    const matrix = this.data.matrices.find((m) => m.name === cell.matrix);
    const value = (r, c) => this.cells.get(`${cell.matrix},${r},${c + matrix.col_offset}`).value;
    const lines = matrix.rows.map((_, r) => matrix.cols.map((_, c) => value(r, c)).join('\t'));
    e.clipboardData.setData('text/plain', lines.join('\n'));
    e.preventDefault();
  }

  picked(e) {
    const step = e.target.closest?.('[class*="st-key-step-"]');
    const datum = e.target.__data__?.datum;
    if (!step || !e.target.closest('svg.marks') || typeof datum?.r !== 'number') return;
    const chart = e.target.closest('[class*="st-key-chart-"]');
    const name = [...chart.classList].find((c) => c.startsWith('st-key-chart-')).slice('st-key-'.length);
    this.send.trigger('pick', { chart: name, panel: datum.p, row: datum.r, col: datum.c });
  }
}

// -------------------------------------------------------------------- the rest of the page

/* Writes new numbers straight into the charts and sentences. The charts' own way takes several times as long;
   where a chart cannot be reached, the full run after the edit draws it. */
function showLive({ charts, texts }) {
  for (const [key, columns] of Object.entries(charts)) {
    const view = viewOf(document.querySelector(`.st-key-${key} svg.marks`));
    const rows = view?.data('source');
    if (!rows || rows.length !== Object.values(columns)[0].length) continue;
    const changes = view.changeset();
    for (const [column, values] of Object.entries(columns))
      values.forEach((value, i) => rows[i][column] !== value && changes.modify(rows[i], column, value));
    view.change('source', changes).runAsync();
  }
  for (const [id, text] of Object.entries(texts)) {
    const node = document.querySelector(`[data-live="${id}"]`);
    if (node && node.textContent !== text) node.textContent = text;
  }
}

/* Vega keeps the scene's item on each SVG node, and the item knows its view. */
function viewOf(svg) {
  for (const { __data__: item } of svg?.querySelectorAll('*') ?? []) {
    const context = item?.context ?? item?.mark?.group?.context ?? item?.group?.context;
    if (context?.dataflow) return context.dataflow;
  }
  return undefined;
}

// -------------------------------------------------------------------- small things

function element(tag, properties = {}, children = []) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function label(text, scope) {
  return element('th', { scope, textContent: text, title: text });
}

function say(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function readNumber(entry) {
  const text = entry.normalize('NFKC').replace('−', '-').trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) + 0 : NaN;
}

function shortText(value) {
  return String(Math.abs(value) < 1e5 ? Number(value.toFixed(4)) : value);
}

function shade(share, palette) {
  const at = ((Math.min(Math.max(share, -1), 1) + 1) / 2) * (palette.length - 1);
  const low = Math.min(Math.floor(at), palette.length - 2);
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [a, b] = [rgb(palette[low]), rgb(palette[low + 1])];
  const mixed = a.map((v, i) => Math.round(v + (b[i] - v) * (at - low)));
  const [r, g, bl] = mixed.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  return [`rgb(${mixed})`, light > 0.2 ? '#1b1b1b' : '#ffffff'];
}
