let place = [], numbers = [], start = ''; // of the address: its parts, and the example that the lesson begins with
const written = new WeakMap(); // a link, and the address that it was given here

const linkOf = ({ target }) => target.closest?.('[data-testid=stPageLink] a');

// A link that Streamlit drew without a query is given the present state, before the browser looks at it.
function carryOn(event) {
  const link = linkOf(event), drawn = link?.getAttribute('href');
  if (!link || (drawn.includes('?') && drawn !== written.get(link))) return;
  const there = new URL(link.href);
  there.search = location.search;
  const touched = numbers.filter((key) => there.searchParams.has(key)).length > 1 || there.searchParams.get('example') !== start;
  for (const key of touched ? place : [...place, 'example']) there.searchParams.delete(key);
  link.href = there;
  written.set(link, link.getAttribute('href'));
}

// Streamlit's page link prevents what the browser does with a click, also with a click that asks for a new
// tab. A click for a new tab ends here, before Streamlit hears it.
function leaveToBrowser(event) {
  if ((event.ctrlKey || event.metaKey || event.shiftKey) && linkOf(event)) event.stopPropagation();
}

for (const kind of ['pointerdown', 'contextmenu', 'click', 'auxclick']) {
  document.addEventListener(kind, carryOn, { capture: true });
}
document.addEventListener('click', leaveToBrowser, { capture: true });

export default function render({ data: [data], setTriggerValue }) {
  ({ place, numbers, start } = data);
  document.documentElement.dataset.idle = data.idle;
  const here = new URL(location.href);
  if (!data.fill || here.searchParams.has('lang')) return;
  const embed = [...here.searchParams].filter(([key]) => key.startsWith('embed'));
  here.search = String(new URLSearchParams([...embed, ...Object.entries(data.fill)]));
  const known = location.search;
  history.replaceState(history.state, '', here);
  if (known) setTriggerValue('filled', true); // Streamlit goes on with the query that it knows, if there is one
}
