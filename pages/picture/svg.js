// SVG as text, for slide programs too: every style is an attribute, and every line of text has its own place.

import { textWidth } from './canvas.js';
import { scripts } from './markup.js';

// A picture in a file cannot have the fonts of the page, so these are what it is measured with as well. Those with
// Chinese glyphs are named for the programs that do not look for them by themselves.
export const FONT = 'Helvetica Neue, Arial, Liberation Sans, PingFang SC, Hiragino Sans GB, Microsoft YaHei, '
  + 'Noto Sans CJK SC, Noto Sans SC, Source Han Sans SC, WenQuanYi Micro Hei, sans-serif';
export const INK = '#1b1d24';
export const FAINT = '#5b606b';
export const MARK = '#d6006e';
const SCRIPT = 0.72; // of the size of the type
const BASELINE = 0.35; // of the size of the type: from the middle of a line down to its baseline
const SHIFT = { sub: 0.22, sup: -0.36 };

export function escaped(text) {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''); // XML has no way to write them
}

function attributes(all) {
  return Object.entries(all).filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? Math.round(value * 100) / 100 : escaped(value)}"`)
    .join('');
}

export function tag(name, look, content = '') {
  return `<${name}${attributes(look)}${content ? `>${content}</${name}>` : '/>'}`;
}

export function rect(x, y, width, height, look) {
  return tag('rect', { x, y, width, height, ...look });
}

/** The width of a text; with `scripts` where it may have subscripts. */
export function widthIn(text, size, weight = 400) {
  return textWidth(text, `${weight} ${size}px ${FONT}`);
}

export function widthWithScripts(text, size, weight = 400) {
  return scripts(text).reduce((sum, [piece, script]) => sum + widthIn(piece, script ? size * SCRIPT : size, weight), 0);
}

/**
 * A text whose line has its middle at y; `turned` reads upwards.
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {{ size: number, anchor?: 'start' | 'middle' | 'end', weight?: number, fill?: string, turned?: boolean }} look
 * @param {string} content what is in it, as SVG
 */
export function write(text, x, y, { size, anchor, weight, fill = INK, turned }, content = escaped(text)) {
  return tag('text', {
    x, y: y + size * BASELINE, 'font-size': size, 'text-anchor': anchor, 'font-weight': weight, fill,
    transform: turned ? `rotate(-90 ${x} ${y})` : undefined,
  }, content);
}

/**
 * The same with subscripts and superscripts.
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {Parameters<typeof write>[3]} look
 */
export function writeWithScripts(text, x, y, look) {
  let above = 0; // how far the piece before is below the line
  const pieces = scripts(text).map(([piece, script]) => {
    const below = script ? SHIFT[script] * look.size : 0;
    const dy = below - above;
    above = below;
    return tag('tspan', { dy: dy || undefined, 'font-size': script ? look.size * SCRIPT : undefined }, escaped(piece));
  });
  return write(text, x, y, look, pieces.join(''));
}
