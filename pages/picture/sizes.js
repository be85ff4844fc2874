// The sizes of cells and type: in this window, for a width of cells, and for a class.

export const PHONE = '(max-width: 640px)';
export const WIDEST = 46; // px: a cell on a laptop
export const TYPE = 11; // px: the smallest type of a number
const LONG_TYPE = 10; // px: of one that its cell would cut, where a shorter one fits
const FITTING = 30; // px: a cell where −0.18 fits in any font
const FLAT = 2; // px left free next to a number, between two cells at the least
const RAISED = 4; // and next to one longer than −0.18, where its cell has a border
// On a window larger than this one all of it is drawn larger, at most so many times.
const LAPTOP = [1280, 800];
const LARGEST_ZOOM = 1.75;
const LARGEST_LABELS = 3; // times the usual size, in an enlarged matrix
const WIDE_NUMBER = 4.51; // digits wide, and a little more: −0.18
const APART = 0.25; // of the size of the type: what is left free between two larger numbers before a class
const FILLS = 20; // px: before a class, numbers in this type may fill their cells
const FOOT = 12;
const PRESENTED_FOOT = 4;

/** How many times as large as on a laptop things may be drawn in this window. */
export function largest() {
  if (window.matchMedia(PHONE).matches) return 1;
  return Math.min(LARGEST_ZOOM, Math.max(1, Math.min(window.innerWidth / LAPTOP[0], window.innerHeight / LAPTOP[1])));
}

/** How many times as large the labels of cells of this width are. */
export function zoomOf(cell) {
  return Math.min(LARGEST_LABELS, Math.max(1, cell / WIDEST));
}

/** The size of the numbers in cells of this width, in px. */
export function typeOf(cell, tall) {
  return Math.max(TYPE, Math.min(cell / 3.1, tall * 0.6));
}

/** The same before a class; digit: how wide one is, in the size of its type; least: the smallest type that is read. */
export function presentedType(cell, tall, digit, least) {
  const fills = Math.max(FILLS, 1.1 * least);
  const high = Math.max(0.7 * tall, Math.min(tall - 1, fills));
  const wide = WIDE_NUMBER * digit;
  const broad = Math.max(cell / (wide + APART), Math.min(fills, (cell - FLAT) / wide));
  return Math.max(TYPE, Math.min(broad, high));
}

/** The smallest type of a long number in cells of this width. */
export function longType(cell) {
  return cell < FITTING ? TYPE : LONG_TYPE;
}

/**
 * How many digits a cell of this width has room for: in the usual type, and in the smaller type of a long number; least:
 * the smallest type that is read.
 */
export function roomsOf(cell, type, digit, raised, least) {
  return [type, Math.max(longType(cell), 0.8 * type, least)].map((size) => {
    const most = (cell - FLAT) / (size * digit);
    return raised ? Math.max((cell - RAISED) / (size * digit), Math.min(most, WIDE_NUMBER)) : most;
  });
}

/** What is left free below the panel, in px. */
export function footOf(large) {
  return large ? PRESENTED_FOOT : FOOT;
}
