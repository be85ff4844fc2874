// The colours of cells without numbers, on one canvas below them: thousands of cells with a background of their own took
// most of the time in which the page draws an update. A thumbnail has one pixel a cell; other cells are drawn in the
// screen's own pixels, with the gaps between them.

import { element } from './markup.js';
/** @import { Cell, View } from './types.js' */

const DIMMED = 0.3; // of a row that is not followed, as in picture.css
const CORNER = 1; // px, as in picture.css

export function makeShades(rows, cols) {
  const style = `--rows: ${rows}; --cols: ${cols}`;
  return /** @type {HTMLCanvasElement} */ (element('canvas', { class: 'pic-shades', width: cols, height: rows, style }));
}

/**
 * The canvas is as large as the cells are on this screen, and empty.
 * @param {View} view
 */
export function sizeShades({ shades, rows, cols, cellSize: [width, height] }) {
  if (!shades) return;
  shades.width = Math.round(cols * width * devicePixelRatio);
  shades.height = Math.round(rows * height * devicePixelRatio);
}

/**
 * Rows that are dimmed are so here too.
 * @param {View} view
 * @param {Iterable<Cell>} pale the cells to be drawn
 */
export function drawShades({ shades, thumbnail, rowNodes, offset, cellSize }, pale) {
  const context = shades?.getContext('2d');
  if (!context) return;
  for (const { look: { background }, row, col } of pale) {
    const [x, y, width, height] = thumbnail ? [col - offset, row, 1, 1] : cellOnScreen(row, col - offset, cellSize);
    context.clearRect(x, y, width, height);
    if (!background) continue;
    context.globalAlpha = rowNodes[row].hasAttribute('data-dim') ? DIMMED : 1;
    context.fillStyle = background;
    if (thumbnail) context.fillRect(x, y, width, height);
    else rounded(context, x, y, width, height);
  }
}

/** A cell on the screen, without the gaps that follow it. */
function cellOnScreen(row, col, [width, height]) {
  const edge = (px) => Math.round(px * devicePixelRatio);
  const [x, y] = [edge(col * width), edge(row * height)];
  return [x, y, edge((col + 1) * width - 1) - x, edge((row + 1) * height - 1) - y];
}

function rounded(context, x, y, width, height) {
  context.beginPath();
  context.roundRect(x, y, width, height, CORNER * devicePixelRatio);
  context.fill();
}
