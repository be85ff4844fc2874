// The keys of a presentation. They click the buttons of the walk through the steps and the choice of a query.
//
// Keys in a text field are left to it. Arrows are left to a cell or another control only if the focus got there by
// Tab: after a drag or a click they walk on. PageUp and PageDown are the keys of a remote control.

const WALK = { ArrowLeft: 0, PageUp: 0, ArrowRight: 1, PageDown: 1 }; // ◀ or ▶
const FOLLOW = { ArrowUp: -1, ArrowDown: 1 };
const TYPED = 'textarea, select, [contenteditable=true], .pic-typing, .pic-cell[data-open],'
  + ' input:not(.pic-cell, [type=radio], [type=checkbox], [type=range])';
const MOVING = '.pic-cell, .pic-box[role=button], [role=radio], [role=slider], [type=radio], [type=range]';
const OPEN = 'dialog[open], [role=dialog], [role=listbox], [data-testid=stPopoverBody], :popover-open';

let byTab = false; // the focus was moved by Tab
let covered = false; // a dialog or menu was open over the page when a key was pressed

const isInSight = (node) => {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};
const inSight = (selector) => [...document.querySelectorAll(selector)].find((node) => node.checkVisibility() && isInSight(node));

/** The picture in sight that has a walk through its steps. */
const picture = () => inSight('.pic:has(.pic-panel-top:not([hidden]))');

function walk(way) {
  const shown = picture();
  shown?.querySelectorAll('.pic-walk')[way].click();
  const step = shown?.querySelector('.pic-box[data-step]');
  step?.scrollIntoView({ block: 'nearest' });
  step?.querySelector('.pic-row:last-child .pic-cell')?.scrollIntoView({ block: 'nearest' }); // above the panel
  return Boolean(shown);
}

function follow(way) {
  const rows = [...picture()?.querySelectorAll('.pic-follow:not([hidden]) input') ?? []];
  const present = rows.findIndex((row) => row.checked);
  rows[Math.min(Math.max(present + way, 0), rows.length - 1)]?.click();
  return rows.length > 0;
}

/** The question in sight whose answer is not shown, or else the first such question on the page. */
function hidden() {
  const cards = [...document.querySelectorAll('[class*="st-key-ask-"]:not(:has([class*="st-key-verdict-"]))')];
  const card = cards.find(isInSight) ?? cards[0];
  card?.scrollIntoView({ block: 'nearest' });
  return card && [...card.classList].find((name) => name.startsWith('st-key-ask-'))?.slice('st-key-ask-'.length);
}

/** Handles a key; true if it has a meaning here. */
function act(event, blank, send) {
  const { key, target } = event;
  const arrow = !(byTab && target.closest?.(MOVING));
  if (key in WALK && arrow) return walk(WALK[key]);
  if (key in FOLLOW && arrow) return follow(FOLLOW[key]);
  if (key.toLowerCase() === 'b') blank.hidden = false;
  else if (key.toLowerCase() === 'a') {
    const question = hidden();
    if (question) send('reveal', question);
  } else return false;
  return true;
}

/** While the screen is blank, no key reaches the hidden page, except the browser's own keys. */
function unblank({ key }, blank) {
  if (['b', 'escape'].includes(key.toLowerCase())) blank.hidden = true;
  return !/^F\d/.test(key);
}

function pressed(event, blank, send) {
  const { target, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (event.key === 'Tab') byTab = true;
  if (event.isComposing || altKey || ctrlKey || metaKey) return;
  covered = Boolean(document.querySelector(OPEN));
  const ours = !blank.hidden ? unblank(event, blank)
    : !shiftKey && !covered && !target.closest?.(TYPED) && act(event, blank, send);
  if (!ours) return;
  event.preventDefault();
  event.stopPropagation();
}

export default function render({ data: [help], parentElement, setTriggerValue }) {
  let [keys, blank] = parentElement.querySelectorAll('.present-keys, .present-blank');
  if (!keys) {
    keys = Object.assign(document.createElement('p'), { className: 'present-keys' });
    blank = Object.assign(document.createElement('div'), { className: 'present-blank', hidden: true });
    blank.addEventListener('click', () => { blank.hidden = true; });
    parentElement.append(keys, blank);
  }
  keys.textContent = help;
  keys.title = help;
  const ending = new AbortController();
  const on = (type, handle, capture) => document.addEventListener(type, handle, { capture, signal: ending.signal });
  on('pointerdown', () => { byTab = false; }, true);
  on('keydown', (event) => pressed(event, blank, setTriggerValue), true);
  // In the bubbling phase: an entry, a cell and a menu use Escape first.
  on('keydown', (event) => {
    if (event.key === 'Escape' && !covered && !event.defaultPrevented) setTriggerValue('end', true);
  }, false);
  return () => ending.abort();
}
