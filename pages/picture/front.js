// The texts of the first page inside its picture, which appear as early as its numbers: title, roles, formula.

import { element, fill, markup, setText } from './markup.js';
/** @import { Front } from './types.js' */

export class FrontTexts {
  constructor() {
    this.texts = ''; // that are written
    /** @type {[HTMLElement, string][]} */
    this.told = []; // with the chosen word in it
    /** @type {HTMLElement[]} */
    this.nodes = []; // only a picture with a front has them: an empty heading is a heading for a screen reader
  }

  /**
   * @param {Front | null} front @param {string} word the chosen one
   * @param {HTMLElement} arcs the words, which the title is above of, and all other texts below
   */
  update(front, word, arcs) {
    const texts = front ? JSON.stringify(front) : '';
    if (texts !== this.texts) this.write(front, arcs);
    this.texts = texts;
    this.tell(word);
  }

  /** @param {Front | null} front @param {HTMLElement} arcs */
  write(front, arcs) {
    for (const node of this.nodes) node.remove();
    [this.nodes, this.told] = [[], []];
    if (!front) return;
    const { title, lead, note, roles, formula, spoken } = front;
    const head = element('div', { class: 'pic-front-head' },
      element('h1', { class: 'pic-front-title' }, title), element('p', { class: 'pic-front-lead' }, lead));
    const below = element('p', { class: 'pic-front-note' }, note);
    const list = element('dl', { class: 'pic-roles' }, ...roles.flatMap(({ look, name, text }) => {
      const told = element('dd');
      this.told.push([told, text]);
      return [element('dt', { 'data-look': look }, ...markup(name)), told];
    }));
    const terms = formula.map(({ symbols, place, label }) => element('span', { class: 'pic-term' },
      element('span', { class: 'pic-term-symbols' }, ...symbols.map(([text, look]) => element('span', { 'data-look': look }, ...markup(text)))),
      element('span', { class: 'pic-term-label' }, element('b', {}, String(place)), label)));
    const about = element('div', { class: 'pic-front' }, list,
      element('div', { class: 'pic-terms', role: 'img', 'aria-label': spoken }, ...terms));
    arcs.before(head);
    arcs.after(below, about);
    this.nodes = [head, below, about];
  }

  /** @param {string} word */
  tell(word) {
    for (const [node, text] of this.told) setText(node, fill(text, { word }));
  }
}
