// Matrices that are chosen as a whole, such as the weights of all heads. A row of them is one tab stop.

/** @import { View, Views } from './types.js' */

export class Thumbnails {
  /**
   * @param {Views} views
   * @param {(choice: object) => void} pick
   */
  constructor(views, pick) {
    this.views = views;
    this.pick = pick;
  }

  /** @param {View} view */
  clicked(view) {
    if (view.spec.choose !== null) this.choose(view);
  }

  choose(view) {
    this.pick({ matrix: view.id, choose: view.spec.choose });
  }

  /** A key on a thumbnail; true if it was ours. */
  key(event, view) {
    if (view.node !== event.target || view.spec.choose === null) return false;
    const row = this.beside(view);
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (step) this.tabTo(row, row[row.indexOf(view) + step] || view).node.focus();
    else if (event.key === 'Enter' || event.key === ' ') this.choose(view);
    else return false;
    return true;
  }

  beside(view) {
    return [...this.views.values()].filter((other) =>
      other.spec.choose !== null && other.node.parentNode === view.node.parentNode);
  }

  /** The tab stop is the chosen one, or the first. */
  setTabStops() {
    for (const view of this.views.values()) {
      if (view.spec.choose === null) continue;
      const row = this.beside(view);
      this.tabTo(row, row.find((other) => other.spec.chosen) || row[0]);
    }
  }

  tabTo(row, view) {
    for (const other of row) other.node.tabIndex = other === view ? 0 : -1;
    return view;
  }
}
