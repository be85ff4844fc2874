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

/**
 * Rows in another order come from their old places. A row is known by its label; with two of the same label, or with
 * other labels, nothing moves.
 * @param {HTMLElement[]} nodes of the rows, in their new order
 * @param {string[]} before the labels in the old order
 * @param {string[]} now
 */
export function moveRows(nodes, before, now) {
  if (now.every((label, r) => label === before[r]) || !mayMove()) return;
  const places = new Map(before.map((label, r) => [label, r]));
  if (places.size !== nodes.length || new Set(now).size !== nodes.length || !now.every((label) => places.has(label))) return;
  const tops = nodes.map((node) => node.offsetTop);
  nodes.forEach((node, r) => {
    const way = tops[/** @type {number} */ (places.get(now[r]))] - tops[r];
    if (way) node.animate([{ transform: `translateY(${way}px)` }, { transform: 'none' }], { duration: MOVE, easing: 'ease-out' });
  });
}
