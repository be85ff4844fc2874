// The operations that make a cell from other cells, one entry each. Python names the operation of each matrix and its
// sources (recipes.py).

import { entryText, inParentheses, shortText } from './numbers.js';
/** @import { MatrixLine, Recipe, Over, Piece, CellPlace, Sentence, View, Views } from './types.js' */

/**
 * The cell whose arithmetic is written, and how others are read: `text` and `factor` write a number as it is shown or with
 * more decimals, `number` one that is not on the screen,
 * `same` is the same cell of another matrix.
 * @typedef {{
 *   view: View, row: number, col: number, head: Piece[], result: Piece, sources: CellPlace[],
 *   has: (id: string) => boolean, same: (id: string) => CellPlace, value: (cell: CellPlace) => number,
 *   text: (cell: CellPlace) => string, factor: (cell: CellPlace) => string, placeOf: (cell: CellPlace) => Piece[],
 *   number: (value: number, write: (value: number) => string) => string,
 * }} At
 */

/**
 * `sources`: the cells that a cell is made from, in the order of its arithmetic. `uses`: the lines of the matrix into
 * which a cell of another one goes. `write`: the arithmetic, or null where there is nothing to say. `latex`: what is
 * before a matrix, from its formula to the sign before its numbers; by default the formula and an equals sign.
 * @typedef {{
 *   sources: (recipe: Recipe, views: Views, row: number, col: number) => CellPlace[],
 *   uses: (recipe: Recipe, source: CellPlace) => MatrixLine[],
 *   write: (recipe: Recipe, at: At) => Sentence | null,
 *   latex?: (recipe: Recipe, at: import('./latex.js').Written) => string,
 * }} Operation
 */

function span(count, start = 0) {
  return Array.from({ length: count }, (_, i) => start + i);
}

/**
 * The cells of a matrix on a line through (row, col): the row, the column, all, or the one cell.
 * @param {View | undefined} view
 * @param {Over} over
 * @returns {CellPlace[]}
 */
function lineOf(view, over, row, col) {
  if (!view) return [];
  const rows = over === 'row' || over === 'cell' ? [row] : span(view.rows);
  const cols = over === 'column' || over === 'cell' ? [col] : span(view.cols, view.offset);
  /** @type {CellPlace[]} */
  const cells = [];
  for (const r of rows) for (const c of cols) cells.push([view.id, r, c]);
  return cells;
}

/**
 * head = pieces = result
 * @param {At} at
 * @param {Piece[]} pieces
 * @returns {Sentence}
 */
function equation({ head, result }, ...pieces) {
  return { lead: [...head, ' = ', ...pieces, ' = ', result], terms: [], tail: [] };
}

/**
 * head = a + b + … = result, of which a narrow line may leave terms out.
 * @param {At} at
 * @param {string[]} terms
 * @returns {Sentence}
 */
function sum({ head, result }, terms) {
  return { lead: [...head, ' = '], terms, tail: [' = ', result] };
}

/**
 * Recipe from the same cell, row or column of each source, or from all of it.
 * @type {Pick<Operation, 'sources' | 'uses'>}
 */
const LINE_BY_LINE = {
  sources: ({ of, over = 'cell' }, views, row, col) =>
    [of].flat().flatMap((id) => lineOf(views.get(id), over, row, col)),
  uses: ({ of, over = 'cell' }, [id, row, col]) => {
    if (![of].flat().includes(id)) return [];
    return [[over === 'row' || over === 'cell' ? row : null, over === 'column' || over === 'cell' ? col : null]];
  },
};

/**
 * The pairs of a product's cell.
 * @param {Recipe} recipe
 * @returns {[left: CellPlace, right: CellPlace][]}
 */
function factorsOf(recipe, row, col) {
  const column = col + recipe.col_start;
  return span(recipe.length).map((k) => [
    [recipe.left, row, recipe.left_start + k],
    recipe.right_transposed ? [recipe.right, column, recipe.right_start + k] : [recipe.right, recipe.right_start + k, column],
  ]);
}

/** @type {(recipe: Recipe, col: number) => CellPlace[]} */
const biasOf = ({ bias, col_start: start }, col) => (bias ? [[bias, 0, col + start]] : []);

/**
 * A column of a rotation's source, and the one that is turned together with it, if there is one.
 * @param {Recipe} recipe
 */
function pairOf({ start, half }, col) {
  if (col - start < half) return [col, col + half];
  return col - start < 2 * half ? [col, col - half] : [col];
}

export const OPERATIONS = /** @satisfies {Record<string, Operation>} */ ({
  product: {
    sources(recipe, views, row, col) {
      const pairs = factorsOf(recipe, row, col);
      return [...pairs.map(([left]) => left), ...pairs.map(([, right]) => right), ...biasOf(recipe, col)];
    },
    uses(recipe, [id, row, col]) {
      const isFactor = (place, start) => start <= place && place < start + recipe.length;
      const [place, across] = recipe.right_transposed ? [col, row] : [row, col];
      /** @type {MatrixLine[]} */
      const lines = [];
      if (recipe.left === id && isFactor(col, recipe.left_start)) lines.push([row, null]);
      if (recipe.right === id && isFactor(place, recipe.right_start)) lines.push([null, across - recipe.col_start]);
      if (recipe.bias === id) lines.push([null, col - recipe.col_start]);
      return lines;
    },
    write(recipe, at) {
      if (!at.has(recipe.left) || !at.has(recipe.right)) return null;
      const terms = factorsOf(recipe, at.row, at.col).map(([a, b]) => `${at.factor(a)} · ${at.factor(b)}`);
      return sum(at, [...terms, ...biasOf(recipe, at.col).map(at.factor)]);
    },
    latex(recipe, at) {
      const { left, left_start: start, right, right_start: first, right_transposed: turned, length, bias } = recipe;
      const across = /** @type {[number, number]} */ ([at.view.offset + recipe.col_start, at.view.cols]);
      const factors = [at.part(left, null, [start, length]),
        turned ? at.part(right, across, [first, length]) : at.part(right, [first, length], across)];
      const added = bias ? [at.part(bias, null, across)] : [];
      if (![...factors, ...added].every(Boolean)) return at.equal();
      return at.equal([`${factors.join(' ')}${turned ? '^\\top' : ''}`, ...added].join(' + '));
    },
  },
  divide: {
    ...LINE_BY_LINE,
    write(recipe, at) {
      const [source] = at.sources;
      const by = recipe.by_text || at.number(recipe.by, (value) => entryText(value, true));
      return source ? equation(at, `${at.factor(source)} / ${/^[^\s+−-]+$/.test(by) ? by : `(${by})`}`) : null;
    },
    latex: ({ of, by, by_text: text }, at) =>
      at.equal(at.whole(of, (matrix) => `\\frac{1}{${at.number(text || entryText(by, true))}} ${matrix}`)),
  },
  softcap: {
    ...LINE_BY_LINE,
    write(recipe, at) {
      const cap = at.number(recipe.cap, (value) => entryText(value, true));
      return equation(at, `${cap} · tanh(${at.text(at.sources[0])} / ${cap})`);
    },
    latex({ of, cap }, at) {
      const number = at.number(entryText(cap, true));
      return at.equal(at.whole(of, (matrix) => `${number} \\tanh\\left( \\frac{1}{${number}} ${matrix} \\right)`));
    },
  },
  mask: {
    ...LINE_BY_LINE,
    write(recipe, at) {
      const { view, row, col, head, sources: [source] } = at;
      if (!source) return null;
      if (!view.spec.asked && !view.isMasked(row, col)) return equation(at, ...at.placeOf(source));
      const after = view.spec.asked ? '?' : { result: view.textAt(row, col) };
      return { lead: [...head, `: ${at.text(source)} → `, after], terms: [], tail: [] };
    },
    // Its formula is that of one cell.
    latex: ({ of }, at) => (at.view.masked.size
      ? `${at.formula}: \\quad ${at.whole(of, (matrix) => `${matrix}\n\\to `)}` : at.equal()),
  },
  softmax: {
    ...LINE_BY_LINE,
    write({ over, by, scores, near }, at) {
      // JSON has no −∞: it comes as null.
      const values = scores ? scores[at.row].map((value) => value ?? -Infinity) : at.sources.map(at.value);
      if (!values.length) return null;
      const text = (i) => (scores ? at.number(values[i], shortText) : at.text(at.sources[i]));
      const top = Math.max(...values);
      const terms = values.map((value) => (value === -Infinity ? '0' : at.number(Math.exp((value - top) / by), shortText)));
      const column = at.col - at.view.offset;
      const own = { row: column, column: at.row, all: at.row * at.view.cols + column }[over];
      const less = `${text(own)} − ${inParentheses(text(Math.max(values.indexOf(top), 0)))}`;
      const power = by === 1 ? less : `(${less}) / ${at.number(by, (value) => entryText(value, true))}`;
      const above = values[own] === -Infinity ? '0' : `exp(${power})`;
      const sign = !Number.isFinite(top) ? '→' : near ? '≈' : '=';
      return { lead: [...at.head, ` = ${above} / (`], terms, tail: [`) ${sign} `, at.result] };
    },
    latex({ of, by }, at) {
      const divided = by === 1 ? '' : `\\frac{1}{${at.number(entryText(by, true))}} `;
      return at.equal(at.whole(of, (matrix) => `\\mathrm{softmax}\\left( ${divided}${matrix} \\right)`));
    },
  },
  sum: {
    ...LINE_BY_LINE,
    write: (recipe, at) => (at.sources.length ? sum(at, at.sources.map(at.factor)) : null),
  },
  add: {
    ...LINE_BY_LINE,
    write: (recipe, at) => sum(at, recipe.of.map((of) => at.factor(at.same(of)))),
    latex: (recipe, at) => at.equal(at.between(recipe.of, ' + ')),
  },
  difference: {
    ...LINE_BY_LINE,
    write: (recipe, at) => equation(at, recipe.of.map((of) => at.factor(at.same(of))).join(' − ')),
    latex: (recipe, at) => at.equal(at.between(recipe.of, ' - ')),
  },
  copy: {
    sources: (recipe, views, row, col) => recipe.blocks
      .filter(({ start, length }) => start <= col && col < start + length)
      .map(({ of, start }) => [of, row, col - start]),
    uses: (recipe, [id, row, col]) => recipe.blocks
      .filter(({ of, length }) => of === id && col < length)
      .map(({ start }) => [row, col + start]),
    write: (recipe, at) => (at.sources.length ? equation(at, ...at.placeOf(at.sources[0])) : null),
  },
  normalize: {
    sources: ({ of, start, length }, views, row) => span(length, start).map((col) => [of, row, col]),
    uses: ({ of, start, length }, [id, row, col]) =>
      (id === of && start <= col && col < start + length ? [[row, null]] : []),
    write(recipe, at) {
      const own = at.sources[at.col - recipe.start];
      const squares = at.sources.map((cell) => `${at.factor(cell)}²`).join(' + ');
      return own ? equation(at, `${at.factor(own)} / √((${squares}) / ${recipe.length})`) : null;
    },
    // Its formula is that of one row.
    latex: (recipe, at) => (at.formula === at.name ? at.equal() : `${at.formula}, \\quad ${at.name}\n= `),
  },
  rotate: {
    sources: (recipe, views, row, col) => pairOf(recipe, col).map((one) => [recipe.of, row, one]),
    uses: (recipe, [id, row, col]) => (recipe.of === id ? pairOf(recipe, col).map((one) => [row, one]) : []),
    write(recipe, at) {
      const [own, other] = at.sources;
      if (!other) return own ? equation(at, at.factor(own)) : null;
      const [, , partner] = other;
      const angle = at.number(recipe.angles[at.row][Math.min(at.col, partner) - recipe.start], shortText);
      const sign = at.col < partner ? '−' : '+';
      return equation(at, `${at.factor(own)} · cos ${angle} ${sign} ${at.factor(other)} · sin ${angle}`);
    },
    // Its formula is that of one row.
    latex: (recipe, at) => (at.formula === at.name ? at.equal() : `${at.formula}, \\quad ${at.name}\n= `),
  },
  same: { ...LINE_BY_LINE, uses: () => [], write: () => null },
  written: {
    ...LINE_BY_LINE,
    write(recipe, { row, col, view }) {
      const text = recipe.texts[row]?.[col - view.offset];
      return text ? { lead: [text], terms: [], tail: [] } : null;
    },
  },
});
