// Drawings put together on a sheet of paper.

import { escaped, FONT, INK, rect, tag, widthWithScripts, writeWithScripts } from './svg.js';
/** @import { Drawing } from './types.js' */

const PRINT = 2400; // px: the least width of a picture in print
const MOST = 16_000_000; // px of all the picture: more, some browsers cannot draw
const SHARP = 1.5; // px of the picture a px of the plan, where it is wide
const HIGHEST = 1.5; // of its width
const MARGIN = 24;
const BESIDE = 40;
const BELOW = 22;
const HEADING = 20;
const SUBHEADING = 16;

/**
 * Drawings below one another.
 * @param {Drawing[]} drawings
 * @returns {Drawing}
 */
export function stacked(drawings, gap = BELOW) {
  const tops = drawings.map((_, i) => drawings.slice(0, i).reduce((sum, { height }) => sum + height + gap, 0));
  return {
    width: Math.max(0, ...drawings.map(({ width }) => width)),
    height: Math.max(0, ...drawings.map(({ height }, i) => tops[i] + height)),
    draw: (x, y) => drawings.map((drawing, i) => drawing.draw(x, y + tops[i])).join(''),
  };
}

/**
 * Drawings side by side.
 * @param {Drawing[]} drawings
 * @returns {Drawing}
 */
export function beside(drawings) {
  const lefts = drawings.map((_, i) => drawings.slice(0, i).reduce((sum, { width }) => sum + width + BESIDE, 0));
  return {
    width: Math.max(0, ...drawings.map(({ width }, i) => lefts[i] + width)),
    height: Math.max(0, ...drawings.map(({ height }) => height)),
    draw: (x, y) => drawings.map((drawing, i) => drawing.draw(x + lefts[i], y)).join(''),
  };
}

/**
 * @param {Drawing} drawing
 * @returns {Drawing}
 */
export function titled(drawing, title, size = SUBHEADING) {
  if (!title) return drawing;
  const line = {
    width: widthWithScripts(title, size, 600), height: size * 1.5,
    draw: (x, y) => writeWithScripts(title, x, y + size * 0.75, { size, weight: 600, fill: INK }),
  };
  return stacked([line, drawing], 14);
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
