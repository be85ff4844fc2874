// Saves pictures, a matrix and its numbers as files.

import { chartsDrawing, FIGURE, figuresWithCharts } from './printed_charts.js';
import { plainText } from './numbers.js';
import { sheet, stacked, titled } from './paper.js';
import { pictureDrawing } from './printed_picture.js';
import { shown } from './shown.js';
/** @import { Drawing, View } from './types.js' */

const BOM = '\ufeff'; // so that spreadsheets read the file as UTF-8
const KEPT = 60_000; // ms: a browser may ask where to put the file
/** @typedef {ReturnType<typeof sheet>} Sheet */

/** @param {Blob} content */
function download(content, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

/**
 * Drawn by the browser, with the fonts that it has.
 * @param {Sheet} drawing
 * @returns {Promise<Blob>}
 */
async function pngOf({ text, width, height }) {
  const image = new Image(width, height);
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  image.src = url;
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(url);
  }
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.drawImage(image, 0, 0, width, height);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('the picture is too large'))), 'image/png');
  });
}

/**
 * @param {Sheet} drawing
 * @param {'svg' | 'png'} format
 */
async function save(drawing, format, name) {
  const content = format === 'png' ? await pngOf(drawing) : new Blob([drawing.text], { type: 'image/svg+xml' });
  download(content, `${name}.${format}`);
}

/** A figure's charts, with the title that is above them on the page. */
function figureDrawing(figure) {
  return titled(chartsDrawing(figure), figure.querySelector('h5')?.textContent ?? '');
}

/** All pictures and charts of the page that are in sight, from top to bottom. */
export function savePage(format, title, name) {
  const seen = [...shown].filter(({ root }) => root.isConnected && root.checkVisibility());
  const drawings = [
    ...seen.map((picture) => ({
      node: picture.root, drawing: stacked([...picture.plots.drawing, pictureDrawing(picture)]),
    })),
    ...figuresWithCharts().map((node) => ({ node, drawing: figureDrawing(node) })),
  ];
  const isBefore = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  drawings.sort((one, other) => (isBefore(one.node, other.node) ? -1 : 1));
  return save(sheet(stacked(drawings.map(({ drawing }) => drawing)), title), format, name);
}

/** The charts of the figure in which this node is. */
export function saveFigure(node, format, title, name) {
  return save(sheet(chartsDrawing(node.closest(FIGURE)), title), format, name);
}

/** @param {Drawing} drawing */
export function saveSvg(drawing, name) {
  return save(sheet(drawing), 'svg', name);
}

/**
 * @param {Parameters<typeof pictureDrawing>[0]} picture
 * @param {View} view a matrix of it
 */
export function saveMatrix(picture, view, format) {
  return save(sheet(pictureDrawing(picture, [{ kind: 'flow', items: [view.id] }])), format, view.id);
}

// A spreadsheet would run a text that begins like this as a formula, or goes on like this after a semicolon; a
// negative number is none. plots.py has the same.
const FORMULA = /^(?=[\t\r]|\s*[=+\-@＝＋－＠])|;(?=\s*[=+\-@＝＋－＠])/g;
const NEGATIVE = /^-(\d+\.?\d*(e[+-]?\d+)?|inf)$/;

/** @param {string} text */
function csvField(text) {
  const field = NEGATIVE.test(text) ? text : text.replace(FORMULA, "$&'");
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/**
 * The numbers in full, with the names of the rows and of the columns.
 * @param {View} view
 */
export function saveNumbers(view) {
  const { rows, cols } = view.spec;
  const lines = [['', ...cols], ...view.cells.map((line, r) => [rows[r], ...line.map(({ row, col }) => {
    const value = view.valueAt(row, col);
    return typeof value === 'number' ? plainText(value) : String(value ?? '');
  })])];
  const text = lines.map((line) => line.map(csvField).join(',')).join('\r\n');
  download(new Blob([`${BOM}${text}\r\n`], { type: 'text/csv' }), `${view.id}.csv`);
}
