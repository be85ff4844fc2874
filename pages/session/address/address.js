let place = [], numbers = [], start = ''; // keys of the address, and the example with which the lesson begins
const written = new WeakMap(); // link → the address that it got here, and the place that it had before
const OF_A_PLACE = ['lang', 'part', 'present', 'room', 'vote']; // what a link says that names a place alone, as those of the hour do
const OF_A_PAGE = ['part', 'topic', 'present']; // Back leads to the page before, not to the number before

const linkOf = ({ target }) => target.closest?.('[data-testid=stPageLink] a');

// Gives the present state to a link that Streamlit drew without a state, before the browser follows it.
function carryOn(event) {
  const link = linkOf(event);
  if (!link) return;
  const before = written.get(link), there = new URL(link.href);
  const drawn = before?.address === link.getAttribute('href') ? before.drawn : [...there.searchParams];
  if (drawn.some(([key]) => !OF_A_PLACE.includes(key))) return;
  there.search = location.search;
  const touched = numbers.filter((key) => there.searchParams.has(key)).length > 1 || there.searchParams.get('example') !== start;
  for (const key of touched ? place : [...place, 'example']) there.searchParams.delete(key);
  for (const [key, value] of drawn) if (key !== 'lang') there.searchParams.set(key, value);
  link.href = there;
  written.set(link, { address: link.getAttribute('href'), drawn });
}

// Streamlit's page link prevents the browser's own handling of a click, so a click for a new tab ends here.
function leaveToBrowser(event) {
  if ((event.ctrlKey || event.metaKey || event.shiftKey) && linkOf(event)) event.stopPropagation();
}

// Streamlit pushes an entry for a page that is chosen, another one when the server completes its address, and one for each
// number that is changed. A page is one entry; undo is for numbers.
const push = history.pushState.bind(history);
history.pushState = (state, title, url) => {
  const there = new URL(url ?? location.href, location.href), here = new URLSearchParams(location.search);
  const isComplete = [...here.keys()].some((key) => !OF_A_PLACE.includes(key) && !key.startsWith('embed'));
  const differs = (key) => (isComplete || here.has(key)) && here.get(key) !== there.searchParams.get(key);
  const isPage = there.pathname !== location.pathname || OF_A_PAGE.some(differs);
  (isPage ? push : history.replaceState.bind(history))(state, title, url);
};

for (const kind of ['pointerdown', 'contextmenu', 'click', 'auxclick']) {
  document.addEventListener(kind, carryOn, { capture: true });
}
document.addEventListener('click', leaveToBrowser, { capture: true });

export default function render({ data: [data], setTriggerValue }) {
  ({ place, numbers, start } = data);
  document.documentElement.dataset.idle = data.idle;
  document.documentElement.lang = data.language; // a screen reader chooses its voice by it, a browser the glyphs
  const here = new URL(location.href);
  if (!data.fill || here.searchParams.has('lang')) return;
  const embed = [...here.searchParams].filter(([key]) => key.startsWith('embed'));
  here.search = String(new URLSearchParams([...embed, ...Object.entries(data.fill)]));
  const known = location.search;
  history.replaceState(history.state, '', here);
  if (known) setTriggerValue('filled', true); // a query that Streamlit has read would stay its own
}
