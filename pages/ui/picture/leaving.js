// A click on a link waits until the server has what was entered before it. Streamlit tells the server at once that
// the page changes, but what was entered only after a timer: it would come second, to a page that is not there any
// more, and would be lost. A tap, which leaves the cell and clicks in one stroke, always came too soon.

const shown = new Set(); // the pictures on the page
let following = null; // the link that is followed as soon as they are settled

/** Whether a plain click leads to a page of this site, in this window. */
function leadsOn(event, link) {
  const { button, altKey, ctrlKey, metaKey, shiftKey } = event;
  const plain = !button && !altKey && !ctrlKey && !metaKey && !shiftKey;
  return plain && link.origin === location.origin && !link.download && ['', '_self'].includes(link.target);
}

function holdLink(event) {
  const link = event.target.closest?.('a[href]');
  if (!event.isTrusted || !link || !leadsOn(event, link)) return; // not trusted: our own click below
  event.preventDefault();
  event.stopPropagation();
  following = link;
  Promise.all([...shown].map((picture) => picture.settled())).then(() => setTimeout(() => {
    if (following !== link) return; // another link was clicked in the meantime
    following = null;
    link.click();
  }));
}
