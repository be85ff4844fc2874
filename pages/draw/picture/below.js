// Below the panel: which query is followed, and what the numbers say.

import { cellStyle, LIGHT_STYLES, styles } from './colours.js';
import { element, setText } from './markup.js';
import { plainText } from './numbers.js';

const ALL_ROWS = -1;

export class Below {
  constructor(follow) {
    this.choices = element('fieldset', { class: 'pic-follow' });
    this.colours = element('div', { class: 'pic-key', 'aria-hidden': 'true' });
    this.passages = element('div', { class: 'pic-passages' });
    this.node = element('div', { class: 'pic-below' }, this.colours, this.choices, this.passages);
    this.choices.addEventListener('change', ({ target }) => follow(Number(target.value)));
  }

  update({ key, texts, follow, row, passages }) {
    this.offer(`${key}-follow`, texts, follow);
    for (const { firstChild: radio } of this.choices.querySelectorAll('label')) {
      radio.checked = Number(radio.value) === (row ?? ALL_ROWS);
    }
    while (this.passages.children.length > passages.length) this.passages.lastChild.remove();
    passages.forEach((passage, i) => {
      if (!this.passages.children[i]) this.passages.append(element('section', {}, element('h5')));
      this.write(this.passages.children[i], passage);
    });
  }

  /** Which colour is which number, where there are signed matrices. */
  key({ matrices, range }) {
    const signed = matrices.some(({ kind, size, rows, cols }) => kind === 'signed' && size === 'normal' && rows.length * cols.length > 1);
    const wanted = signed ? `${range}|${styles === LIGHT_STYLES}` : '';
    if (this.keyed === wanted) return;
    this.keyed = wanted;
    this.colours.hidden = !signed;
    this.colours.replaceChildren(...[-1, -0.3, -0.1, 0, 0.1, 0.3, 1].map((share) => {
      const { background, ink } = cellStyle('signed', share * range, range, false);
      const node = element('span', {}, plainText(Number((share * range).toPrecision(2))).replace('-', '−'));
      Object.assign(node.style, { backgroundColor: background, color: ink });
      return node;
    }));
  }

  /** One radio button for all rows and one for each query. They are made again only where the names are others. */
  offer(group, texts, names) {
    const wanted = JSON.stringify([texts.follow, texts.follow_all, names]);
    if (this.offered === wanted) return;
    this.offered = wanted;
    this.choices.hidden = !names.length;
    const radio = (name, i) => element('label', {},
      element('input', { type: 'radio', name: group, value: i }), element('span', {}, name));
    this.choices.replaceChildren(
      element('legend', { title: texts.follow_help }, texts.follow),
      radio(texts.follow_all, ALL_ROWS),
      ...names.map(radio),
    );
  }

  /** A title and its sentences; a screen reader says those that change. */
  write(section, { title, lines }) {
    setText(section.firstChild, title);
    while (section.children.length > lines.length + 1) section.lastChild.remove();
    lines.forEach((line, i) => {
      if (!section.children[i + 1]) section.append(element('p', { 'aria-live': 'polite' }));
      setText(section.children[i + 1], line);
    });
  }
}
