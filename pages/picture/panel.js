// The panel below the figure: the chosen step, ◀ ▶, and the shown cell's arithmetic. Its height never depends on
// the cell or on the step: all steps lie in one place of a grid, only the chosen one is to be seen, and the
// arithmetic has one line.

import { cutLine, fullLine } from './arithmetic.js';
import { textWidth } from './canvas.js';
import { cellStyle, LIGHT_STYLES, styles } from './colours.js';
import { element, fill, markup, setFlag, setMarkup, setText } from './markup.js';
import { plainText } from './numbers.js';

const RINGED = 2000; // ms
const NAMED = 3; // matrices in the name of the key; of more, the first ones

/** Writes a line of arithmetic with its subscripts and its result. */
export function writePieces(node, pieces) {
  node.replaceChildren(...pieces.flatMap((piece) => {
    if (piece.result) return [element('b', {}, piece.result)];
    return piece.symbol ? markup(piece.symbol) : [piece];
  }));
}

export class Panel {
  static done = /** @type {Set<'point' | 'edit'>} */ (new Set()); // what the learner has done in any picture

  /**
   * @param {(way: number) => void} walk
   * @param {() => void} restart
   */
  constructor(walk, restart) {
    this.font = '';
    this.lines = 1;
    this.chosen = []; // what `choose` was called with
    this.width = 0; // of the line, in px
    this.steps = element('div', { class: 'pic-steps' });
    this.count = element('span', { class: 'pic-count' });
    this.first = element('button', { type: 'button', class: 'pic-first' });
    this.previous = element('button', { type: 'button', class: 'pic-walk' }, '◀');
    this.next = element('button', { type: 'button', class: 'pic-walk' }, '▶');
    this.walk = element('div', { class: 'pic-walks' }, this.first, this.count, this.previous, this.next);
    this.top = element('div', { class: 'pic-panel-top' }, this.steps, this.walk);
    this.line = element('p', { class: 'pic-line' });
    this.spoken = element('p', { class: 'pic-spoken', 'aria-live': 'polite' });
    this.keyName = element('div', { class: 'pic-key-name' });
    this.colours = element('div', { class: 'pic-key', 'aria-hidden': 'true' });
    this.node = element('div', { class: 'pic-panel' }, this.top, this.line, this.spoken, this.colours);
    this.previous.addEventListener('click', () => walk(-1));
    this.next.addEventListener('click', () => walk(1));
    this.first.addEventListener('click', () => {
      restart();
      this.next.focus({ preventScroll: true });
    });
  }

  update(data) {
    const { texts } = data;
    this.data = data;
    setFlag(this.node, 'data-bare', !data.panel);
    const tells = data.note || data.matrices.some(({ recipe, editable }) => recipe || editable);
    setFlag(this.node, 'data-mute', !data.panel && !tells);
    this.top.hidden = !data.panel || !data.steps.length;
    this.previous.setAttribute('aria-label', texts.previous);
    if (!data.panel) return;
    while (this.steps.children.length > data.steps.length) this.steps.lastChild.remove();
    data.steps.forEach((step, i) => {
      if (!this.steps.children[i]) this.steps.append(this.makeStep());
      this.writeStep(this.steps.children[i], step);
    });
  }

  /** Which colour is which number, where there are signed matrices. */
  key({ matrices, range, texts }) {
    const signed = matrices.filter(({ kind, size, rows, cols }) => kind === 'signed' && size === 'normal' && rows.length * cols.length > 1);
    const titles = [...new Set(signed.map(({ title }) => title))];
    const names = [...titles.slice(0, NAMED), ...(titles.length > NAMED ? ['…'] : [])].join(texts.comma);
    setMarkup(this.keyName, fill(texts.colours, { names }));
    const wanted = signed.length ? `${range}|${styles === LIGHT_STYLES}` : '';
    if (this.keyed === wanted) return;
    if (this.keyed) this.ringKey();
    this.keyed = wanted;
    setFlag(this.node, 'data-key', signed.length);
    this.colours.replaceChildren(this.keyName, ...[-1, -0.3, -0.1, 0, 0.1, 0.3, 1].map((share) => {
      const { background, ink } = cellStyle('signed', share * range, range, false);
      const node = element('span', {}, plainText(Number((share * range).toPrecision(2))).replace('-', '−'));
      Object.assign(node.style, { backgroundColor: background, color: ink });
      return node;
    }));
  }

  /** The range has changed. (An animation of the ring costs the styles of the whole picture in each frame.) */
  ringKey() {
    setFlag(this.colours, 'data-changed', true);
    clearTimeout(this.ringed);
    this.ringed = setTimeout(() => setFlag(this.colours, 'data-changed', false), RINGED);
  }

  makeStep() {
    return element('div', { class: 'pic-step' },
      element('div', { class: 'pic-step-title' }, element('strong'), element('span', { class: 'pic-formula' })),
      element('div', { class: 'pic-why' }, element('span'), ' ', element('code')));
  }

  writeStep(node, step) {
    const [[title, formula], [why, code]] = [...node.children].map((line) => line.children);
    setMarkup(title, step.title);
    setMarkup(formula, step.formula);
    setMarkup(why, step.why);
    setText(code, step.code);
  }

  /** This step is told: of the `count` steps the one at `place`. from: where the buttons go on. */
  choose(step, place, count, from) {
    const { texts, steps } = this.data;
    const chosen = [step, place, count, from, this.data];
    if (chosen.every((one, i) => one === this.chosen[i])) return;
    this.chosen = chosen;
    [...this.steps.children].forEach((node, i) => setFlag(node, 'data-chosen', steps[i] === step));
    setText(this.count, fill(texts.step_of, { i: place + 1, n: count }));
    setText(this.first, texts.first);
    this.next.setAttribute('aria-label', texts.next);
    setFlag(this.first, 'data-done', step === steps[0]);
    this.previous.disabled = from <= 0;
    this.next.disabled = from >= count - 1;
  }

  /** Writes the arithmetic; `aloud` if a screen reader should say it. */
  say(line, aloud) {
    const text = line ? fullLine(line) : '';
    if (aloud) setText(this.spoken, text);
    if (!line) return this.sayNothing();
    if (text === this.shownText) return;
    this.shownText = text;
    const pieces = cutLine(line, (part) => textWidth(part, this.font) * 1.02 + 4 <= this.width * this.lines);
    writePieces(this.line, pieces);
    this.line.title = text;
    this.idle(false);
  }

  /** What can be done with the picture and was not done yet, as long as no cell is looked at. */
  sayNothing() {
    const { note, texts, matrices } = this.data;
    const editable = matrices.filter(({ editable: mayEdit, kind }) => mayEdit && kind !== 'mask');
    const blocks = editable.some(({ rows, cols }) => rows.length * cols.length > 1);
    const touch = matchMedia('(pointer: coarse)').matches;
    const edit = blocks && !touch && this.lines === 1 ? texts.edit_block : texts.edit;
    const [whole, short] = touch ? [texts.tap, texts.tap_short] : [texts.point, texts.point_short];
    const point = editable.length ? short : whole;
    const hints = [
      !Panel.done.has('point') && matrices.some(({ recipe }) => recipe) && point,
      !Panel.done.has('edit') && editable.length && edit,
    ].filter(Boolean);
    const hint = hints.join(texts.point.endsWith('。') ? '' : ' ');
    const text = note || (this.others(hint, Node.DOCUMENT_POSITION_PRECEDING).length ? '' : hint);
    if (text === this.shownText) return;
    this.shownText = text;
    this.line.replaceChildren(text);
    this.line.title = text;
    this.idle(true);
    // A picture further down may have been there before this one.
    if (text === hint) this.others(hint, Node.DOCUMENT_POSITION_FOLLOWING).forEach((line) => line.replaceChildren());
  }

  /** The lines of other pictures, further up or down, that have this hint: it is said once a page. */
  others(hint, place) {
    return hint ? [...document.querySelectorAll('.pic-line')].filter((line) => line.textContent === hint
      && this.line.compareDocumentPosition(line) & place) : [];
  }

  /** Whether the line has only a hint. */
  idle(hint) {
    setFlag(this.line, 'data-idle', hint);
    setFlag(this.node, 'data-idle', hint);
    if (!hint) setFlag(this.node, 'data-used', true);
  }

  /** How much room a line has: asked once a layout. */
  measure(lines) {
    const style = getComputedStyle(this.line);
    this.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    this.lines = lines - (lines > 1 ? 0.15 : 0);
    this.width = this.line.clientWidth; // reading it at each line would lay the page out again
    this.shownText = null;
  }
}
