// A picture for print: the same matrices, laid out by the same rules, outside of the window, on paper that is as wide
// as the picture needs. The boxes become SVG, light in both themes, with digits on every cell.

import { textWidth } from './canvas.js';
import { cellStyle, LIGHT_STYLES } from './colours.js';
import { Layout } from './layout.js';
import { element } from './markup.js';
import { MatrixView } from './matrix.js';
import { WIDEST } from './sizes.js';
import { FAINT, FONT, INK, MARK, rect, tag, write, writeWithScripts } from './svg.js';
import { Views } from './views.js';
/** @import { Band, Data, Drawing, View } from './types.js' */

const LINES = [980, 1180, 1600, 2200]; // widths of a line of matrices
const SLIDE = 16 / 9; // width by height
const TITLE_PRINTED = 16; // sizes of type, as in tokens.css
const DETAIL_PRINTED = 13;
const LABEL_PRINTED = 11;
const NUMBER_PRINTED = 14;
const WIDEST_LABEL = 72; // px above a column; longer ones are turned
const PAPER = '#f0f2f6'; // a cell without a colour of its own
const FRAME = '#c5c9d1';
const FADED = 0.3; // the rows of the queries that are not followed

/** Cells are as wide as the longest number and the longest name need; nothing is cut. */
class PrintedLayout extends Layout {
  family = FONT;
  turned = new Set(); // the matrices whose column labels are turned

  cellWidth(width) {
    for (const band of this.bands) this.fold(band, width, WIDEST);
    return Math.max(WIDEST, ...[...this.views.values()].filter((view) => !view.thumbnail).map((view) => this.needed(view)));
  }

  needed(view) {
    const heads = view.spec.cols.map((name) => textWidth(name, `700 ${LABEL_PRINTED}px ${FONT}`));
    if (Math.max(0, ...heads) > WIDEST_LABEL) this.turned.add(view);
    const numbers = view.cells.flat().map(({ row, col }) => textWidth(view.textAt(row, col), `${NUMBER_PRINTED}px ${FONT}`));
    return Math.ceil(Math.max(...numbers, ...(this.turned.has(view) ? [] : heads)) + 10);
  }

  labelWidth({ spec: { rows, row_axis: axis } }) {
    return Math.ceil(Math.max(...rows.map((name) => textWidth(name, `700 ${DETAIL_PRINTED}px ${FONT}`)))) + (axis ? 26 : 10);
  }

  headColumns(view) {
    view.colHeads.forEach((head, c) => {
      if (this.turned.has(view)) head.style.height = `${textWidth(view.spec.cols[c], `700 ${LABEL_PRINTED}px ${FONT}`) + 8}px`;
    });
  }

  /** The cells of a band begin at one height: a turned name is higher than others. */
  level() {
    for (const { node } of this.bands) {
      const heads = [...node.querySelectorAll('.pic-box:not([data-size=thumbnail]) .pic-cols')];
      const highest = Math.max(0, ...heads.map((head) => head.offsetHeight));
      for (const head of heads) head.style.minHeight = `${highest}px`;
    }
  }
}

/**
 * @param {Views} views those on the screen
 * @returns {Views} the same matrices once more, with what a hand has entered
 */
function printedViews(views, texts) {
  const copies = new Views();
  for (const [id, view] of views) {
    const copy = new MatrixView(view.spec);
    copy.menu.hidden = true;
    copy.followed = view.followed;
    copy.cells.flat().forEach((cell, i) => { cell.entry = view.cells.flat()[i].entry; });
    copy.label(texts);
    copies.set(id, copy);
  }
  return copies;
}

/**
 * All matrices of a picture, where its layout says, in the form that is most like a slide.
 * @param {{ views: Views, data: Data }} picture
 * @param {Band[]} bands
 * @returns {Drawing}
 */
export function pictureDrawing({ views, data }, bands = data.layout) {
  const figure = element('div', { class: 'pic-figure' });
  const page = document.body.appendChild(element('div', { class: 'pic pic-print', style: `font-family: ${FONT}` }, figure));
  const layout = new PrintedLayout(printedViews(views, data.texts), figure);
  layout.build(bands, false);
  const drawn = (line) => {
    layout.size(line, null, false, false);
    const width = Math.max(line, ...layout.bands.map((band) => (band.grid ? layout.gridWidth(band, layout.cellWidth(line), 24) : 0)));
    page.style.width = `${width}px`;
    layout.size(width, null, false, false);
    for (const view of layout.views.values()) view.draw(false, true, view.range);
    layout.level();
    return drawingOf(layout, figure);
  };
  const unlike = ({ width, height }) => Math.abs(Math.log(width / height / SLIDE));
  const [best] = LINES.map(drawn).sort((one, other) => unlike(one) - unlike(other));
  page.remove();
  return best;
}

/** @returns {Drawing} what is in the boxes, as far as they reach */
function drawingOf(layout, figure) {
  const { left, top } = figure.getBoundingClientRect();
  const box = (node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return { x: x - left, y: y - top, width, height, right: x - left + width, middle: y - top + height / 2 };
  };
  const placed = [...layout.views.values()].filter((view) => view.node.isConnected);
  const others = [...figure.querySelectorAll('.pic-arrow, .pic-group-title')].map((node) => wordsOf(node, box));
  const content = [...others, ...placed.map((view) => matrixOf(view, layout.turned.has(view), box))].join('');
  const ends = [...placed.map(({ node }) => node), ...figure.querySelectorAll('.pic-arrow')].map((node) => box(node));
  return {
    width: Math.max(...ends.map(({ right }) => right)) + 2,
    height: Math.max(...ends.map(({ y, height }) => y + height)) + 2,
    draw: (x, y) => tag('g', { transform: `translate(${Math.round(x)} ${Math.round(y)})` }, content),
  };
}

const MIDDLE = { anchor: /** @type {const} */ ('middle') };

/** The text of a node as it was written, with its subscripts. */
function writtenIn(node) {
  const mark = { SUB: '_', SUP: '^' };
  return [...node.childNodes].filter(({ className }) => className !== 'pic-hint')
    .map((child) => (mark[child.nodeName] ? `${mark[child.nodeName]}{${child.textContent}}` : child.textContent)).join('');
}

/** An arrow with its words above it, or the title of a group. */
function wordsOf(node, box) {
  const { x, middle } = box(node);
  if (node.className === 'pic-group-title') return writeWithScripts(writtenIn(node), x, middle, { size: DETAIL_PRINTED, fill: FAINT });
  return [...node.children].map((child) => {
    const place = box(child);
    return writeWithScripts(writtenIn(child), place.x + place.width / 2, place.middle, { ...MIDDLE, size: DETAIL_PRINTED, fill: FAINT });
  }).join('');
}

/** @param {View} view */
function matrixOf(view, turned, box) {
  const { spec, thumbnail } = view;
  const [title, frame] = [box(view.title), box(view.node)];
  let all = writeWithScripts(spec.title, title.x + (thumbnail ? 0 : 2), title.middle, { size: thumbnail ? DETAIL_PRINTED : TITLE_PRINTED, weight: 600 });
  if (thumbnail) {
    const look = { rx: 5, fill: 'none', stroke: spec.chosen ? MARK : FRAME, 'stroke-width': spec.chosen ? 2 : 1 };
    all += spec.choose === null ? '' : rect(frame.x, frame.y, frame.width, frame.height, look);
  } else {
    const subtitle = box(view.subtitle);
    all += (spec.subtitle ? writeWithScripts(spec.subtitle, subtitle.x, subtitle.middle, { size: DETAIL_PRINTED, fill: FAINT }) : '')
      + axesOf(view, box) + view.colHeads.map((head, c) => headOf(view, c, turned, box(head))).join('');
  }
  return all + view.rowNodes.map((_, r) => rowOf(view, r, box)).join('');
}

function axesOf({ colAxis, rowAxis, labelled, spec }, box) {
  const look = { ...MIDDLE, size: LABEL_PRINTED, fill: FAINT };
  const [cols, rows] = [box(colAxis), box(rowAxis)];
  return (spec.col_axis ? write(colAxis.textContent, cols.x + cols.width / 2, cols.middle, look) : '')
    + (spec.row_axis && labelled ? write(rowAxis.textContent, rows.x + rows.width / 2, rows.middle, { ...look, turned: true }) : '');
}

function isIn(range, number) {
  return Boolean(range) && range[0] <= number && number < range[1];
}

function headOf({ spec, offset }, c, turned, { x, y, width, height, middle }) {
  const marked = isIn(spec.marked, c + offset);
  const look = { size: LABEL_PRINTED, weight: marked ? 700 : undefined, fill: marked ? INK : FAINT };
  const text = turned ? write(spec.cols[c], x + width / 2, y + height - 4, { ...look, turned: true })
    : write(spec.cols[c], x + width / 2, middle, { ...look, ...MIDDLE });
  return text + (marked ? rect(x, y + height - 2, width, 2, { fill: MARK }) : '');
}

/** A row with its label; dimmed where another query is followed. */
function rowOf(view, r, box) {
  const { spec, labels, labelled, followed } = view;
  const { right, y, middle, height } = box(labels[r].node);
  const marked = isIn(spec.marked_rows, r);
  const label = labelled && !view.thumbnail
    ? write(spec.rows[r], right - 6, middle, { anchor: 'end', size: DETAIL_PRINTED, weight: marked ? 700 : undefined })
      + (marked ? rect(right - 3, y, 2, height, { fill: MARK }) : '') : '';
  const all = label + view.cells[r].map((cell) => cellOf(view, cell, box(cell.node))).join('');
  return followed === null || followed === r ? all : tag('g', { opacity: FADED }, all);
}

function cellOf(view, { row, col }, { x, y, width, height, middle }) {
  const { spec, thumbnail } = view;
  const value = view.valueAt(row, col);
  const { background, ink } = cellStyle(spec.kind, value, view.range, view.isMasked(row, col), LIGHT_STYLES);
  const fill = background || PAPER;
  if (thumbnail) return rect(x, y, width + 1, height + 1, { fill, 'shape-rendering': 'crispEdges' });
  if (value === undefined) return rect(x, y, width, height, { rx: 3, fill: 'none', stroke: FRAME, 'stroke-dasharray': '4 3' });
  const ringed = spec.ringed.some(([r, c]) => r === row && c === col);
  return rect(x, y, width, height, { rx: 3, fill })
    + write(view.textAt(row, col), x + width / 2, middle, { ...MIDDLE, size: NUMBER_PRINTED, fill: ink || INK })
    + (ringed ? rect(x + 1, y + 1, width - 2, height - 2, { rx: 3, fill: 'none', stroke: INK, 'stroke-width': 2 }) : '');
}
