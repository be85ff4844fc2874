// Colours: each scale is a table of ready styles, so that an update only looks one up. Those on a light page are equal
// to pages/draw/palette.py; on a dark one the middle of each scale is dark, so that a cell without weight does not glare.

import { hexOf } from './canvas.js';

const DIVERGING = ['#2166ac', '#67a9cf', '#d1e5f0', '#f7f7f7', '#fee0b6', '#f1a340', '#b35806'];
const SEQUENTIAL = ['#fcfbfd', '#dadaeb', '#9e9ac8', '#6a51a3', '#3f007d'];
const MASKED = '#6b7079';
const OPEN = '#dfe3e8';
const HIDDEN = '#dadde3'; // a masked cell of other matrices than a mask: hatched (see picture.css)
const BROKEN = '#9b1c1c'; // not a number
const ON_DARK = {
  diverging: ['#8cc8f5', '#3f86bd', '#24506f', '#2c2f36', '#6b4719', '#b9741f', '#ffbe6b'],
  sequential: ['#292631', '#443a63', '#6a55a3', '#a18cdc', '#e6dcff'],
  masked: '#4b515b', // darker than a visible cell, as on a light page
  open: '#9da3ad',
  hidden: '#3b414a',
  broken: '#ff9a9a',
};
const SHADES = 256;
const STRETCH = 6; // of the signed scale
const GREY = 24; // by so much, of 255, the parts of a grey may differ

function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function mix(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  return stops[low].map((part, i) => Math.round(part + (stops[low + 1][i] - part) * (place - low)));
}

/** Black or white: at least 4.5 to 1 on every colour. */
function inkOn(colour) {
  const [r, g, b] = colour.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
}

function styleOf(colour) {
  return { background: `rgb(${colour})`, ink: inkOn(colour) };
}

function scaleOf(hexes) {
  const stops = hexes.map(rgb);
  return Array.from({ length: SHADES + 1 }, (_, i) => styleOf(mix(stops, i / SHADES)));
}

function stylesOf({ diverging, sequential, masked, open, hidden, broken }) {
  return {
    signed: scaleOf(diverging),
    weights: scaleOf(sequential),
    masked: styleOf(rgb(masked)),
    open: styleOf(rgb(open)),
    hidden: styleOf(rgb(hidden)),
    broken: styleOf(rgb(broken)),
  };
}

export const NO_STYLE = { background: '', ink: '' };
export const LIGHT_STYLES = stylesOf({ diverging: DIVERGING, sequential: SEQUENTIAL, masked: MASKED, open: OPEN, hidden: HIDDEN, broken: BROKEN });
const DARK_STYLES = stylesOf(ON_DARK);
export let styles = LIGHT_STYLES; // of all pictures: there is one page

export function isDark(colour) {
  return inkOn(rgb(hexOf(colour))) === '#fff';
}

/** A grey of a dark page as it is on a light one; other colours are the same on both. */
export function lightened(colour) {
  const parts = rgb(hexOf(colour));
  if (Math.max(...parts) - Math.min(...parts) > GREY) return colour;
  return `rgb(${parts.map((part) => 255 - part)})`;
}

/** Takes the styles that go with the page's background; true if they are others than before. */
export function useBackground(colour) {
  const next = isDark(colour) ? DARK_STYLES : LIGHT_STYLES;
  const changed = next !== styles;
  styles = next;
  return changed;
}

/**
 * Where a signed number is on the scale, from −1 to 1: nearly linear for small numbers and nearly logarithmic for large
 * ones, so that 0.3 and 6 are both to be seen next to each other.
 */
export function signedShare(value, range) {
  return Math.asinh((STRETCH * value) / range) / Math.asinh(STRETCH);
}

/**
 * The style of a cell. `range` is the absolute value with the full colour of the signed scale; `scales` are those of the
 * page's theme if nothing else is said.
 */
export function cellStyle(kind, value, range, masked, scales = styles) {
  if (kind === 'text' || value === undefined) return NO_STYLE;
  if (kind === 'mask') return value ? scales.open : scales.masked;
  if (masked || value === -Infinity) return scales.hidden;
  if (Number.isNaN(value)) return scales.broken;
  if (kind === 'plain') return NO_STYLE;
  const share = kind === 'weights' ? value : (signedShare(value, range) + 1) / 2;
  const shade = Math.round(Math.min(Math.max(share, 0), 1) * SHADES);
  return scales[kind === 'weights' ? 'weights' : 'signed'][shade];
}
