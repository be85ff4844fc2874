// How pictures come on the page and survive there. Streamlit calls `render` on every change of the data (see
// mount.js); all that has to outlive such a call (the DOM, the open entry, the drag, what is not yet confirmed) is in
// one Picture. When runs follow one another quickly, Streamlit now and then takes a component off the page and mounts
// it again a moment later, even in the middle of a drag. The Picture outlives that too: it waits, and the next mount
// with its key adopts it, DOM and all.

import { Picture } from './picture.js';
import { orphans, shown } from './pictures.js';
/** @import { Data, CellEdit } from './types.js' */

/** @type {WeakMap<HTMLElement, Picture>} by the element that Streamlit mounted */
const pictures = new WeakMap();

/**
 * @param {{ data: Data, pieces?: string[], parentElement: HTMLElement, setStateValue: Function, setTriggerValue: Function }} component
 *   `pieces`: the names of those that the data were made of (see pieces.js)
 * @param {(key: string) => [string, CellEdit][]} takeOver what a picture of other code has not brought to the server
 */
export function render({ data, pieces, parentElement, setStateValue, setTriggerValue }, takeOver = () => []) {
  if (!data) return undefined;
  const known = pictures.get(parentElement) || orphans.get(data.key);
  const picture = known || new Picture(data, takeOver(data.key));
  pictures.set(parentElement, picture);
  picture.outbox.post = (message) => setStateValue('edit', { ...message, ...(pieces && { pieces }) });
  picture.choice.post = (view) => setStateValue('view', view);
  picture.trigger = setTriggerValue;
  shown.add(picture);
  picture.moveTo(parentElement);
  picture.update(data);
  if (!known) takeUpEntry(picture);
  const call = (picture.calls += 1);
  return () => {
    if (call !== picture.calls) return; // Streamlit may end a call after the next one has begun
    pictures.delete(parentElement);
    if (picture.root.parentNode === parentElement) picture.leave();
  };
}

/**
 * While a fresh server imports PyTorch, the page shows the inputs alone. An entry that is open in them goes on in the
 * picture that takes their place.
 * @param {Picture} picture
 */
function takeUpEntry(picture) {
  const inputs = [...shown, ...orphans.values()].find(({ root }) => root.dataset.picture.endsWith('-waiting'));
  if (inputs && inputs !== picture) picture.gestures.takeUp(inputs.gestures);
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
  return [...(ours?.outbox.pending.values() ?? [])].map(({ key: cell, edit }) => [cell, edit]);
}
