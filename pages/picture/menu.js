// The menu of a matrix, its enlarged view, and the buttons at its edges.

import { tableText } from './gestures.js';
import { latexOf } from './latex.js';
import { moveInList, openList } from './list.js';
import { WIDEST, zoomOf } from './sizes.js';
import { element, fill } from './markup.js';
import { saveMatrix, saveNumbers } from './save.js';
/** @import { PictureView } from './picture.js' */
/** @import { View } from './types.js' */

const FILES = ['svg', 'png', 'csv'];
const LARGEST_CELLS = 4; // times as wide as on a laptop, in an enlarged matrix

export class Menu {
  /** @param {Pick<PictureView, 'viewAt' | 'views' | 'command' | 'copyText' | 'data' | 'space'>} picture */
  constructor(picture) {
    this.picture = picture;
    this.node = element('div', { class: 'pic-menu-list', role: 'menu', popover: 'auto' });
    this.big = element('div', { class: 'pic-dialog-body' });
    this.bigLine = element('p', { class: 'pic-dialog-line' });
    this.close = element('button', { type: 'button', class: 'pic-close' }, '×');
    this.dialog = element('dialog', { class: 'pic-dialog' }, this.close, this.big, this.bigLine);
    this.seed = 0;
    this.enlarged = /** @type {View | null} */ (null);
  }

  listen(root, signal) {
    root.addEventListener('click', (event) => this.clicked(event), { signal });
    this.node.addEventListener('keydown', (event) => moveInList(this.node, event), { signal });
    this.close.addEventListener('click', () => this.dialog.close(), { signal });
    this.dialog.addEventListener('close', () => {
      if (root.isConnected) this.shrink(); // not when Streamlit takes the component off the page
    }, { signal });
  }

  clicked(event) {
    const view = this.picture.viewAt(event.target);
    if (!view) return;
    if (event.target === view.menu) this.open(view);
    const edge = view.edges?.find(({ button }) => button === event.target);
    if (edge) this.grow(view, edge);
    const label = view.labels.find(({ remove }) => remove === event.target);
    if (label) this.picture.command({ name: 'remove_token', matrix: view.id, row: label.row });
  }

  grow(view, { side, way }) {
    if (side === 'cols') this.picture.command({ name: 'grow', matrix: view.id, by: way === 'add' ? 1 : -1 });
    else if (way === 'add') this.picture.command({ name: 'add_token', matrix: view.id });
    else this.picture.command({ name: 'remove_token', matrix: view.id, row: view.rows - 1 });
  }

  // ---- the menu

  /** Whether Escape, pressed on this node, closes the menu or the enlarged matrix. */
  isOpen(target) {
    return Boolean(this.enlarged) || this.node.contains(target);
  }

  open(view) {
    const { texts } = this.picture.data;
    this.node.setAttribute('aria-label', fill(texts.menu, { matrix: view.said }));
    this.node.replaceChildren(...view.spec.menu.map((item) => this.item(view, item, texts)));
    openList(this.node, view.menu);
  }

  /** @param {string | null} said what a screen reader says in place of the text */
  button(view, item, text, said = null) {
    const button = element('button', { type: 'button', role: 'menuitem', 'data-item': item, 'aria-label': said }, text);
    button.addEventListener('click', () => {
      this.node.hidePopover();
      this.run(view, item);
    });
    return button;
  }

  item(view, item, texts) {
    if (item === 'save') return this.files(view, texts.save);
    const button = this.button(view, item, texts[item]);
    if (item !== 'normal') return button;
    const seed = element('input', { type: 'number', min: 0, max: 999999, step: 1, value: this.seed });
    seed.addEventListener('input', () => { this.seed = Math.max(0, Math.trunc(Number(seed.value)) || 0); });
    return element('div', { class: 'pic-menu-seed', role: 'none' }, button, element('label', {}, texts.seed, seed));
  }

  /** A button for each kind of file, in one line. */
  files(view, text) {
    const buttons = FILES.map((file) => this.button(view, file, file.toUpperCase(), `${text} ${file.toUpperCase()}`));
    return element('div', { class: 'pic-menu-files', role: 'none' }, element('span', {}, text), ...buttons);
  }

  run(view, item) {
    const matrix = view.id;
    view.menu.focus();
    if (item === 'copy') this.picture.copyText(tableText(view));
    else if (item === 'latex') this.picture.copyText(this.latex(view));
    else if (item === 'csv') saveNumbers(view);
    else if (FILES.includes(item)) saveMatrix(this.picture, view, item);
    else if (item === 'enlarge') this.enlarge(view);
    else if (item.startsWith('round_')) this.picture.command({ name: 'round', matrix, how: Number(item.slice(6)) });
    else this.picture.command({ name: 'fill', matrix, how: item, ...(item === 'normal' && { seed: this.seed }) });
  }

  latex(view) {
    const { views, data: { steps } } = this.picture;
    return latexOf(view, views, steps.find(({ name }) => name === view.spec.step_name)?.latex);
  }

  // ---- enlarged: the matrix itself moves into a dialog, and back

  enlarge(view) {
    this.enlarged = view;
    this.place = element('div', { class: 'pic-placeholder' });
    this.place.style.cssText = `grid-area:${view.node.style.gridArea};width:${view.node.offsetWidth}px;height:${view.node.offsetHeight}px`;
    view.node.replaceWith(this.place);
    this.big.append(view.node);
    this.close.setAttribute('aria-label', this.picture.data.texts.close);
    this.dialog.setAttribute('aria-label', view.said);
    this.dialog.showModal();
    this.picture.space.resize();
    (view.tabStop?.node || this.close).focus();
  }

  /** On the page again after Streamlit had taken the component off it. */
  reopen() {
    if (!this.enlarged) return;
    this.dialog.close();
    this.dialog.showModal();
  }

  shrink() {
    const view = this.enlarged;
    if (!view || this.dialog.open) return;
    this.enlarged = null;
    this.place.replaceWith(view.node);
    this.picture.space.resize();
    view.menu.focus();
  }

  /** The figure was built again, with the matrix in its place there. */
  abandon() {
    if (!this.enlarged) return;
    this.enlarged = null;
    this.dialog.close();
  }

  /** Cells as large as the window allows: they are read from the last row of a class. */
  sizeEnlarged(layout) {
    const view = this.enlarged;
    if (!view) return;
    layout.label([view]);
    let cell = Math.round(WIDEST * LARGEST_CELLS);
    const room = window.innerWidth * 0.94 - 70;
    while (cell > WIDEST && layout.viewWidth(view, cell) > room) cell -= 1;
    const height = (window.innerHeight * 0.9 - 130 - 60 * zoomOf(cell)) / view.rows;
    const tall = Math.max(28, Math.min(0.7 * cell, Math.floor(height)));
    layout.sizeView(view, cell, tall, cell / 2.4);
  }
}
