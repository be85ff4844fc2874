// Dragging a number sideways, with the mouse or a finger: 8 px are one step, a tenth of it with shift.

import { HeldNumber } from './held_number.js';
import { clean } from './numbers.js';
/** @import { Cell, MatrixSpec } from './types.js' */

const DRAG_START = 4; // px before a press becomes a drag
const DRAG_PIXELS = 8; // px a step

/**
 * The number `steps` steps away. A logarithmic one is multiplied.
 * @param {MatrixSpec} spec
 * @param {number} from
 * @param {number} steps
 */
export function stepped(spec, from, steps, fine, limit) {
  const step = (spec.step || 0.1) / (fine && !spec.integer ? 10 : 1);
  let value = from + steps * step;
  if (spec.log) {
    value = Number((from * (1 + step) ** steps).toPrecision(3));
    if (spec.integer && steps && Math.round(value) === from) value = from + Math.sign(steps);
  }
  if (spec.integer) value = Math.round(value);
  const low = Math.max(spec.low ?? -limit, -limit);
  const high = Math.min(spec.high ?? limit, limit);
  return clean(Math.min(Math.max(value, low), high));
}

export class Drag extends HeldNumber {
  constructor(picture) {
    super(picture);
    this.origin = { value: 0, x: 0, fine: false }; // what the steps of the drag count from
    this.slack = DRAG_START;
    this.moved = false; // the last press became a drag: its click means nothing
  }

  listen(root, signal) {
    super.listen(root, signal);
    root.addEventListener('mousedown', (event) => {
      // no text selection and no caret: a press may become a drag
      const cell = this.picture.cellAt(event.target);
      if (cell && this.canDrag(cell)) event.preventDefault();
    }, { signal });
  }

  /** @param {Cell} cell */
  canDrag(cell) {
    return cell.node.tagName === 'INPUT' && !cell.typing && !cell.error;
  }

  pressed(event) {
    this.moved = false;
    super.pressed(event);
  }

  /** An open cell is not taken: it holds an answer, which no hand should move. */
  take(event) {
    const cell = this.picture.cellAt(event.target);
    if (!cell || !this.canDrag(cell) || cell.view.open) return null;
    if (cell.view.valueAt(cell.row, cell.col) === undefined) return null;
    if (event.pointerType !== 'touch') cell.node.focus({ preventScroll: true });
    cell.node.setPointerCapture(event.pointerId);
    return cell;
  }

  begin(event) {
    super.begin(event);
    const { now, cell } = this;
    if (!now || !cell) return;
    this.countFrom(now.start, now.x, event.shiftKey);
    this.picture.root.classList.add('pic-dragging');
    this.picture.lookAt('focused', cell);
    this.picture.preview.show(cell);
  }

  /** The steps, small or not, count from this value and from where the pointer is. */
  countFrom(value, x, fine) {
    this.origin = { value, x, fine };
  }

  follow(event) {
    const { now, cell, origin } = this;
    if (now?.active && cell && event.pointerId === now.id && event.shiftKey !== origin.fine) {
      this.countFrom(cell.view.valueAt(cell.row, cell.col), now.x, event.shiftKey);
    }
    super.follow(event);
  }

  valueOf({ view }) {
    const { value, x, fine } = this.origin;
    return stepped(view.spec, value, Math.round(((this.now?.x ?? x) - x) / DRAG_PIXELS), fine, this.picture.data.limit);
  }

  end() {
    this.moved = this.active;
    if (this.active) this.letGo();
    super.end();
  }

  cancel() {
    if (this.active) this.letGo();
    super.cancel();
  }

  letGo() {
    this.picture.root.classList.remove('pic-dragging');
    this.picture.preview.show(null);
  }
}
