// Movements that explain a step. None repeats, and with reduced motion every change is immediate.

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

/**
 * Rows in another order slide from their old places. A row is known by its label: where two have the same, or a label is
 * new, nothing moves.
 * @param {HTMLElement[]} nodes of the rows, in their new order
 * @param {string[]} before the labels in the old order
 * @param {string[]} now
 */
export function moveRows(nodes, before, now) {
  if (now.every((label, r) => label === before[r]) || !mayMove()) return;
  const places = now.map((label) => before.indexOf(label));
  if (before.length !== now.length || new Set(places).size !== now.length || places.includes(-1)) return;
  const tops = nodes.map((node) => node.offsetTop);
  nodes.forEach((node, r) => {
    const way = tops[places[r]] - tops[r];
    const frames = [{ transform: `translateY(${way}px)` }, { transform: 'none' }];
    if (way) node.animate(frames, { duration: MOVE, easing: 'ease-out' });
  });
}
