// Keeps the random name of this person in a vote across a reload, so that a voter has one vote, and the owner can close
// the vote. Without storage in the browser, the name lasts as long as the visit.

import { keepVoices, voices } from '../../draw/component/storage.js';

const AGAIN = 3000; // ms until the name is sent again: on the way to another process a message may get lost
const WHILE = 3000; // ms in which the pictures around the question find their size
let brought = ''; // the stage whose card was brought into sight last
let bringing = /** @type {Element | null} */ (null); // that card, for as long as it is brought
let key = ['', '']; // a room, and the name of its owner from the leader's link
let again = 0; // the timer that sends it again
let introduced = ''; // the room and the person of the visit that has got the name: a new visit is another person

/** The owner's name in the leader's link, which nobody may read from the screen: it leaves the address at once. */
function keyInAddress() {
  const [, name] = /^#([\w-]{22})$/.exec(location.hash) ?? [];
  if (!name || !new URLSearchParams(location.search).has('teacher')) return '';
  history.replaceState(history.state, '', location.pathname + location.search);
  return name;
}

/**
 * asks: the server waits for the name, known or not, before it leads a voter to the question. The name is sent as an
 * event: a state that the page keeps is no news for a new process.
 */
function remember({ code, person, used, asks }, setTriggerValue) {
  const inAddress = keyInAddress();
  if (inAddress) key = [code, inAddress];
  if (asks && key[0] === code) {
    setTriggerValue('key', key[1]);
    return;
  }
  const kept = voices();
  const name = used ? person : kept.get(code) ?? person;
  if (kept.get(code) !== name) keepVoices(kept.set(code, name));
  const visit = `${code} ${person}`;
  if (introduced === visit || (name === person && !asks)) return;
  introduced = visit;
  setTriggerValue('known', name);
}

/** After a vote in another tab of this browser, takes over its name, and thereby its choice. */
function follow({ code, person, used }, setTriggerValue) {
  const known = voices().get(code);
  if (known && known !== person && !used) setTriggerValue('known', known);
}

/** Brings the question into sight, again while the page grows, until a hand moves the page. */
function bring(card, block) {
  bringing = card;
  const ending = new AbortController();
  const seen = new ResizeObserver(() => card.scrollIntoView({ block }));
  const end = () => {
    seen.disconnect();
    ending.abort();
    if (bringing === card) bringing = null;
  };
  for (const node of [card, card.closest('.st-key-numbers') ?? card.parentElement]) seen.observe(node);
  for (const kind of ['pointerdown', 'wheel', 'keydown']) addEventListener(kind, end, { signal: ending.signal });
  setTimeout(end, WHILE);
}

export default function render({ data, parentElement, setTriggerValue }) {
  const ending = new AbortController();
  if (data.person) {
    remember(data, setTriggerValue);
    addEventListener('storage', () => follow(data, setTriggerValue), { signal: ending.signal });
    clearInterval(again); // of any earlier drawing, which may still be there
    again = data.asks ? setInterval(() => {
      introduced = '';
      remember(data, setTriggerValue);
    }, AGAIN) : 0;
  }
  const card = parentElement.closest('[class*="st-key-ask-"], .st-key-vote_above');
  if (card && (brought !== data.stage || (bringing && !bringing.isConnected))) { // or drawn again meanwhile
    brought = data.stage;
    bring(card, data.block);
  }
  return () => ending.abort();
}
