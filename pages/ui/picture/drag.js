// Dragging a number sideways, with the mouse or a finger: 8 px are one step, a tenth of it with shift.

const DRAG_START = 4; // px before a press becomes a drag
const DRAG_PIXELS = 8; // px a step

/** The number `steps` steps away. A logarithmic one is multiplied. */
function stepped(spec, from, steps, fine, limit) {
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

class Drag {
  constructor(picture) {
    this.picture = picture;
    this.slider = new Slider(picture);
    this.now = null; // {cell, id, x, fine, start, from, fromX, active}
    this.moved = false; // the last press became a drag: its click means nothing
  }

  get active() {
    return Boolean(this.now?.active);
  }

  listen(root, signal) {
    this.slider.listen(root, signal);
    root.addEventListener('pointerdown', (event) => this.pressed(event), { signal });
    root.addEventListener('mousedown', (event) => {
      // no text selection and no caret: a press may become a drag
      const cell = this.picture.cellAt(event.target);
      if (cell && this.canDrag(cell)) event.preventDefault();
    }, { signal });
    // A drag goes on wherever the pointer is, and also if its cell is off the page for a moment.
    document.addEventListener('pointermove', (event) => this.follow(event), { signal });
    document.addEventListener('pointerup', (event) => this.released(event), { signal });
    document.addEventListener('pointercancel', (event) => this.released(event), { signal });
    document.addEventListener('keydown', (event) => this.escape(event), { signal, capture: true });
  }

  canDrag(cell) {
    return cell.node.tagName === 'INPUT' && !cell.typing && !cell.error;
  }

  pressed(event) {
    this.moved = false;
    const cell = this.picture.cellAt(event.target);
    if (!cell || event.button !== 0 || !event.isPrimary || this.now || !this.canDrag(cell)) return;
    const value = cell.view.valueAt(cell.row, cell.col);
    if (value === undefined || cell.view.open) return; // an open cell holds an answer, which no hand should move
    const { clientX: x, pointerId: id, shiftKey: fine } = event;
    this.now = { cell, id, x, fine, start: value, from: value, fromX: x, active: false };
    if (event.pointerType !== 'touch') cell.node.focus({ preventScroll: true });
    cell.node.setPointerCapture(id);
  }

  follow(event) {
    const { now } = this;
    if (!now || event.pointerId !== now.id) return;
    if (!now.active && Math.abs(event.clientX - now.fromX) <= DRAG_START) return;
    if (!now.active) this.start(now);
    if (event.shiftKey !== now.fine) {
      now.from = now.cell.view.valueAt(now.cell.row, now.cell.col); // the other step counts from here
      now.fromX = now.x;
      now.fine = event.shiftKey;
    }
    now.x = event.clientX;
    this.frame ||= requestAnimationFrame(() => this.step());
  }

  start(now) {
    this.picture.gestures.commitOpen();
    now.active = true;
    this.picture.outbox.hold();
    this.picture.root.classList.add('pic-dragging');
    this.picture.lookAt('focused', now.cell);
  }

  step() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.active) return;
    const { cell, from, fromX, x, fine } = this.now;
    const { limit } = this.picture.data;
    this.picture.put(cell, stepped(cell.view.spec, from, Math.round((x - fromX) / DRAG_PIXELS), fine, limit));
    this.picture.outbox.flush();
  }

  released(event) {
    if (event.pointerId !== this.now?.id) return;
    this.step();
    this.end();
  }

  end() {
    if (!this.now) return;
    this.moved = this.now.active;
    this.now = null;
    this.picture.root.classList.remove('pic-dragging');
    if (this.moved) this.picture.outbox.release();
  }

  escape(event) {
    if (event.key !== 'Escape' || !this.active) return;
    event.preventDefault();
    event.stopPropagation();
    this.picture.put(this.now.cell, this.now.start);
    this.end();
  }

  /** The server's state replaced everything: the hand holds nothing any more. */
  cancel() {
    this.now = null;
    this.slider.cancel();
    this.picture.root.classList.remove('pic-dragging');
  }

  close() {
    cancelAnimationFrame(this.frame);
  }
}
