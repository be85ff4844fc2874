// What Streamlit leaves to a mouse, and has no setting for.
//
// On a phone Streamlit's sidebar lies over the page, like a menu. It stays open after a link in it was followed; a tap next
// to it, which closes it, presses what is on the page as well; and its button floats over what is scrolled below it.
//
// A press on the “?” of a label changed the switch of the label and showed no help: Streamlit shows the help where a
// pointer rests. A word that is a link to *Terms* opened a new tab: its meaning is a bubble next to the word.

const SIDEBAR = '[data-testid="stSidebar"]';
const CLOSE = '[data-testid="stSidebarCollapseButton"] button';
const OVER = matchMedia('(max-width: 767.98px)'); // Streamlit's own limit
const STRIP = 8; // px of scrolling, from which on the button has a strip of its own (see page.css)
const HELP = '[data-testid="stWidgetLabel"] [data-testid="stTooltipIcon"]'; // a button with a help is in such a node too
const HOVERED = '[data-testid="stTooltipHoverTarget"]'; // Streamlit shows the help while a mouse is over it
const WORD = '[data-testid="stMarkdownContainer"] a[href*="terms?"][title]';
const MARGIN = 8; // px
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

let helped = null; // what shows its help

const rest = (kind) => helped?.dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerType: 'mouse' }));

function help(event) {
  const icon = event.target.closest?.(HELP);
  if (!icon) return;
  event.stopPropagation();
  if (event.type !== 'click') return;
  event.preventDefault();
  helped = icon.querySelector(HOVERED);
  if (!helped) throw new Error(`The help cannot be shown: there is no ${HOVERED}`);
  rest('pointerover');
}

function endHelp({ target }) {
  if (!helped || helped.contains(target)) return;
  rest('pointerout');
  helped = null;
}

const bubble = document.body.appendChild(document.createElement('div'));
Object.assign(bubble, { className: 'term', popover: 'auto', tabIndex: -1 });

function explain(event) {
  const word = event.target.closest?.(WORD);
  if (!word || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const term = Object.assign(document.createElement('a'), { href: word.href, target: '_blank' });
  term.textContent = new URL(word.href).searchParams.get('search');
  bubble.replaceChildren(term, document.createElement('br'), word.title);
  bubble.showPopover();
  const { left, top, bottom } = word.getBoundingClientRect(), { width, height } = bubble.getBoundingClientRect();
  const isBelow = bottom + MARGIN + height <= innerHeight;
  bubble.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))}px`;
  bubble.style.top = `${Math.max(MARGIN, isBelow ? bottom + MARGIN : top - MARGIN - height)}px`;
  bubble.focus();
}

document.addEventListener('pointerdown', endHelp, { capture: true });
for (const kind of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'touchstart', 'touchend', 'click']) {
  document.addEventListener(kind, help, { capture: true });
}
document.addEventListener('click', explain);
document.addEventListener('pointerdown', pressed, { capture: true });
document.addEventListener('mousedown', focusing, { capture: true });
document.addEventListener('click', clicked, { capture: true });
document.addEventListener('click', followed);
document.addEventListener('scroll', scrolled, { capture: true, passive: true });

export default () => {};
