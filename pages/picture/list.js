// A list of items that a button opens: of a matrix or of a figure.

const EDGE_LEAST = 8; // px between the list and the edge of the window

/**
 * Below the button, or above it where there is no room.
 * @param {HTMLElement} list
 * @param {HTMLElement} button
 */
export function openList(list, button) {
  list.showPopover();
  const box = button.getBoundingClientRect();
  const room = document.documentElement.clientWidth - list.offsetWidth - EDGE_LEAST;
  const below = box.bottom + list.offsetHeight + EDGE_LEAST <= window.innerHeight;
  list.style.left = `${Math.max(EDGE_LEAST, Math.min(box.left, room))}px`;
  list.style.top = `${below ? box.bottom + 2 : Math.max(EDGE_LEAST, box.top - list.offsetHeight - 2)}px`;
  /** @type {HTMLElement | null} */ (list.querySelector('[role=menuitem]'))?.focus();
}

/** ↓ and ↑ go to the next and to the previous item. */
export function moveInList(list, event) {
  const items = [...list.querySelectorAll('button, input')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const place = items.indexOf(document.activeElement) + step;
  items[(place + items.length) % items.length].focus();
}
