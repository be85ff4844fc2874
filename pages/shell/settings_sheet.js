// On a phone the toolbar is a sheet at the foot of the screen: this button opens and closes it (see page.css).

const OPEN = 'data-settings';
const root = document.documentElement;

function show(button, open) {
  root.toggleAttribute(OPEN, open);
  button.setAttribute('aria-expanded', String(open));
}

export default function render({ data: [label], parentElement }) {
  const button = parentElement.querySelector('button') ?? parentElement.appendChild(document.createElement('button'));
  Object.assign(button, { type: 'button', className: 'open-settings', textContent: 'tune', title: label });
  button.setAttribute('aria-label', label);
  show(button, root.hasAttribute(OPEN));
  button.onclick = () => show(button, !root.hasAttribute(OPEN));
  const ending = new AbortController();
  const { signal } = ending;
  // Menus of the toolbar lie outside of stMain, so a press in them does not close the sheet.
  document.addEventListener('pointerdown', ({ target }) => {
    const node = /** @type {Element} */ (target);
    const elsewhere = node.closest('[data-testid="stMain"]') && !node.closest('.st-key-toolbar, .open-settings');
    if (elsewhere) show(button, false);
  }, { signal });
  document.addEventListener('keydown', ({ key, defaultPrevented }) => {
    if (key === 'Escape' && !defaultPrevented) show(button, false);
  }, { signal });
  return () => {
    ending.abort();
    root.removeAttribute(OPEN);
  };
}
