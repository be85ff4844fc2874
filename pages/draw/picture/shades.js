// The colours of a thumbnail, on one canvas below its cells: a thousand cells with a background of their own took a third
// of the time in which the page draws an update.

import { element } from './markup.js';
/** @import { View } from './types.js' */

const DIMMED = 0.3; // of a row that is not followed, as in picture.css

export function makeShades(rows, cols) {
  const style = `--rows: ${rows}; --cols: ${cols}`;
  return /** @type {HTMLCanvasElement} */ (element('canvas', { class: 'pic-shades', width: cols, height: rows, style }));
}

/**
 * One pixel a cell. Rows that are dimmed or not there yet are so here too.
 * @param {View} view
 */
export function drawShades({ shades, cells, rowNodes, rows, cols }) {
  const context = shades?.getContext('2d');
  if (!context) return;
  context.clearRect(0, 0, cols, rows);
  cells.forEach((row, r) => {
    if (rowNodes[r].hasAttribute('data-absent')) return;
    context.globalAlpha = rowNodes[r].hasAttribute('data-dim') ? DIMMED : 1;
    row.forEach(({ look }, c) => {
      if (!look.background) return;
      context.fillStyle = look.background;
      context.fillRect(c, r, 1, 1);
    });
  });
}
