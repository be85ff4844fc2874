// A matrix as LaTeX, with the digits that are shown; a computed one with what it was made from.

import { OPERATIONS } from './operations.js';
/** @import { View, Views } from './types.js' */

/**
 * How what is before a matrix is written: `part` is a block of a matrix, [start, count] of its rows and of its
 * columns, null for all; '' where it is not in the picture.
 * @typedef {[start: number, count: number] | null} Range
 * @typedef {{
 *   view: View, formula: string, name: string, number: (text: string) => string,
 *   part: (id: string, rows: Range, cols: Range) => string,
 *   whole: (id: string, write: (matrix: string) => string) => string,
 *   between: (ids: string[], sign: string) => string, equal: (numbers?: string) => string,
 * }} Written
 */

const BMATRIX = 10; // columns, and no more, can a bmatrix have
const SPECIAL = { '\\': '\\textbackslash{}', '^': '\\textasciicircum{}', '~': '\\textasciitilde{}' };

function textLatex(text) {
  return `\\text{${text.replace(/[\\^~&%$#_{}]/g, (mark) => SPECIAL[mark] ?? `\\${mark}`)}}`;
}

/** A number as it is shown: −∞, 1.5e6, √4. */
function number(text) {
  if (text === 'NaN') return '\\text{NaN}';
  return text.replace(/−/g, '-').replace('∞', '\\infty').replace(/√([\d.]+)/, '\\sqrt{$1}')
    .replace(/e(-?\d+)$/, ' \\times 10^{$1}');
}

/** A symbol such as Q′_1; a word is set as text. */
function symbol(text) {
  const [, letter, prime, below] = /^([\p{L}])(′?)(?:_(\p{L}|\p{N}|\{[^}]*\}))?$/u.exec(text) || [];
  if (!letter || letter > 'z') return textLatex(text);
  return letter + (prime && "'") + (below ? `_${below}` : '');
}

function cellLatex(view, row, col) {
  const value = view.valueAt(row, col);
  if (value === undefined) return '\\ldots';
  if (view.spec.kind === 'mask') return value ? '1' : '0';
  return view.spec.kind === 'text' ? textLatex(value) : number(view.textAt(row, col));
}

/**
 * @param {View} view
 * @param {Range} rows
 * @param {Range} cols
 */
function matrixLatex(view, rows = null, cols = null) {
  const [top, height] = rows ?? [0, view.rows];
  const [left, width] = cols ?? [view.offset, view.cols];
  const lines = Array.from({ length: height }, (_, r) =>
    Array.from({ length: width }, (__, c) => cellLatex(view, top + r, left + c)).join(' & '));
  const content = lines.join(' \\\\ ');
  if (width <= BMATRIX) return `\\begin{bmatrix} ${content} \\end{bmatrix}`;
  return `\\left[\\begin{array}{${'r'.repeat(width)}} ${content} \\end{array}\\right]`;
}

/**
 * A matrix; a computed one after its formula and after what it was made from, as far as that is in the picture.
 * @param {View} view
 * @param {Views} views
 * @param {string} formula of its step, if it has one
 */
export function latexOf(view, views, formula = '') {
  const { recipe } = view.spec;
  const name = symbol(view.symbol);
  /** @type {Written} */
  const written = {
    view, name, number, formula: formula || name,
    part(id, rows, cols) {
      const view = views.get(id);
      return view ? matrixLatex(view, rows, cols) : '';
    },
    whole(id, write) {
      const view = views.get(id);
      return view ? write(matrixLatex(view)) : '';
    },
    between(ids, sign) {
      const all = ids.flatMap((id) => views.get(id) ?? []);
      return all.length === ids.length ? all.map((one) => matrixLatex(one)).join(sign) : '';
    },
    equal: (numbers = '') => `${[written.formula, numbers].filter(Boolean).join('\n= ')}\n= `,
  };
  /** @type {import('./operations.js').Operation | null} */
  const operation = recipe && OPERATIONS[recipe.op];
  return ((recipe && operation?.latex?.(recipe, written)) ?? written.equal()) + matrixLatex(view);
}
