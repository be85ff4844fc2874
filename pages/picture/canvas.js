// A canvas that nobody sees: it knows how wide a text is, and how a colour reads in numbers.

// A new canvas has no other context yet, so it has this one.
const canvas = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));

/** The width of a text in px; `font` as in CSS. */
export function textWidth(text, font) {
  if (canvas.font !== font) canvas.font = font;
  return canvas.measureText(text).width;
}

/** Any colour as #rrggbb; white if it is none. */
export function hexOf(colour) {
  canvas.fillStyle = '#fff';
  canvas.fillStyle = colour.trim() || '#fff';
  return canvas.fillStyle;
}
