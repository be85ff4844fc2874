// A copy of the weights, or of the last computed matrix, at the foot of the screen, above the panel. It is shown while a
// number is changed and that matrix is out of sight.

import { element, markup, setFlag, shortLabels } from './markup.js';
/** @import { Views } from './types.js' */

export class Preview {
  /** @param {Views} views */
  constructor(views) {
    this.views = views;
    this.node = element('div', { class: 'pic-preview', 'aria-hidden': 'true' });
    this.place = element('div', { class: 'pic-preview-place' }, this.node);
    this.node.hidden = true;
    this.away = false;
    this.seen = new IntersectionObserver(([{ intersectionRatio }]) => {
      this.away = intersectionRatio < 0.95;
      this.show();
    }, { threshold: [0, 0.95] });
  }

  /** The weights, or what is computed last. */
  follow() {
    const computed = [...this.views.values()].filter((view) => !view.thumbnail && view.spec.recipe && !view.spec.editable);
    const view = this.views.get('weights') || computed[computed.length - 1] || null;
    if (view === this.view) return;
    this.seen.disconnect();
    this.view = view;
    this.away = false;
    if (view) this.seen.observe(view.grid);
  }

  /** cell: the one under the hand, null if there is none. */
  show(cell = this.cell) {
    this.cell = cell;
    const wanted = Boolean(this.view && this.away && cell?.view.takesEdits(cell) && !cell.view.open);
    this.node.hidden = !wanted;
    if (!wanted) return;
    const { left, right } = cell.node.getBoundingClientRect();
    setFlag(this.node, 'data-left', left + right > window.innerWidth); // next to the hand, not under it
    this.draw();
  }

  draw() {
    if (this.node.hidden) return;
    const { view } = this;
    const { rows, symbol, title } = view.spec;
    const labels = shortLabels(rows);
    this.node.style.setProperty('--cols', view.cols);
    const lines = view.cells.flatMap((line, r) => [
      element('span', { class: 'pic-preview-label' }, labels[r]),
      ...line.map((cell) => {
        const node = element('i', {}, view.spec.kind === 'text' ? '' : view.textAt(cell.row, cell.col));
        node.style.cssText = `background-color:${cell.look.background};color:${cell.look.ink}`;
        return node;
      }),
    ]);
    this.node.replaceChildren(element('b', {}, ...markup(symbol || title)), ...lines);
  }

  close() {
    this.seen.disconnect();
  }
}
