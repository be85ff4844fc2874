// The choice of the query to follow, below the panel, and the sentence about its numbers.

import { element, setFlag, setSentence, setText } from './markup.js';

const ALL_ROWS = -1;

export class QueryChoice {
  constructor(follow) {
    this.choices = element('fieldset', { class: 'pic-follow' });
    this.passages = element('div', { class: 'pic-passages' });
    this.node = element('div', { class: 'pic-below' }, this.choices, this.passages);
    this.choices.addEventListener('change', ({ target }) => follow(Number(target.value)));
  }

  update({ key, texts, follow, row, passages }) {
    this.node.hidden = !follow.length && !passages.length;
    this.offer(`${key}-follow`, texts, follow);
    for (const { firstChild: radio } of this.choices.querySelectorAll('label')) {
      radio.checked = Number(radio.value) === (row ?? ALL_ROWS);
    }
    while (this.passages.children.length > passages.length) this.passages.lastChild.remove();
    passages.forEach((passage, i) => {
      if (!this.passages.children[i]) this.passages.append(element('section', {}, element('h5', { 'aria-level': 2 })));
      this.write(this.passages.children[i], passage);
    });
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

  /** A title, if it has one, and its sentences; a screen reader says the sentences that change. */
  write(section, { title, lines }) {
    setText(section.firstChild, title);
    setFlag(section.firstChild, 'hidden', !title);
    while (section.children.length > lines.length + 1) section.lastChild.remove();
    lines.forEach((line, i) => {
      if (!section.children[i + 1]) section.append(element('p', { 'aria-live': 'polite' }));
      setSentence(section.children[i + 1], line);
    });
  }
}
