// The first picture of a page is drawn before Streamlit's page is there (see shell/early.py). It waits like a picture
// that was taken off the page, so the first mount with its key adopts it with its DOM.

import { element } from '../../picture/markup.js';
import { orphans } from '../../picture/shown.js';
import { PictureView } from '../../picture/picture.js';
import { unpack } from '../../picture/pieces.js';
import { hasRules } from './styles.js';

const WAITS = 20_000; // ms, once Streamlit's page has come: perhaps it shows something else
const SETTLES = 1000; // ms, in which all that is above the picture is drawn
// The windows in which all that is above the picture has a height that is known.
const KNOWN = '(min-width: 80rem), (max-width: 640px)';

const place = element('div', { id: 'early' });
/** @type {PictureView | null} */
let waiting = null;

/** Draws it, if the server has sent data for it. */
export async function drawEarly() {
  const [whole, isStyled] = await Promise.all([answered(), styled()]);
  if (!whole || !isStyled || document.querySelector('[data-picture]') || !window.matchMedia(KNOWN).matches) {
    leaveEarly();
    return;
  }
  document.body.append(place);
  waiting = new PictureView(whole.data, []);
  waiting.still = whole.still;
  waiting.moveTo(place);
  waiting.update(whole.data);
  orphans.set(whole.data.key, waiting);
}

/** What it is drawn from; null where the server has none, or does not answer. */
async function answered() {
  try {
    const answer = await globalThis.attentionEarly;
    return answer?.status === 200 ? unpack(new Uint8Array(await answer.arrayBuffer())) : null;
  } catch {
    return null;
  }
}

/** Whether the styles are there, once that is known: without them, nothing that is measured is right. */
async function styled() {
  const link = /** @type {HTMLLinkElement | null} */ (document.getElementById('picture-styles'));
  if (link && !link.sheet) await new Promise((resolve) => { link.onload = link.onerror = resolve; });
  return hasRules(link?.sheet);
}

/** Streamlit's page has come, and its picture is to come soon. */
export function endEarly() {
  if (waiting) setTimeout(leaveEarly, WAITS);
}

/**
 * The picture goes to its place on Streamlit's page, once all that is above that place is drawn: it does not jump.
 * @param {PictureView} picture
 * @param {HTMLElement} parent
 */
export function moveIn(picture, parent, until = performance.now() + SETTLES) {
  const settled = picture !== waiting || Math.abs(topOf(parent) - topOf(place)) < 1 || performance.now() > until;
  if (settled) {
    picture.moveTo(parent);
    leaveEarly();
  } else if (parent.isConnected) requestAnimationFrame(() => moveIn(picture, parent, until));
}

function topOf(node) {
  return node.getBoundingClientRect().top;
}

/** Streamlit's page has its picture, which may be another one. */
export function leaveEarly() {
  if (waiting && place.contains(waiting.root)) waiting.destroy();
  waiting = null;
  place.remove();
  document.getElementById('early-style')?.remove();
}
