// Where things are when they are printed. The layout is that of the screen, but the paper is as wide as it has to be.

import { PrintedMatrix } from './printed_matrix.js';
import { escaped, FAINT, FONT, INK, rect, tag, widthWithScripts, write, writeWithScripts } from './svg.js';
/** @import { Band, Drawing, Views } from './types.js' */

const LINES = [1180, 1600, 2200]; // widths of a line of matrices
const PRINT = 2400; // px: the least width of a picture in print
const MOST = 16_000_000; // px of all the picture: more, some browsers cannot draw
const SHARP = 1.5; // px of the picture a px of the plan, where it is wide
const HIGHEST = 1.5; // of its width
const SLIDE = 16 / 9; // width by height
const MARGIN = 24;
const COLUMN_GAP = 24;
const ITEM_GAP = 12;
const BAND_GAP = 22;
const ARROW_ROOM = 38;
const WORDS = 14;
const HEADING = 20;
const SUBHEADING = 16;

/**
 * Blocks below one another.
 * @param {Drawing[]} blocks
 * @returns {Drawing}
 */
export function stacked(blocks, gap = BAND_GAP) {
  const height = blocks.reduce((sum, block) => sum + block.height + gap, -gap);
  return {
    width: Math.max(0, ...blocks.map((block) => block.width)),
    height: Math.max(0, height),
    middle: height / 2,
    draw(x, y) {
      let top = y - gap;
      let bottom = 0;
      return blocks.map((block) => {
        top += bottom + gap;
        bottom = block.height;
        return block.draw(x, top);
      }).join('');
    },
  };
}

/**
 * Blocks side by side, with equal tops.
 * @param {Drawing[]} blocks
 * @returns {Drawing}
 */
export function beside(blocks, gap = ITEM_GAP) {
  return {
    width: blocks.reduce((sum, block) => sum + block.width + gap, -gap),
    height: Math.max(0, ...blocks.map((block) => block.height)),
    middle: Math.max(0, ...blocks.map((block) => block.middle)),
    draw(x, y) {
      let left = x;
      return blocks.map((block, i) => {
        const next = blocks[i + 1];
        const drawn = block.draw(left, block.pointing ? y + (next ? next.middle : this.middle) : y);
        left += block.width + gap;
        return drawn;
      }).join('');
    },
  };
}

/** @returns {Drawing} */
function arrow(text) {
  const look = { size: WORDS, anchor: /** @type {const} */ ('middle'), fill: FAINT };
  const width = Math.max(ARROW_ROOM, widthWithScripts(text, WORDS));
  return {
    width, height: 0, middle: 0, pointing: true,
    draw: (x, y) => writeWithScripts(text, x + width / 2, y - WORDS * 0.65, look)
      + write('→', x + width / 2, y + WORDS * 0.75, { ...look, size: 1.4 * WORDS }),
  };
}

/** Cells of a line of matrices begin at the same height. */
function align(printed) {
  const heads = Math.max(0, ...printed.map((one) => one.heads));
  const axes = printed.some((one) => one.axes);
  for (const one of printed) if (!one.small) Object.assign(one, { heads, axes });
}

/** A row's labels appear once in a line: not where the same ones are already to their left. */
function label(printed) {
  let known = '';
  for (const one of printed) {
    one.setLabelled(one.rowsKey !== known);
    known = one.rowsKey || known;
  }
}

/** @param {Views} views */
const printedOf = (views, ids) => ids.map((id) => views.get(id)).filter(Boolean).map((view) => new PrintedMatrix(view));

/**
 * @param {(string | null)[][]} rows
 * @param {Views} views
 * @returns {Drawing}
 */
function grid(rows, views) {
  const printed = rows.map((row) => row.map((id) => {
    const view = id === null ? undefined : views.get(id);
    return view ? new PrintedMatrix(view) : null;
  }));
  for (const row of printed) {
    const present = row.filter((one) => one !== null);
    label(present);
    align(present);
  }
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, c) => {
    const column = printed.flatMap((row) => row[c] ?? []);
    const [gutter, cell] = ['gutter', 'cell'].map((size) => Math.max(0, ...column.map((one) => one[size])));
    for (const one of column) Object.assign(one, { gutter }, !one.small && { cell });
    return Math.max(0, ...column.map((one) => one.width));
  });
  const lefts = widths.map((_, c) => widths.slice(0, c).reduce((sum, width) => sum + width + COLUMN_GAP, 0));
  const lines = printed.filter((row) => row.some(Boolean)).map((row) => ({
    width: lefts[count - 1] + widths[count - 1],
    height: Math.max(...row.map((one) => one?.height ?? 0)),
    middle: 0,
    draw: (x, y) => row.map((one, c) => (one ? one.draw(x + lefts[c], y) : '')).join(''),
  }));
  return stacked(lines);
}

/**
 * Blocks in lines so wide, and of so many; an arrow stays with what it points to.
 * @param {Drawing[]} blocks
 * @returns {Drawing}
 */
function lines(blocks, width, per = Infinity) {
  /** @type {Drawing[][]} */
  const all = [[]];
  blocks.forEach((block, i) => {
    const line = all[all.length - 1];
    const after = block.pointing ? [block, blocks[i + 1]].filter(Boolean) : [block];
    const wanted = [...line, ...after];
    label(wanted.filter((one) => one instanceof PrintedMatrix));
    const kept = !line.length || line[line.length - 1].pointing;
    if (!kept && (line.length >= per || beside(wanted).width > width)) all.push([]);
    all[all.length - 1].push(block);
  });
  return stacked(all.map((line) => {
    const printed = line.filter((one) => one instanceof PrintedMatrix);
    label(printed);
    align(printed);
    return beside(line);
  }), BAND_GAP);
}

/**
 * A layout's flow: matrices, arrows, and groups with a title of their own.
 * @param {Views} views
 * @returns {Drawing}
 */
function flow(items, views, width) {
  return lines(items.flatMap((item) => {
    if (item.arrow !== undefined) return [arrow(item.arrow)];
    if (item.group === undefined) return printedOf(views, [item]);
    const body = lines(printedOf(views, item.group), width, item.columns ?? Infinity);
    const group = item.title ? stacked([line(item.title, WORDS, FAINT), body], 4) : body;
    return [{ ...group, width: group.width + ITEM_GAP }];
  }), width);
}

/** @returns {Drawing} */
function line(text, size, fill = INK, weight = 400) {
  return {
    width: widthWithScripts(text, size, weight), height: size * 1.5, middle: size * 0.75,
    draw: (x, y) => writeWithScripts(text, x, y + size * 0.75, { size, fill, weight }),
  };
}

/**
 * All matrices of a picture, where its layout says, in the form that is most like a slide.
 * @param {Views} views
 * @param {Band[]} layout
 * @returns {Drawing}
 */
export function pictureDrawing(views, layout) {
  const form = (line) => {
    const grids = layout.map((band) => (band.kind === 'grid' ? grid(band.rows, views) : null));
    const width = Math.max(line, ...grids.map((band) => band?.width ?? 0));
    return stacked(layout.map((band, i) => (band.kind === 'flow' ? flow(band.items, views, width) : grids[i] ?? grid(band.rows, views))));
  };
  const forms = LINES.map(form);
  const unlike = ({ width, height }) => Math.abs(Math.log(width / height / SLIDE));
  return forms.reduce((best, form) => (unlike(form) < unlike(best) ? form : best));
}

/**
 * @param {Drawing} drawing
 * @returns {Drawing}
 */
export function titled(drawing, title, size = SUBHEADING) {
  return title ? stacked([line(title, size, INK, 600), drawing], 14) : drawing;
}

/**
 * A drawing on white paper, with a title above it if there is one, as a file's text and its size in px.
 * @param {Drawing} drawing
 */
export function sheet(drawing, title = '') {
  const all = titled(drawing, title, HEADING);
  const height = all.height + 2 * MARGIN;
  const width = Math.max(all.width + 2 * MARGIN, height / HIGHEST);
  const most = Math.sqrt(MOST * (width / height));
  const size = { width: Math.ceil(Math.max(PRINT, Math.min(SHARP * width, most))), height: 0 };
  size.height = Math.round((size.width * height) / width);
  const content = rect(0, 0, width, height, { fill: '#ffffff' })
    + (title ? tag('title', {}, escaped(title)) : '') + all.draw((width - all.width) / 2, MARGIN);
  const look = { xmlns: 'http://www.w3.org/2000/svg', ...size, viewBox: `0 0 ${width} ${height}`, 'font-family': FONT };
  return { ...size, text: tag('svg', look, content) };
}
