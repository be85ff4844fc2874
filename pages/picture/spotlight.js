// The cell that the learner looks at, the rings around its sources, and its arithmetic.
//
// The cell under the pointer comes first, then the cell with the focus, the presented cell and the pinned cell.

import { arithmeticOf } from './arithmetic.js';
import { sourcesOf, usesOf } from './sources.js';
/** @import { CellPlace, Views } from './types.js' */

export class Spotlight {
  /** @param {Views} views */
  constructor(views) {
    this.views = views;
    this.hovered = this.focused = this.presented = this.pinned = /** @type {CellPlace | null} */ (null);
    /** @type {Map<Element, Record<string, string>>} the marks of each node that has some */
    this.lit = new Map();
  }

  get shown() {
    return this.isThere(this.hovered) ? this.hovered : this.resting;
  }

  /** What is shown while the pointer is on no cell. */
  get resting() {
    return [this.focused, this.presented, this.pinned].find((cell) => this.isThere(cell));
  }

  /** @param {CellPlace | null} cell */
  isThere(cell) {
    return Boolean(cell && this.views.get(cell[0])?.cell(cell[1], cell[2]));
  }

  /** @param {CellPlace} cell */
  isPinned(cell) {
    return String(this.pinned) === String(cell);
  }

  /** Rings for the shown cell; rings that stay are not touched. */
  light() {
    const lit = this.shown ? this.rings(this.shown) : new Map();
    for (const [node, marks] of this.lit) {
      for (const name of Object.keys(marks)) if (lit.get(node)?.[name] === undefined) node.removeAttribute(name);
    }
    for (const [node, marks] of lit) {
      for (const [name, value] of Object.entries(marks)) {
        if (this.lit.get(node)?.[name] !== value) node.setAttribute(name, value);
      }
    }
    this.lit = lit;
  }

  /** @param {CellPlace} shown */
  rings(shown) {
    /** @type {typeof this.lit} */
    const lit = new Map();
    const mark = (node, name, value) => lit.set(node, { ...lit.get(node), [name]: value });
    const nodeOf = ([id, row, col]) => this.views.get(id)?.cell(row, col)?.node;
    for (const [view, row, col] of usesOf(this.views, shown)) {
      for (const line of row === null ? view.cells : [view.cells[row]]) {
        for (const cell of col === null ? line : [view.cell(0, col) && line[col - view.offset]]) {
          if (cell) mark(cell.node, 'data-use', '');
        }
      }
    }
    const sources = sourcesOf(this.views, shown);
    const origins = new Map(sources.flatMap((cell) => sourcesOf(this.views, cell)).map((cell) => [String(cell), cell]));
    for (const cell of origins.values()) mark(nodeOf(cell), 'data-lit', 'origin');
    for (const cell of sources) mark(nodeOf(cell), 'data-lit', 'source');
    mark(nodeOf(shown), 'data-lit', 'self');
    return lit;
  }

  /** The shown cell's arithmetic, or null. */
  get line() {
    return this.shown ? arithmeticOf(this.views, this.shown) : null;
  }
}
