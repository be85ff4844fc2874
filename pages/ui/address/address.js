let own = []; // the parts of the address that no link to another lesson carries on
const written = new WeakMap(); // a link, and the address that it was given here

const linkOf = ({ target }) => target.closest?.('[data-testid=stPageLink] a');

// A link that Streamlit drew without a query is given the present state, before the browser looks at it.
function carryOn(event) {
  const link = linkOf(event), drawn = link?.getAttribute('href');
  if (!link || (drawn.includes('?') && drawn !== written.get(link))) return;
  const there = new URL(link.href);
  there.search = location.search;
  for (const key of own) there.searchParams.delete(key);
  link.href = there;
  written.set(link, link.getAttribute('href'));
}

// Streamlit's page link prevents what the browser does with a click, also with one that asks for a new tab.
// Such a click ends here, before it is heard by Streamlit.
function leaveToBrowser(event) {
  if ((event.ctrlKey || event.metaKey || event.shiftKey) && linkOf(event)) event.stopPropagation();
}

for (const kind of ['pointerdown', 'contextmenu', 'click', 'auxclick']) {
  document.addEventListener(kind, carryOn, { capture: true });
}
document.addEventListener('click', leaveToBrowser, { capture: true });

export default function render({ data }) {
  own = data?.own ?? [];
  const here = new URL(location.href);
  if (!data?.fill || here.searchParams.has('lang')) return;
  const embed = [...here.searchParams].filter(([key]) => key.startsWith('embed'));
  here.search = String(new URLSearchParams([...embed, ...Object.entries(data.fill)]));
  history.replaceState(history.state, '', here);
}
