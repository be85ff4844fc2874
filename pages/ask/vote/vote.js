// The random name under which this browser takes part in votes outlasts a reload: who has voted is asked once, and who
// has opened a vote can close it. Where the browser's storage is closed to us, the name lasts as long as the visit.

import { browser } from '../../draw/picture/storage.js';

const KEY = 'attention-vote';
const KEPT = 20; // names, one for each code
const WHILE = 3000; // ms in which the pictures around the question find their size
let brought = ''; // what was brought into sight last

const isName = (one) => Array.isArray(one) && one.length === 2 && one.every((word) => typeof word === 'string');

function names() {
  const kept = browser.value(KEY);
  return new Map(Array.isArray(kept) ? kept.filter(isName).slice(-KEPT) : []);
}

function remember({ code, person, used }, setStateValue) {
  const kept = names(), known = kept.get(code);
  if (known === person) return;
  if (known && !used) setStateValue('known', known);
  else browser.keep(KEY, [...kept.set(code, person)].slice(-KEPT));
}

/** Another tab of this browser has voted: this one takes its name, and shows its choice. */
function follow({ code, person, used }, setStateValue) {
  const known = names().get(code);
  if (known && known !== person && !used) setStateValue('known', known);
}

/** Brings the question into sight, again while the page grows, until a hand moves the page. */
function bring(card, block) {
  const ending = new AbortController();
  const seen = new ResizeObserver(() => card.scrollIntoView({ block }));
  const end = () => { seen.disconnect(); ending.abort(); };
  for (const node of [card, ...card.parentElement.children]) seen.observe(node);
  for (const kind of ['pointerdown', 'wheel', 'keydown']) addEventListener(kind, end, { signal: ending.signal });
  setTimeout(end, WHILE);
}

export default function render({ data, parentElement, setStateValue }) {
  const ending = new AbortController();
  if (data.person) {
    remember(data, setStateValue);
    addEventListener('storage', ({ key }) => { if (key === KEY) follow(data, setStateValue); }, { signal: ending.signal });
  }
  const card = parentElement.closest('[class*="st-key-ask-"], .st-key-vote_above');
  if (card && brought !== data.stage) {
    brought = data.stage;
    bring(card, data.block);
  }
  return () => ending.abort();
}
