// The arithmetic of a cell in the numbers on the screen, as a list of pieces: plain strings, {symbol} with markup,
// and {result}. Between `lead` and `tail` are `terms`, joined by plus signs, which may be cut where room is short.

import { shortLabels, withoutMarkup } from './markup.js';
import { calculate } from './calculator.js';
import { decimalText, fullText, inParentheses, preciseText } from './numbers.js';
import { OPERATIONS } from './operations.js';
import { sourcesOf, usesOf } from './sources.js';
/** @import { Piece, CellPlace, Sentence, View, Views } from './types.js' */

// Decimals of the numbers in a line: as on the screen, or as many as it takes for a calculator to confirm the result.
const DECIMALS = [null, 3, 4, 5, 6, 8, 10, 12];

/**
 * A cell's name, or that of a whole row or column (null): the matrix's symbol and its labels.
 * @param {View} view
 * @param {number | null} row
 * @param {number | null} col
 * @returns {Piece[]}
 */
function placeOf(view, row, col) {
  const names = /** @type {string[]} */ ([]);
  if (view.spec.rows.some(Boolean)) names.push(row === null ? ':' : shortLabels(view.spec.rows)[row]);
  if (view.spec.cols.some(Boolean)) {
    names.push(col === null ? ':' : shortLabels(view.spec.cols)[col - view.offset]);
  }
  return [{ symbol: view.symbol ?? '' }, names.length ? `[${names.join(', ')}]` : ''];
}

/**
 * @param {Views} views
 * @param {View} view
 * @param {number | null} decimals
 * @returns {import('./operations.js').At}
 */
function readingAt(views, view, row, col, decimals) {
  const text = ([id, r, c]) => {
    const shown = views.get(id)?.textAt(r, c) ?? '…';
    const value = views.get(id)?.valueAt(r, c);
    const is = decimals === null || typeof value !== 'number' || calculate(shown) === value;
    return is ? shown : decimalText(value, decimals);
  };
  const number = view.valueAt(row, col);
  const shown = typeof number === 'string' ? number : number === undefined ? '…' : preciseText(number);
  return {
    view,
    row,
    col,
    head: placeOf(view, row, col),
    result: { result: view.spec.asked ? '?' : shown },
    sources: sourcesOf(views, [view.id, row, col]),
    has: (id) => views.has(id),
    same: (id) => [id, row, col],
    value: ([id, r, c]) => views.get(id)?.valueAt(r, c),
    text,
    number: (value, write) => {
      const shown = write(value);
      return decimals === null || calculate(shown) === value ? shown : decimalText(value, decimals);
    },
    factor: (cell) => inParentheses(text(cell)),
    placeOf: ([id, r, c]) => placeOf(/** @type {View} */ (views.get(id)), r, c), // asked of sources that are there
  };
}

/**
 * The arithmetic of a cell, or null where there is none.
 * @param {Views} views
 * @param {CellPlace} place
 * @returns {Sentence | null}
 */
export function arithmeticOf(views, [id, row, col]) {
  const view = views.get(id);
  if (!view?.cell(row, col)) return null;
  const { recipe, kind } = view.spec;
  const head = placeOf(view, row, col);
  const plain = (...pieces) => ({ lead: [...head, ' = ', ...pieces], terms: [], tail: [] });
  if (kind === 'mask' || (kind === 'text' && recipe?.op !== 'written')) return plain(view.textAt(row, col));
  if (view.takesEdits({ row, col })) {
    const number = view.valueAt(row, col);
    return plain(number === undefined ? '…' : fullText(number), ...usesText(views, [id, row, col]));
  }
  const written = (decimals) => recipe && OPERATIONS[recipe.op].write(recipe, readingAt(views, view, row, col, decimals));
  const line = written(null);
  if (!line) return plain(readingAt(views, view, row, col, null).result);
  for (const decimals of DECIMALS) {
    const longer = written(decimals);
    if (longer && isConfirmed(longer, head, view.valueAt(row, col))) return longer;
  }
  return line;
}

/**
 * Whether a calculator gives the result for what is printed. A line that is not computed from numbers is confirmed.
 * @param {Sentence} line
 * @param {Piece[]} head
 */
function isConfirmed({ lead, terms, tail }, head, value) {
  const [, printed, ...rest] = joined([...lead.slice(head.length), terms.join(' + '), ...tail]).split(' = ');
  const given = rest.length ? calculate(printed) : NaN;
  return Number.isNaN(given) || typeof value !== 'number' || preciseText(given) === preciseText(value);
}

/**
 * What is made from an editable cell: " → Q[我, :], K[我, :]".
 * @param {Views} views
 * @param {CellPlace} cell
 */
function usesText(views, cell) {
  const places = usesOf(views, cell).map(([view, row, col]) => placeOf(view, row, col));
  return places.flatMap((place, i) => [i ? ', ' : ' → ', ...place]);
}

/** @param {Piece[]} pieces */
function joined(pieces) {
  return pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    return 'result' in piece ? piece.result : withoutMarkup(piece.symbol);
  }).join('');
}

/**
 * The whole line as plain text.
 * @param {Sentence} line
 */
export function fullLine({ lead, terms, tail }) {
  return joined([...lead, terms.join(' + '), ...tail]);
}

/**
 * The pieces with only the first terms and “…”, so that `fits` is true of their plain text, if it can be.
 * @param {Sentence} line
 * @param {(text: string) => boolean} fits
 */
export function cutLine({ lead, terms, tail }, fits) {
  for (let count = terms.length; count > 1; count -= 1) {
    const kept = terms.slice(0, count).join(' + ') + (count < terms.length ? ' + …' : '');
    if (fits(joined([...lead, kept, ...tail]))) return [...lead, kept, ...tail];
  }
  return [...lead, terms.length > 1 ? `${terms[0]} + …` : terms.join(''), ...tail];
}
