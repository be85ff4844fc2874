// The slider of a number that is alone. Where the number is multiplied by each step, the slider is logarithmic:
// four stops double the number.

import { HeldNumber } from './held_number.js';
import { element } from './markup.js';
/** @import { Bounded, Cell } from './types.js' */

const STOPS_TO_DOUBLE = 4;
const STOPS_MOST = 400;

/**
 * How many stops lie between the ends; an even number, so that the middle is one.
 * @param {Bounded} spec
 */
function stopsOf({ low, high, log, step }) {
  const count = log ? STOPS_TO_DOUBLE * Math.log2(high / low) : Math.min(STOPS_MOST, (high - low) / step);
  return Math.max(2, 2 * Math.round(count / 2));
}

/**
 * Where a value lies: 0 is the left end, 1 the right one.
 * @param {Bounded} spec
 * @param {number} value
 */
function shareOf({ low, high, log }, value) {
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(Math.max(share, 0), 1);
}

/**
 * The value at the stop that is nearest to that place.
 * @param {Bounded} spec
 * @param {number} share
 */
function valueOn(spec, share) {
  const { low, high, log, integer } = spec;
  const at = Math.round(Math.min(Math.max(share, 0), 1) * stopsOf(spec)) / stopsOf(spec);
  const value = Number((log ? low * (high / low) ** at : low + (high - low) * at).toPrecision(4));
  return integer ? Math.round(value) : value;
}

/**
 * The next other value in that direction.
 * @param {Bounded} spec
 * @param {number} value
 */
function valueBeside(spec, value, direction) {
  const stops = stopsOf(spec);
  const from = Math.round(shareOf(spec, value) * stops);
  for (let stop = from; stop >= 0 && stop <= stops; stop += direction) {
    const next = valueOn(spec, stop / stops);
    if ((next - value) * direction > 0) return next;
  }
  return value;
}

/** @param {Bounded} spec */
export function makeSlider(spec) {
  const thumb = element('div', { class: 'pic-thumb' });
  const track = element('div', {
    class: 'pic-slider', role: 'slider', tabindex: 0, 'data-slider': spec.id,
    'aria-valuemin': spec.low, 'aria-valuemax': spec.high,
  }, thumb);
  return { track, thumb };
}

export function showSlider({ track, thumb }, spec, value, name) {
  thumb.style.left = `${100 * shareOf(spec, value)}%`;
  track.setAttribute('aria-valuenow', value);
  track.setAttribute('aria-label', name);
}

export class Slider extends HeldNumber {
  listen(root, signal) {
    super.listen(root, signal);
    root.addEventListener('keydown', (event) => this.key(event), { signal });
    root.addEventListener('keyup', (event) => { if (this.cellAt(event.target)) this.rest(); }, { signal });
    root.addEventListener('focusout', (event) => { if (this.cellAt(event.target)) this.rest(); }, { signal });
  }

  /**
   * The number of the slider that a node belongs to.
   * @returns {Cell | undefined}
   */
  cellAt(node) {
    return this.picture.views.get(node.closest?.('.pic-slider')?.dataset.slider)?.cells[0][0];
  }

  take(event) {
    const cell = this.cellAt(event.target);
    if (!cell) return null;
    event.preventDefault();
    cell.view.slider?.track.focus({ preventScroll: true });
    return cell;
  }

  /** Off the page a slider has no width, and no place that the pointer could mean. */
  valueOf({ view }) {
    const { left, width } = view.slider.track.getBoundingClientRect();
    return width ? valueOn(view.spec, ((this.now?.x ?? left) - left) / width) : null;
  }

  key(event) {
    const cell = this.cellAt(event.target);
    if (!cell || this.now || event.altKey || event.ctrlKey || event.metaKey) return;
    const spec = /** @type {Bounded} */ (cell.view.spec);
    const value = cell.view.valueAt(cell.row, cell.col);
    const next = {
      ArrowRight: () => valueBeside(spec, value, 1),
      ArrowUp: () => valueBeside(spec, value, 1),
      ArrowLeft: () => valueBeside(spec, value, -1),
      ArrowDown: () => valueBeside(spec, value, -1),
      Home: () => spec.low,
      End: () => spec.high,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    if (!this.picture.outbox.busy) this.picture.outbox.hold(); // until the key is up
    this.put(cell, next());
  }

  rest() {
    if (!this.now && !this.picture.drag.active) this.picture.outbox.release();
  }
}
