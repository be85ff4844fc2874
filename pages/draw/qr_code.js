// Escape closes the code, and leaves the dialog or the presentation below it open.
function leave(event) {
  const code = /** @type {HTMLElement | null} */ (document.querySelector('.code:popover-open'));
  if (event.key !== 'Escape' || !code) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.type === 'keyup') code.hidePopover();
}

/** Below the enlarged code is the present text of the line that it repeats. */
let repeating = new MutationObserver(() => {});
function repeat({ target, newState }) {
  const own = /** @type {HTMLElement | null} */ (target.querySelector?.('[data-line]'));
  repeating.disconnect();
  if (newState !== 'open' || !own) return;
  const write = () => {
    const text = document.querySelector(own.dataset.line ?? ':not(*)')?.textContent ?? '';
    if (own.textContent !== text) own.textContent = text;
  };
  write();
  repeating = new MutationObserver(write);
  repeating.observe(document.body, { subtree: true, childList: true, characterData: true });
}

addEventListener('toggle', repeat, { capture: true });
for (const kind of ['keydown', 'keyup']) addEventListener(kind, leave, { capture: true });

export default () => {};
