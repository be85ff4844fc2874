// What the first page says in its picture, so that it is there as early as the numbers: the title, the roles, the formula.

import { element, fill, markup, setFlag, setText } from './markup.js';
/** @import { Front } from './types.js' */

export class FrontTexts {
  constructor() {
    this.title = element('h1', { class: 'pic-front-title' });
    this.lead = element('p', { class: 'pic-front-lead' });
    this.head = element('div', { class: 'pic-front-head', hidden: '' }, this.title, this.lead);
    this.note = element('p', { class: 'pic-front-note', hidden: '' });
    this.roles = element('dl', { class: 'pic-roles' });
    this.formula = element('div', { class: 'pic-formula', role: 'img' });
    this.about = element('div', { class: 'pic-front', hidden: '' }, this.roles, this.formula);
    this.texts = ''; // that are written
    /** @type {[HTMLElement, string][]} */
    this.told = []; // with the chosen word in it
  }

  /** @param {Front | null} front @param {string} word the chosen one */
  update(front, word) {
    for (const node of [this.head, this.note, this.about]) setFlag(node, 'hidden', !front);
    if (!front) return;
    const texts = JSON.stringify(front);
    if (texts !== this.texts) this.write(front);
    this.texts = texts;
    this.tell(word);
  }

  /** @param {Front} front */
  write({ title, lead, note, roles, formula, spoken }) {
    setText(this.title, title);
    setText(this.lead, lead);
    setText(this.note, note);
    this.told = [];
    this.roles.replaceChildren(...roles.flatMap(({ look, name, text }) => {
      const told = element('dd');
      this.told.push([told, text]);
      return [element('dt', { 'data-look': look }, ...markup(name)), told];
    }));
    this.formula.setAttribute('aria-label', spoken);
    this.formula.replaceChildren(...formula.map(({ symbols, place, label }) => element('span', { class: 'pic-term' },
      element('span', { class: 'pic-term-symbols' }, ...symbols.map(([text, look]) => element('span', { 'data-look': look }, ...markup(text)))),
      element('span', { class: 'pic-term-label' }, element('b', {}, String(place)), label))));
  }

  /** @param {string} word */
  tell(word) {
    for (const [node, text] of this.told) setText(node, fill(text, { word }));
  }
}
