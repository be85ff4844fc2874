// Escape closes the code, and leaves the dialog or the presentation below it open.
function leave(event) {
  const code = /** @type {HTMLElement | null} */ (document.querySelector('.code:popover-open'));
  if (event.key !== 'Escape' || !code) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.type === 'keyup') code.hidePopover();
}

for (const kind of ['keydown', 'keyup']) addEventListener(kind, leave, { capture: true });

export default () => {};
