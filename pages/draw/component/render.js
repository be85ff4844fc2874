// Mounts pictures, and keeps them. Streamlit calls `render` on every change of the data (see mount.js). The state that
// outlives a call (the DOM, the open entry, the drag, unconfirmed edits) is in one PictureView. When two runs follow one
// another quickly, Streamlit may take a component off the page and mount it again a moment later, even in the middle
// of a drag. The PictureView then waits, and the next mount with its key adopts it with its DOM.

import { PictureView } from '../../picture/picture.js';
import { moveIn } from './early.js';
import { unpack } from '../../picture/pieces.js';
import { orphans, shown } from '../../picture/shown.js';
/** @import { Data, CellEdit } from '../../picture/types.js' */

/** @type {WeakMap<HTMLElement, PictureView>} by the element that Streamlit mounted */
const pictures = new WeakMap();

/**
 * Draws a picture from what the server has sent. Where the still piece is not there, it asks for an answer with it.
 * @param {{ data: Uint8Array, parentElement: HTMLElement, setStateValue: Function, setTriggerValue: Function }} component
 */
export function drawPieces({ data, ...component }, takeOver) {
  if (!data) return undefined;
  const whole = unpack(data);
  if (whole) return render({ ...component, ...whole }, takeOver);
  component.setTriggerValue('lack', true);
  return undefined;
}

/**
 * @param {{ data: Data, still?: string, parentElement: HTMLElement, setStateValue: Function, setTriggerValue: Function }} component
 *   `still`: the name of the still piece of the data (see pieces.js)
 * @param {(key: string) => [string, CellEdit][]} takeOver what a picture of other code has not brought to the server
 */
export function render({ data, still, parentElement, setStateValue, setTriggerValue }, takeOver = () => []) {
  if (!data) return undefined;
  const known = pictures.get(parentElement) || orphans.get(data.key);
  const inputs = known ? undefined : waitingInputs(); // before this picture is one of the others
  const picture = known || new PictureView(data, [...takeOver(data.key), ...unconfirmed(inputs)]);
  pictures.set(parentElement, picture);
  picture.still = still;
  picture.outbox.post = (message) => setStateValue('edit', { ...message, still: picture.still });
  picture.choice.post = (view) => setStateValue('view', view);
  picture.trigger = setTriggerValue;
  shown.add(picture);
  moveIn(picture, parentElement);
  picture.outbox.repeatQuestions();
  picture.update(data);
  if (inputs) picture.gestures.takeUp(inputs.gestures);
  const call = (picture.calls += 1);
  return () => {
    if (call !== picture.calls) return; // Streamlit may end a call after the next one has begun
    pictures.delete(parentElement);
    if (picture.root.parentNode === parentElement) picture.leave();
  };
}

/**
 * While a fresh server imports PyTorch, the page may show the inputs alone. What was entered in them, and the entry that
 * is open, go on in the picture that takes their place.
 */
function waitingInputs() {
  return [...shown, ...orphans.values()].find(({ root }) => root.dataset.picture.endsWith('-waiting'));
}

/**
 * What a picture has not brought to the server, or does not know that it has.
 * @param {PictureView | undefined} picture
 * @returns {[string, CellEdit][]}
 */
function unconfirmed(picture) {
  return [...(picture?.outbox.pending.values() ?? [])].map(({ key, edit }) => [key, edit]);
}

/**
 * Other code draws the picture of that key from now on: ours goes, and its edits that the server has not confirmed are
 * returned.
 * @param {string} key
 */
export function handOver(key) {
  const ours = [...shown, ...orphans.values()].find(({ root }) => root.dataset.picture === key);
  ours?.mute();
  ours?.destroy();
  return unconfirmed(ours);
}

/**
 * Draws the numbers that a teacher drags, unless the learner changes numbers. Messages and choices stay the page's own.
 * @param {string} text the data, in base64
 */
export function follow(text) {
  const whole = unpack(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  const picture = [...shown].find(({ root }) => root.dataset.picture === whole?.data.key);
  if (!whole || !picture || picture.outbox.busy || picture.outbox.pending.size) return;
  const { seq, done, visit, stamp, idle, step, cell } = picture.data;
  picture.still = whole.still;
  picture.update({ ...whole.data, seq, done, visit, stamp, idle, step, cell });
}
