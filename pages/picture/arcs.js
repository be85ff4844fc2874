// The words of a sentence in large type, with an arc from the chosen word to every word, as wide as its attention weight.
// Choosing another word needs no answer of the server, which only notes the choice.

import { textWidth } from './canvas.js';
import { element, setFlag, setText } from './markup.js';
import { shortText } from './numbers.js';
import { tag } from './svg.js';
/** @import { Arcs } from './types.js' */

const ARC_ROOM = 104; // px above the words,
const ARC_ROOM_EACH = 9; // and for each of them
const LOW_ARC = 40; // px: an arc to the next word
const ARC_EDGE = 8; // px above the highest arc, for half of its width
const LEAST_WORD = 14; // px: the smallest type of words in one line; words that are longer then are turned
const WORD_EDGES = 16; // px: next to a word
const LOOP_ROOM = 22; // px below the words: the arc from the chosen word to itself
const LEAST_SHARE = 0.005; // that does not read as 0.00
const ROUNDING = 1e-9; // two weights that are as near are equal
const THINNEST_ARC = 1; // px
const WIDEST_ARC = 14; // px: a weight of 1
const ARCS_WIDE = 1000; // units of the drawing, from the left to the right
const ENDS_APART = 12; // units between the ends of two arcs at the chosen word, and half of an arc back to it
const ENDS_ROOM = 0.35; // of a word's column, for all ends on one side
const BEZIER = 4 / 3; // how far the control points of a curve are, for a peak at 1

export class WordArcs {
  /** @param {(row: number) => void} choose */
  constructor(choose) {
    this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    for (const [name, value] of Object.entries({ preserveAspectRatio: 'none', 'aria-hidden': 'true' })) this.svg.setAttribute(name, value);
    this.loop = /** @type {SVGSVGElement} */ (this.svg.cloneNode());
    this.loop.setAttribute('viewBox', `0 0 ${ARCS_WIDE} ${LOOP_ROOM}`);
    this.svg.setAttribute('class', 'pic-arcs-above');
    this.loop.setAttribute('class', 'pic-arcs-below');
    this.shares = element('div', { class: 'pic-arcs-shares', 'aria-hidden': 'true' });
    this.words = element('fieldset', { class: 'pic-words' });
    // Each number is in the column of its word, so none lies over an arc or over another number.
    const below = element('div', { class: 'pic-arcs-foot' }, this.loop, this.shares);
    this.strip = element('div', { class: 'pic-arcs-strip' }, this.svg, this.words, below);
    this.sentence = element('p', { class: 'pic-arcs-sentence', 'aria-live': 'polite' });
    this.node = element('div', { class: 'pic-arcs', hidden: '' }, element('div', { class: 'pic-arcs-scroll' }, this.strip), this.sentence);
    this.arcs = /** @type {Arcs | null} */ (null);
    this.chosen = /** @type {number | null} */ (null); // what the server has not noted yet
    this.words.addEventListener('change', ({ target }) => {
      this.chosen = Number(/** @type {HTMLInputElement} */ (target).value);
      this.draw();
      choose(this.chosen);
    });
  }

  /** @param {string} key @param {Arcs | null} arcs */
  update(key, arcs) {
    setFlag(this.node, 'hidden', !arcs);
    const other = JSON.stringify(arcs?.words) !== JSON.stringify(this.arcs?.words);
    const moved = other || !arcs?.choose ? -1 : movedRow(this.arcs?.weights, arcs.weights, this.row);
    if (other || this.chosen === arcs?.row) this.chosen = null;
    if (moved >= 0) this.chosen = moved;
    const renamed = other || arcs?.choose !== this.arcs?.choose;
    this.arcs = arcs;
    if (!arcs) return;
    if (renamed) this.offer(key, arcs);
    this.draw();
  }

  get row() {
    return this.chosen ?? this.arcs?.row ?? 0;
  }

  /** The chosen word. */
  get word() {
    return this.arcs?.words[this.row] ?? '';
  }

  /** A radio button for each word. */
  offer(key, { words, choose }) {
    this.strip.style.setProperty('--words', String(words.length));
    this.svg.setAttribute('viewBox', `0 0 ${ARCS_WIDE} ${arcRoom(words.length)}`);
    this.svg.style.height = `${arcRoom(words.length)}px`;
    /** @type {HTMLFieldSetElement} */ (this.words).disabled = !choose;
    const radio = (word, i) => element('label', { title: word },
      element('input', { type: 'radio', name: `${key}-word`, value: i }), element('span', {}, word));
    this.words.replaceChildren(element('legend', {}, choose), ...words.map(radio));
    this.shares.replaceChildren(...words.map(() => element('span')));
    this.fit();
  }

  /** The type of the words, and whether they are turned: they have another room, or are other words. */
  fit() {
    const { words = [] } = this.arcs ?? {};
    const [room, family] = [this.node.clientWidth, getComputedStyle(this.node).fontFamily];
    const longest = Math.max(...words.map((word) => textWidth(word, `600 100px ${family}`))) / 100;
    if (!words.length || !room) return;
    this.strip.style.setProperty('--longest', String(longest));
    this.strip.style.setProperty('--edges', `${WORD_EDGES}px`);
    setFlag(this.strip, 'data-turned', longest * LEAST_WORD + WORD_EDGES > room / words.length);
  }

  draw() {
    const { words, weights, sentences } = /** @type {Arcs} */ (this.arcs);
    const { row } = this;
    const radios = /** @type {NodeListOf<HTMLInputElement>} */ (this.words.querySelectorAll('input'));
    radios.forEach((radio, i) => { radio.checked = i === row; });
    setText(this.sentence, sentences[row] ?? '');
    const shares = weights?.[row] ?? [];
    this.svg.innerHTML = shares.map((share, i) => (i === row ? '' : arcTo(i, row, words.length, share))).join('');
    this.loop.innerHTML = shares.length ? arcBack(row, words.length, shares[row]) : '';
    [...this.shares.children].forEach((node, i) => {
      setText(node, shares[i] >= LEAST_SHARE ? shortText(shares[i]) : '');
      node.toggleAttribute('data-own', i === row);
    });
  }
}

/** The first word whose weights have changed, if those of the chosen word have not: its arcs show what the hand does. -1: none. */
function movedRow(before, after, row) {
  const moved = (shares, i) => shares.some((share, j) => Math.abs(share - before[i][j]) > ROUNDING);
  return !before || !after || moved(after[row], row) ? -1 : after.findIndex(moved);
}

/** Where the middle of a word is. */
function wordMiddle(i, count) {
  return ((i + 0.5) * ARCS_WIDE) / count;
}

function arcRoom(count) {
  return ARC_ROOM + ARC_ROOM_EACH * count;
}

function arcHeight(i, row, count) {
  const steps = Math.max(1, count - 2);
  return LOW_ARC + ((arcRoom(count) - ARC_EDGE - LOW_ARC) * (Math.abs(i - row) - 1)) / steps;
}

function arcWidth(share) {
  return THINNEST_ARC + (WIDEST_ARC - THINNEST_ARC) * Math.min(1, Math.max(0, share));
}

/** A masked word has no arc. */
function arcLine(path, share) {
  if (!share) return '';
  return tag('path', { d: path, fill: 'none', stroke: 'currentColor', 'stroke-width': arcWidth(share), 'vector-effect': 'non-scaling-stroke' });
}

function arcTo(i, row, count, share) {
  // A lower arc ends farther out, so that it crosses no higher one.
  const [side, arcs] = i < row ? [-1, row] : [1, count - 1 - row];
  const apart = Math.min(ENDS_APART, (ENDS_ROOM * ARCS_WIDE) / count / arcs);
  const from = wordMiddle(row, count) + side * apart * (arcs - Math.abs(i - row) + 0.5);
  const to = wordMiddle(i, count);
  const foot = arcRoom(count);
  const peak = foot - arcHeight(i, row, count) * BEZIER;
  return arcLine(`M${from} ${foot}C${from} ${peak} ${to} ${peak} ${to} ${foot}`, share);
}

function arcBack(row, count, share) {
  const [at, side] = [wordMiddle(row, count), 1.5 * ENDS_APART];
  const peak = (LOOP_ROOM - WIDEST_ARC / 2) * BEZIER;
  return arcLine(`M${at - side} 0C${at - side} ${peak} ${at + side} ${peak} ${at + side} 0`, share);
}
