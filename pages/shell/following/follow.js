// Follows a class: a page that shows another scene asks for a run, and so does a page that has not seen a vote yet, for
// the first one. While the teacher drags a number, the pictures come with the events. If the teacher's page is silent for
// a while, the page says so.

import { listen } from '../../room/channel.js';

const QUIET = 60_000; // ms: several heartbeats of the owner's page
let silence = 0; // a timer
let last = ''; // what the class has shown

function hear() {
  clearTimeout(silence);
  delete document.documentElement.dataset.silent;
  silence = setTimeout(() => { document.documentElement.dataset.silent = ''; }, QUIET);
}

export default function render({ data, setTriggerValue }) {
  const { visit, state, serial, follows, wants, votes, stays, again, every } = data;
  const ask = () => setTriggerValue('ask', true);
  if (last !== JSON.stringify(state)) hear(); // a page without events has asked, and got this
  last = JSON.stringify(state);
  return listen(visit, 'class', {
    every,
    tries: again,
    stays,
    ask,
    take(kind, event) {
      if (kind === 'here' || kind === 'moved') hear();
      if (kind === 'changed' && (event === null || (votes && event.vote !== state.vote))) ask();
      else if (kind === 'changed' && !stays && ((wants && event.scene !== state.scene) || event.copies !== state.copies)) ask();
      if (kind === 'moved' && follows && event.serial === serial) globalThis.attentionPicture?.follow(event.picture);
    },
  });
}
