// The sources of a cell, and the cells that it is a source of. A cell is named [matrix id, row, column].

import { OPERATIONS } from './operations.js';
/** @import { MatrixLine, CellPlace, View, Views } from './types.js' */

/**
 * The direct sources of a cell, in the order of its arithmetic.
 * @param {Views} views all matrices
 * @param {CellPlace} cell
 */
export function sourcesOf(views, [id, row, col]) {
  const recipe = views.get(id)?.spec.recipe;
  if (!recipe) return [];
  return OPERATIONS[recipe.op].sources(recipe, views, row, col).filter(([of, r, c]) => views.get(of)?.cell(r, c));
}

/**
 * What is made directly from a cell, as far as it is on the screen.
 * @param {Views} views
 * @param {CellPlace} cell
 * @returns {[View, ...MatrixLine][]}
 */
export function usesOf(views, cell) {
  return [...views.values()]
    .filter((view) => !view.absent)
    .flatMap((view) => (view.spec.recipe ? OPERATIONS[view.spec.recipe.op].uses(view.spec.recipe, cell) : [])
      .filter(([row, col]) => view.cell(row ?? 0, col ?? view.offset))
      .map(([row, col]) => /** @type {[View, ...MatrixLine]} */ ([view, row, col])));
}
