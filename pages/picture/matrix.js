// The DOM of one matrix. Built once a shape; labels and values are written in afterwards, and only what changed.

import { cellStyle, NO_STYLE, styles } from './colours.js';
import { element, fill, setFlag, setMarkup, setText, withoutMarkup } from './markup.js';
import { entryText, numberOf, plainText, shortest, shortText, signedText, widthOf } from './numbers.js';
import { drawShades, makeShades, sizeShades } from './shades.js';
import { makeSlider, showSlider } from './slider.js';
/** @import { Bounded, Cell, Label, MatrixSpec, Ways } from './types.js' */

const ON_SCALES = ['signed', 'weights', 'mask']; // kinds
const REST = 'var(--st-secondary-background-color)'; // of a cell that has no colour

let messageIds = 0;

/** @param {MatrixSpec} spec */
export function shapeOf(spec) {
  return JSON.stringify([
    spec.kind === 'mask', spec.editable, spec.rows.length, spec.cols.length, spec.offset, spec.size, spec.names,
    spec.clickable, spec.col_names, spec.choose !== null, spec.grow, spec.menu, spec.step_name === null, spec.slider, spec.open,
  ]);
}

export class MatrixView {
  /** @param {MatrixSpec} spec */
  constructor(spec) {
    this.id = spec.id;
    this.shape = shapeOf(spec);
    this.spec = spec;
    this.rows = spec.rows.length;
    this.cols = spec.cols.length;
    this.offset = spec.offset;
    this.thumbnail = spec.size === 'thumbnail';
    this.shades = this.thumbnail ? makeShades(this.rows, this.cols) : null;
    this.shaded = this.thumbnail; // its colours are on a canvas: no cell shows a number
    this.pale = /** @type {Set<Cell>} */ (new Set()); // whose shades are not drawn yet
    this.cellSize = /** @type {[number, number]} */ ([1, 1]); // px
    this.shadesSize = ''; // the same and the screen's own pixels, of which the canvas was made
    this.open = spec.open && new Set(spec.open.map(String)); // the only cells to edit; null: all of them
    this.messageId = `pic-message-${(messageIds += 1)}`;
    this.cells = spec.rows.map((_, r) => spec.cols.map((_, c) => this.makeCell(r, c + this.offset)));
    /** @type {(() => string) | null} writes what was wrong with an entry that is gone */
    this.saying = null;
    /** @type {HTMLElement[]} the arrows that point to this matrix */
    this.arrows = [];
    this.looks = '';
    this.look = this.texts = /** @type {object | undefined} */ (undefined); // what the labels were written with
    this.values = /** @type {MatrixSpec['values']} */ (null); // the values that are drawn
    this.masked = new Set();
    this.decimals = spec.decimals;
    this.range = 1; // of the colours of signed numbers, the same in all matrices of the picture
    // How the layout draws it: whether with numbers, and whether with its row labels, in a gutter so wide.
    this.showNumbers = this.labelled = false;
    this.gutter = this.headWidth = this.labelRoom = this.textWidth = 0;
    this.rowsKey = '';
    this.marks = /** @type {Record<string, string>} */ ({}); // the cells that have a mark, by its name
    this.followed = null; // the only row that is not dimmed
    this.absent = false; // it has no place in the picture
    this.room = [Infinity, Infinity]; // for a text, in digits: in the usual type, and in the smallest
    if (!this.thumbnail) this.setTabStop(this.cells.flat().find((cell) => this.open && this.takesEdits(cell)) || this.cells[0]?.[0]);
    this.colHeads = this.rowNodes = /** @type {HTMLElement[]} */ ([]);
    this.labels = this.colLabels = /** @type {Label[]} */ ([]);
    this.build();
  }

  /** @returns {Cell} */
  makeCell(row, col) {
    const place = { 'data-matrix': this.id, 'data-row': row, 'data-col': col };
    const { kind } = this.spec;
    const editable = this.takesEdits({ row, col });
    let node;
    if (this.thumbnail) node = element('i', { ...place, class: 'pic-cell' });
    else if (editable && kind !== 'mask') {
      node = element('input', {
        ...place, 'data-editable': '', type: 'text', inputmode: 'decimal', class: 'pic-cell', autocomplete: 'off',
        spellcheck: 'false', enterkeyhint: this.open ? 'next' : 'done', tabindex: -1,
        'aria-errormessage': this.messageId,
      });
      setFlag(node, 'data-open', this.open);
      // A phone's decimal keys have neither a minus nor the stroke of a fraction.
      if (this.open) node.inputMode = 'text';
    } else if (editable) {
      node = element('button', { ...place, 'data-editable': '', type: 'button', class: 'pic-cell', tabindex: -1 });
    } else node = element('div', { ...place, class: 'pic-cell', role: 'gridcell', tabindex: -1 });
    const content = editable && kind !== 'mask' ? null : node.appendChild(document.createTextNode(''));
    const key = `${this.id},${row},${col}`;
    return { view: this, key, node, content, row, col, entry: null, error: '', look: NO_STYLE, own: NO_STYLE };
  }

  build() {
    const { spec } = this;
    this.title = element(spec.step_name === null || this.thumbnail ? 'span' : 'button', { class: 'pic-title' });
    if (this.title.tagName === 'BUTTON') this.title.type = 'button';
    this.subtitle = element('span', { class: 'pic-subtitle' });
    this.menu = element('button', { class: 'pic-menu', type: 'button', 'aria-haspopup': 'menu' }, '▾');
    this.menu.hidden = !spec.menu.length;
    const head = element('div', { class: 'pic-head' }, this.title, this.subtitle, this.menu);
    this.colAxis = element('div', { class: 'pic-col-axis' });
    this.rowAxis = element('div', { class: 'pic-row-axis' });
    this.colHeads = spec.cols.map(() => element('div', { class: 'pic-col', role: 'columnheader' }));
    if (spec.col_names) this.colLabels = this.colHeads.map((head, c) => this.makeColLabel(head, c));
    this.labels = spec.rows.map((_, r) => this.makeLabel(r));
    this.rowNodes = this.cells.map((row, r) => element('div', { class: 'pic-row', role: 'row' },
      this.labels[r].node, ...row.map(({ node }) => (node.role || node.getAttribute('role') || this.thumbnail
        ? node : element('div', { class: 'pic-slot', role: 'gridcell' }, node)))));
    this.grid = element('div', { class: 'pic-grid', role: this.thumbnail ? null : 'grid' },
      ...(this.shades ? [this.shades] : []),
      element('div', { class: 'pic-cols', role: 'row' }, element('div', { class: 'pic-corner' }), ...this.colHeads),
      ...this.rowNodes);
    this.body = element('div', { class: 'pic-body' },
      this.colAxis, this.rowAxis, element('div', { class: 'pic-scroll' }, this.grid));
    this.message = element('div', { class: 'pic-message', role: 'alert', id: this.messageId });
    this.node = element(spec.choose === null ? 'section' : 'div', {
      class: 'pic-box', 'data-matrix-box': this.id, 'data-size': spec.size,
      'data-kind': ['mask', 'weights'].includes(spec.kind) ? spec.kind : null,
    }, head, this.body, this.message);
    if (this.thumbnail) this.grid.setAttribute('aria-hidden', 'true');
    if (spec.choose !== null) {
      this.node.setAttribute('role', 'button');
      this.node.tabIndex = -1;
    }
    if (spec.grow) this.makeEdges(spec.grow);
    setFlag(this.node, 'data-grows', spec.grow?.cols);
    setFlag(this.node, 'data-slides', spec.slider);
    if (spec.slider) {
      this.slider = makeSlider(/** @type {Bounded} */ (spec));
      this.body.after(this.slider.track);
    }
  }

  /** A name to type, the one of that number of a row or of a column. */
  makeName(side, number) {
    return element('input', {
      class: 'pic-name', type: 'text', autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'done',
      tabindex: number ? -1 : 0, [`data-name-${side}`]: number, 'aria-errormessage': this.messageId,
    });
  }

  makeColLabel(node, row) {
    const input = this.makeName('col', row);
    node.append(input);
    return { view: this, node, input, row, typing: false, error: '' };
  }

  makeLabel(row) {
    if (!this.spec.names) return { node: element('div', { class: 'pic-label', role: 'rowheader' }) };
    const input = this.makeName('row', row);
    const remove = element('button', { class: 'pic-remove', type: 'button', tabindex: -1 }, '×');
    remove.hidden = !this.spec.grow?.rows?.remove;
    const node = element('div', { class: 'pic-label', role: 'rowheader' }, remove, input);
    return { view: this, node, input, remove, row, typing: false, error: '' };
  }

  /**
   * + and − where the matrix can grow: above the row labels, and at the right of the columns.
   * @param {{ rows?: Ways, cols?: Ways }} grow
   */
  makeEdges({ rows, cols }) {
    this.edges = [];
    for (const [side, ways] of [['rows', rows], ['cols', cols]]) {
      if (!ways) continue;
      const bar = element('div', { class: `pic-edge pic-edge-${side}` });
      for (const [way, sign] of [['add', '+'], ['remove', '−']]) {
        const button = element('button', { type: 'button', class: 'pic-grow' }, sign);
        button.disabled = !ways[way];
        bar.append(button);
        this.edges.push({ button, side, way });
      }
      this.body.append(bar);
    }
  }

  /** @returns {Cell | undefined} */
  cell(row, col) {
    return this.cells[row]?.[col - this.offset];
  }

  /** Whether a cell can be edited: of a matrix with open cells, only an open cell. */
  takesEdits({ row, col }) {
    return this.spec.editable && (!this.open || this.open.has(String([row, col])));
  }

  /** @param {Cell} cell */
  setTabStop(cell) {
    if (this.tabStop === cell) return;
    if (this.tabStop) this.tabStop.node.tabIndex = -1;
    this.tabStop = cell;
    if (cell) cell.node.tabIndex = 0;
  }

  // ---- labels

  label(texts) {
    const { spec } = this;
    if (spec.look && spec.look === this.look && texts === this.texts) return false;
    [this.look, this.texts] = [spec.look, texts];
    const key = JSON.stringify([spec.title, spec.subtitle, spec.symbol, spec.rows, spec.cols, spec.row_axis,
      spec.col_axis, spec.alt, spec.tokens, spec.dimensions, spec.marked, spec.marked_rows, texts.cell]);
    if (key === this.labelKey) return false;
    this.labelKey = key;
    this.symbol = spec.symbol || spec.title;
    this.said = withoutMarkup(spec.symbol || spec.title);
    setMarkup(this.title, spec.title);
    setMarkup(this.subtitle, spec.subtitle);
    this.menu.setAttribute('aria-label', fill(texts.menu, { matrix: this.said }));
    (this.thumbnail ? this.node : this.grid).setAttribute('aria-label', spec.alt || this.said);
    this.title.title = spec.alt;
    this.colHeads.forEach((head, c) => {
      if (spec.col_names) this.labelColumn(this.colLabels[c], c, texts);
      else setText(head, spec.cols[c]);
      head.title = spec.cols[c];
      const col = c + this.offset;
      setFlag(head, 'data-marked', spec.marked && spec.marked[0] <= col && col < spec.marked[1]);
    });
    this.labels.forEach((label, r) => this.labelRow(label, r, texts));
    for (const cell of this.cells.flat()) this.nameCell(cell, texts);
    for (const { button, side, way } of this.edges || []) {
      const text = side === 'rows' && way === 'remove'
        ? fill(texts.remove_token, { token: spec.rows[this.rows - 1] })
        : texts[side === 'rows' ? 'add_token' : `${way}_column`];
      button.setAttribute('aria-label', text);
      button.title = text;
    }
    return true;
  }

  labelColumn(label, column, texts) {
    if (!label.typing && !label.error) label.input.value = this.spec.cols[column];
    label.input.setAttribute('aria-label', fill(texts.column_name, { i: column + 1 }));
  }

  labelRow(label, row, texts) {
    const { spec } = this;
    setFlag(label.node, 'data-marked', spec.marked_rows && spec.marked_rows[0] <= row && row < spec.marked_rows[1]);
    if (!label.input) {
      setText(label.node, spec.rows[row]);
      label.node.title = spec.rows[row];
      return;
    }
    if (!label.typing && !label.error) label.input.value = spec.rows[row];
    label.input.title = spec.rows[row];
    label.node.setAttribute('aria-label', spec.rows[row]);
    label.input.setAttribute('aria-label', fill(texts.token_name, { i: row + 1 }));
    label.remove.setAttribute('aria-label', fill(texts.remove_token, { token: spec.rows[row] }));
    label.remove.title = label.remove.getAttribute('aria-label');
  }

  nameCell({ node, row, col }, texts) {
    if (this.thumbnail) return;
    const facts = { matrix: this.said, row: this.spec.rows[row], column: this.spec.cols[col - this.offset] };
    const template = this.spec.kind === 'mask' ? texts.mask_cell : texts.cell;
    // A number that is alone, or in a row or a column without a name, has no place to be named.
    const named = facts.row && facts.column;
    // A computed number is read aloud first, then its place: a label would replace the number.
    node.setAttribute(node.getAttribute('role') === 'gridcell' ? 'aria-description' : 'aria-label',
      named ? fill(template, facts) : Object.values(facts).filter(Boolean).join(', '));
  }

  // ---- values

  /** @returns {any} a Value, in most matrices a number */
  valueAt(row, col) {
    const cell = this.cell(row, col);
    if (cell?.entry && !cell.entry.done) return cell.entry.edit.value ?? undefined;
    const value = this.spec.values?.[row]?.[col - this.offset];
    if (value === undefined || value === null) return undefined;
    return this.spec.kind === 'text' ? value : numberOf(value);
  }

  isMasked(row, col) {
    return this.masked.has(row * 4096 + col);
  }

  /** A cell's content in the digits shown, whether or not its cell is large enough to show them. */
  textAt(row, col) {
    const value = this.valueAt(row, col);
    if (value === undefined) return '…';
    if (this.spec.kind === 'mask') return value ? '✓' : '×';
    if (this.spec.kind === 'text') return value;
    if (!this.cell(row, col)?.content) return entryText(value, this.spec.integer);
    return shortText(value, this.decimals);
  }

  /** Writes values and colours in. `steady`: a hand holds a number, and the range of the colours stays as it was. */
  draw(steady, numbers, range) {
    const { spec } = this;
    if (!steady) [this.decimals, this.range] = [spec.decimals, range];
    if (!this.thumbnail) this.takeShades(!numbers && spec.values !== null && ON_SCALES.includes(spec.kind));
    const looks = `${this.decimals}|${this.range}|${spec.masked}|${spec.kind}|${numbers}|${this.shaded}|${spec.integer}|${this.room}`;
    const changed = looks !== this.looks || styles !== this.styles;
    if (changed) {
      this.styles = styles;
      this.looks = looks;
      this.numbers = numbers;
      this.masked = new Set((spec.masked || []).map(([r, c]) => r * 4096 + c));
    }
    setFlag(this.node, 'data-empty', spec.values === null);
    // The same numbers look the same, but where an entry may have been given up.
    if (changed || spec.editable || spec.values !== this.values) {
      for (const row of this.cells) for (const cell of row) this.paint(cell, changed);
    }
    this.values = spec.values;
    this.shade(this.pale);
    this.mark('data-ringed', spec.ringed);
    this.mark('data-right', spec.right);
  }

  mark(name, cells) {
    const key = String(cells);
    if (key === (this.marks[name] ?? '')) return;
    this.marks[name] = key;
    const places = new Set(cells.map(([r, c]) => `${r},${c}`));
    for (const { node, row, col } of this.cells.flat()) setFlag(node, name, places.has(`${row},${col}`));
  }

  /** @param {Cell} cell */
  paint(cell, again = false) {
    const { spec } = this;
    const { node, row, col } = cell;
    const value = this.valueAt(row, col);
    if (!again && Object.is(value, cell.value)) return;
    cell.value = value;
    if (this.slider && value !== undefined) showSlider(this.slider, spec, value, this.said);
    const masked = this.isMasked(row, col);
    this.colour(cell, cellStyle(spec.kind, value, this.range, masked));
    const plain = typeof value === 'number' ? plainText(value) : String(value ?? '');
    if (plain !== cell.plain) node.setAttribute('data-value', (cell.plain = plain));
    if (this.open) setFlag(node, 'data-blank', value === undefined);
    setFlag(node, 'data-masked', spec.kind === 'mask' ? !value : masked);
    if (!this.thumbnail) this.write(cell);
  }

  /**
   * One property at a time: the browser then need not work out the whole style of a cell again. One on a canvas has a
   * background of its own only where it has no colour, and needs an ink only where a number may be typed.
   */
  colour(cell, look) {
    const { shaded, thumbnail } = this;
    if (shaded && look.background !== cell.look.background) this.pale.add(cell);
    cell.look = look;
    if (thumbnail) return;
    const background = !shaded ? look.background : look.background ? '' : REST;
    const ink = shaded && cell.content ? '' : look.ink;
    if (background !== cell.own.background) cell.node.style.backgroundColor = background;
    if (ink !== cell.own.ink) cell.node.style.color = ink;
    cell.own = { background, ink };
  }

  /** Whether the colours are on a canvas, which is as large as the cells are now. */
  takeShades(shaded) {
    const size = String([...this.cellSize, devicePixelRatio]);
    if (shaded === this.shaded && (!shaded || size === this.shadesSize)) return;
    [this.shaded, this.shadesSize] = [shaded, size];
    setFlag(this.node, 'data-shaded', shaded);
    if (!shaded) {
      this.shades?.remove();
      this.shades = null;
      return;
    }
    this.shades ??= makeShades(this.rows, this.cols);
    this.grid.prepend(this.shades);
    sizeShades(this);
    this.pale = new Set(this.cells.flat());
  }

  /**
   * The colours on the canvas: after the look of rows has changed all cells, else the pale cells.
   * @param {Iterable<Cell>} pale
   */
  shade(pale = this.cells.flat()) {
    drawShades(this, pale);
    this.pale.clear();
  }

  /**
   * Writes what a cell holds, which may be what it held before it was typed in.
   * @param {Cell} cell
   */
  write(cell) {
    const { node, content, row, col } = cell;
    if (this.spec.editable && this.spec.kind === 'mask') node.setAttribute('aria-pressed', String(cell.value));
    const silent = this.valueAt(row, col) === undefined || (content && !this.numbers);
    const text = silent ? '' : this.textAt(row, col);
    const fitted = this.spec.kind === 'text' || text === '' ? text : this.fitted(cell, text);
    if (content) {
      if (content.nodeValue !== fitted) content.nodeValue = fitted;
    } else if (!cell.typing && !cell.error && node.value !== fitted) {
      node.value = fitted;
      if (document.activeElement === node) node.select();
    }
    setFlag(node, 'data-long', widthOf(fitted) > this.room[0]);
  }

  /**
   * The number with as many digits as its cell has room for, if need be in smaller type.
   * @param {Cell} cell
   * @param {string} text
   */
  fitted(cell, text) {
    if (widthOf(text) <= this.room[1] || typeof cell.value !== 'number') return text;
    const shorter = cell.content
      ? [1, 0].map((decimals) => shortText(cell.value, decimals))
      : [...[3, 2, 1].map((digits) => entryText(cell.value, this.spec.integer, digits)), shortText(cell.value)];
    // A number that somebody has entered never reads like 0 unless it is 0.
    const isTrue = (one) => cell.content || !cell.value || /[1-9]/.test(one);
    return shorter.find((one) => widthOf(one) <= this.room[1] && isTrue(one)) ?? signedText(cell.value, shortest);
  }

  // ---- messages

  /**
   * @param {Cell | Label} cell
   * @param {string} error
   */
  setError(cell, error) {
    if (cell.error === error) return;
    cell.error = error;
    const node = 'input' in cell ? cell.input : cell.node;
    if (error) node.setAttribute('aria-invalid', 'true');
    else node.removeAttribute('aria-invalid');
    this.showMessage();
  }

  /** Says what was wrong, as `saying` writes it in the page's language; null: nothing any more. */
  say(saying) {
    this.saying = saying;
    this.showMessage();
  }

  showMessage() {
    const errors = [...this.labels, ...this.colLabels, ...this.cells.flat()].map((cell) => cell.error).filter(Boolean);
    const text = errors.at(-1) ?? this.saying?.() ?? '';
    if (text === this.message.textContent) return;
    setText(this.message, text);
    if (text) this.message.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
