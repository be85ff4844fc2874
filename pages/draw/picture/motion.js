// What moves in order to explain. Nothing loops, and with reduced motion everything is immediate.

const MOVE = 160; // ms

const mayMove = () => matchMedia('(prefers-reduced-motion: no-preference)').matches;

/**
 * A step of the computation: first the cells that a cell is made from, then the matrix of the cell.
 * @param {Element[]} sources
 * @param {Element} result
 */
export function explainStep(sources, result) {
  if (!mayMove()) return;
  for (const node of sources) node.animate([{ transform: 'scale(1.15)' }, { transform: 'none' }], MOVE);
  result.animate([{ opacity: 0.1 }, { opacity: 1 }], { duration: MOVE, delay: MOVE, fill: 'backwards' });
}

/** @param {Element} node what has changed at once */
export function fadeIn(node) {
  if (mayMove()) node.animate([{ opacity: 0 }, { opacity: 1 }], MOVE);
}
