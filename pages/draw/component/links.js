// A click on a link waits until the server has the entries that were made before it. Streamlit sends the change of the
// page at once and an entry only after a timer, when its page is gone: the entry would be lost. A tap leaves the cell
// and clicks in one stroke, so it was always too early. From the click on, a picture sends nothing: a message to the
// page that is being left would mix up both pages (“Cannot set a node at a delta path”).

import { shown } from '../../picture/shown.js';

let following = null; // the link that is followed as soon as they are settled

/** Whether a plain click leads to another page of this site, in this window. */
function leadsOn(event, link) {
  const { button, altKey, ctrlKey, metaKey, shiftKey } = event;
  const plain = !button && !altKey && !ctrlKey && !metaKey && !shiftKey;
  const here = link.hash && link.href.split('#')[0] === location.href.split('#')[0];
  const away = link.origin === location.origin && !link.download && ['', '_self'].includes(link.target);
  return plain && away && !here;
}

/** Resolves when the server has all that was entered. What is looked at goes out on the way. */
function settled({ choice, outbox }) {
  choice.tell();
  return new Promise((done) => { outbox.after(done); });
}

export function holdLink(event) {
  const link = event.target.closest?.('a[href]');
  if (!event.isTrusted || !link || !leadsOn(event, link)) return; // not trusted: our own click below
  event.preventDefault();
  event.stopPropagation();
  following = link;
  Promise.all([...shown].map(settled)).then(() => setTimeout(() => {
    if (following !== link) return; // another link was clicked in the meantime
    following = null;
    link.click();
    for (const picture of shown) picture.mute();
  }));
}
