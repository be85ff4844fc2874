// On a phone Streamlit's sidebar lies over the page, like a menu. It stays open after a link in it was followed; a tap next
// to it, which closes it, presses what is on the page as well; and its button floats over what is scrolled below it.
// Streamlit has no setting for any of these.

const SIDEBAR = '[data-testid="stSidebar"]';
const CLOSE = '[data-testid="stSidebarCollapseButton"] button';
const OVER = matchMedia('(max-width: 767.98px)'); // Streamlit's own limit
const STRIP = 8; // px of scrolling, from which on the button has a strip of its own (see page.css)
let closing = false; // the press that closes the menu has not ended in a click yet

const openMenu = () => (OVER.matches ? document.querySelector(`${SIDEBAR}[data-collapsed="false"]`) : null);

function pressed(event) {
  closing = Boolean(openMenu()) && !event.target.closest(SIDEBAR);
  if (closing) event.stopPropagation();
}

// Streamlit closes the menu at `mousedown`; only the focus stays where it is.
function focusing(event) {
  if (closing) event.preventDefault();
}

function clicked(event) {
  if (!closing) return;
  closing = false;
  event.stopPropagation();
  event.preventDefault();
}

function followed({ target }) {
  const menu = openMenu();
  if (!menu || !target.closest(`${SIDEBAR} a`)) return;
  const button = /** @type {HTMLElement | null} */ (menu.querySelector(CLOSE));
  if (!button) throw new Error(`The menu cannot be closed: there is no ${CLOSE}`);
  button.click();
}

function scrolled({ target }) {
  if (target.dataset?.testid === 'stMain') document.documentElement.toggleAttribute('data-scrolled', target.scrollTop > STRIP);
}

document.addEventListener('pointerdown', pressed, { capture: true });
document.addEventListener('mousedown', focusing, { capture: true });
document.addEventListener('click', clicked, { capture: true });
document.addEventListener('click', followed);
document.addEventListener('scroll', scrolled, { capture: true, passive: true });

export default () => {};
