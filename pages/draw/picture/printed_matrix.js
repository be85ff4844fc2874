// One matrix as it is printed: light in both themes, and with digits on every cell, since there is room for them.

import { cellStyle, LIGHT_STYLES } from './colours.js';
import { shortName } from './markup.js';
import { FAINT, INK, MARK, rect, tag, widthIn, widthWithScripts, write, writeWithScripts } from './svg.js';
/** @import { Drawing, View } from './types.js' */

const FIGURES = 15; // px, of 1100 or so: the width of the first lesson's picture
const NAME = 18;
const SMALL = 13;
const CELL = 46;
const ROW = 30;
const HEAD = 26; // the title's line
const LABELS = 18; // the line of the column labels, and that of an axis
const WIDEST_LABEL = 88; // above a column; wider ones are turned
const THUMBNAIL = [72, 4, 11]; // px of its longer side, and of its cells at the least and at the most
const PAD = 5; // around a thumbnail
const PAPER = '#f0f2f6'; // a cell without a colour of its own
const FRAME = '#c5c9d1';
const FADED = 0.3; // the rows of the queries that are not followed

/**
 * @param {View} view
 * @returns {string[][]} what its cells show; '' where nothing is known yet
 */
function textsOf(view) {
  return view.cells.map((line) => line.map(({ row, col }) =>
    (view.valueAt(row, col) === undefined ? '' : view.textAt(row, col))));
}

/** @implements {Drawing} */
export class PrintedMatrix {
  /** @param {View} view */
  constructor(view) {
    const { spec } = view;
    this.view = view;
    this.gutter = 0;
    this.digits = textsOf(view);
    this.small = view.thumbnail;
    const named = Boolean(spec.names || spec.row_axis);
    const labelled = spec.rows.some((name, i) => name !== '' && (named || name !== String(i + 1)));
    this.rowsKey = labelled && !this.small ? JSON.stringify(spec.rows) : '';
    const widest = Math.max(...spec.cols.map((label) => widthIn(label, SMALL, 700)));
    this.turned = widest > WIDEST_LABEL;
    this.heads = this.small || !widest ? 0 : this.turned ? widest + 10 : LABELS; // the height of the column labels
    this.axes = !this.small && Boolean(spec.col_axis);
    this.cell = this.small ? thumbnailCell(view)
      : Math.max(CELL, this.turned ? 0 : widest + 8, ...this.digits.flat().map((text) => widthIn(text, FIGURES) + 10));
    this.row = this.small ? this.cell : ROW;
    this.setLabelled(true);
  }

  /** Whether it has its row labels, or they are to its left already. */
  setLabelled(on) {
    const { rows, row_axis: axis } = this.view.spec;
    this.labelled = Boolean(on && this.rowsKey);
    const widest = Math.max(...rows.map((name) => widthIn(name, SMALL + 1, 700)));
    this.gutter = this.labelled ? widest + 10 + (axis ? LABELS : 0) : 0;
  }

  get titleWidth() {
    const { title, subtitle } = this.view.spec;
    if (this.small) return widthWithScripts(title, SMALL, 600);
    return widthWithScripts(title, NAME, 600) + (subtitle ? 8 + widthWithScripts(subtitle, SMALL) : 0);
  }

  get width() {
    return Math.max(this.gutter + this.view.cols * this.cell, this.titleWidth) + (this.small ? 2 * PAD : 0);
  }

  /** How far below its top its cells begin. */
  get body() {
    if (this.small) return PAD + LABELS;
    return HEAD + (this.axes ? LABELS : 0) + this.heads;
  }

  get height() {
    return this.body + this.view.rows * this.row + (this.small ? PAD : 0);
  }

  get middle() {
    return this.body + (this.view.rows * this.row) / 2;
  }

  draw(x, y) {
    if (this.small) return this.drawFrame(x, y) + this.drawCells(x + PAD, y + this.body);
    const left = x + this.gutter;
    return this.drawHead(x, y) + this.drawAxes(x, y) + this.drawHeads(left, y + this.body)
      + this.drawLabels(left, y + this.body) + this.drawCells(left, y + this.body);
  }

  drawFrame(x, y) {
    const { title, choose, chosen } = this.view.spec;
    const frame = choose === null ? '' : rect(x + 1, y + 1, this.width - 2, this.height - 2,
      { rx: 5, fill: 'none', stroke: chosen ? MARK : FRAME, 'stroke-width': chosen ? 2 : 1 });
    return frame + writeWithScripts(title, x + PAD, y + PAD + LABELS / 2 - 1, { size: SMALL, weight: 600 });
  }

  drawHead(x, y) {
    const { title, subtitle } = this.view.spec;
    const right = x + widthWithScripts(title, NAME, 600) + 8;
    return writeWithScripts(title, x, y + HEAD / 2, { size: NAME, weight: 600 })
      + (subtitle ? writeWithScripts(subtitle, right, y + HEAD / 2 + 2, { size: SMALL, fill: FAINT }) : '');
  }

  drawAxes(x, y) {
    const { row_axis: rows, col_axis: cols } = this.view.spec;
    const look = { size: SMALL - 1, anchor: /** @type {const} */ ('middle'), fill: FAINT };
    const fitted = (name, room) => (widthIn(name, look.size) <= room ? name : shortName(name));
    const [width, height] = [this.view.cols * this.cell, this.view.rows * this.row];
    return (cols ? write(fitted(cols, width), x + this.gutter + width / 2, y + HEAD + LABELS / 2, look) : '')
      + (rows && this.labelled
        ? write(fitted(rows, height + LABELS), x + LABELS / 2, y + this.middle, { ...look, turned: true }) : '');
  }

  drawHeads(x, y) {
    const { cols, marked } = this.view.spec;
    return cols.map((label, c) => {
      const isMarked = marked && marked[0] <= c + this.view.offset && c + this.view.offset < marked[1];
      const left = x + c * this.cell;
      const look = { size: SMALL, weight: isMarked ? 700 : undefined, fill: isMarked ? INK : FAINT };
      const text = this.turned ? write(label, left + this.cell / 2, y - 6, { ...look, turned: true })
        : write(label, left + this.cell / 2, y - LABELS / 2, { ...look, anchor: 'middle' });
      return text + (isMarked ? rect(left, y - 2, this.cell, 2, { fill: MARK }) : '');
    }).join('');
  }

  drawLabels(x, y) {
    if (!this.labelled) return '';
    const { rows, marked_rows: marked } = this.view.spec;
    return rows.map((label, r) => {
      const isMarked = marked && marked[0] <= r && r < marked[1];
      const look = { size: SMALL + 1, anchor: /** @type {const} */ ('end'), weight: isMarked ? 700 : undefined };
      const text = write(label, x - 6, y + (r + 0.5) * this.row, look);
      return this.followed(r, text + (isMarked ? rect(x - 3, y + r * this.row, 2, this.row, { fill: MARK }) : ''));
    }).join('');
  }

  drawCells(x, y) {
    return this.view.cells.map((line, r) => this.followed(r, line.map((cell, c) =>
      this.drawCell(cell, this.digits[r][c], x + c * this.cell, y + r * this.row)).join(''))).join('')
      + this.drawRings(x, y);
  }

  /** @param {import('./types.js').Cell} cell */
  drawCell({ row, col }, text, x, y) {
    const { view } = this;
    const value = view.valueAt(row, col);
    const masked = view.isMasked(row, col);
    const { background, ink } = cellStyle(view.spec.kind, value, view.range, masked, LIGHT_STYLES);
    const fill = { fill: background || PAPER };
    if (this.small) return rect(x, y, this.cell, this.row, { ...fill, 'shape-rendering': 'crispEdges' });
    const [width, height] = [this.cell - 1, this.row - 1];
    if (value === undefined) {
      return rect(x, y, width, height, { rx: 3, fill: 'none', stroke: FRAME, 'stroke-dasharray': '4 3' });
    }
    return rect(x, y, width, height, { rx: 3, ...fill })
      + write(text, x + width / 2, y + height / 2, { size: FIGURES, anchor: 'middle', fill: ink || INK });
  }

  drawRings(x, y) {
    return this.view.spec.ringed.map(([r, c]) => rect(x + (c - this.view.offset) * this.cell + 1, y + r * this.row + 1,
      this.cell - 3, this.row - 3, { rx: 3, fill: 'none', stroke: INK, 'stroke-width': 2 })).join('');
  }

  /** What belongs to a row: dimmed where another query is followed. */
  followed(row, content) {
    const { followed } = this.view;
    return followed === null || followed === row ? content : tag('g', { opacity: FADED }, content);
  }
}

/** @param {View} view */
function thumbnailCell({ rows, cols }) {
  const [side, least, most] = THUMBNAIL;
  return Math.min(most, Math.max(least, Math.floor(side / Math.max(rows, cols))));
}
