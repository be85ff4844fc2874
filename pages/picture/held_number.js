// A pointer that holds a number, from its press to its release. What it changes meanwhile is one gesture; Escape gives
// back the number that was there before. Drag and Slider say what a press takes and what the pointer's place means.

/** @import { PictureView } from './picture.js' */

/** @import { Cell, CellPlace, Value } from './types.js' */

export class HeldNumber {
  /**
   * @param {Pick<PictureView, 'views' | 'cellAt' | 'data' | 'root' | 'gestures' | 'drag' | 'outbox' | 'preview'
   *   | 'put' | 'lookAt'>} picture
   */
  constructor(picture) {
    this.picture = picture;
    this.slack = -1; // px that a pointer may move before it changes anything; −1: it does so at once
    /**
     * The held cell, the pointer and where it is; once it is `active`, the number at the start.
     * @type {{ place: CellPlace, id: number, x: number, active: boolean, start?: Value } | null}
     */
    this.now = null;
    this.frame = 0;
  }

  get active() {
    return Boolean(this.now?.active);
  }

  /** The held cell; its matrix may have been built again since the press. */
  get cell() {
    if (!this.now) return undefined;
    const [id, row, col] = this.now.place;
    return this.picture.views.get(id)?.cell(row, col);
  }

  /**
   * What the pointer takes: its cell, or null.
   * @param {PointerEvent} event
   * @returns {Cell | null}
   */
  take(event) {
    return null;
  }

  /**
   * The number that follows from where the pointer is; null for none.
   * @param {Cell} cell
   * @returns {number | null}
   */
  valueOf(cell) {
    return null;
  }

  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  listen(root, signal) {
    root.addEventListener('pointerdown', (event) => this.pressed(event), { signal });
    // It goes on wherever the pointer is, and also if the picture is off the page for a moment.
    document.addEventListener('pointermove', (event) => this.follow(event), { signal });
    document.addEventListener('pointerup', (event) => this.released(event), { signal });
    document.addEventListener('pointercancel', (event) => this.released(event), { signal });
    document.addEventListener('keydown', (event) => this.escape(event), { signal, capture: true });
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    if (this.now || event.button !== 0 || !event.isPrimary) return;
    const cell = this.take(event);
    if (!cell) return;
    this.now = { place: [cell.view.id, cell.row, cell.col], id: event.pointerId, x: event.clientX, active: false };
    this.follow(event);
  }

  /** @param {PointerEvent} event */
  follow(event) {
    const { now } = this;
    if (event.pointerId !== now?.id) return;
    if (!now.active && Math.abs(event.clientX - now.x) <= this.slack) return;
    if (!now.active) this.begin(event);
    now.x = event.clientX;
    this.frame ||= requestAnimationFrame(() => this.step());
  }

  /** @param {PointerEvent} _event */
  begin(_event) {
    const { picture, now, cell } = this;
    if (!now || !cell) return;
    picture.gestures.commitOpen();
    now.active = true;
    now.start = cell.view.valueAt(cell.row, cell.col);
    picture.outbox.hold();
  }

  step() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const cell = this.active ? this.cell : null;
    const value = cell ? this.valueOf(cell) : null;
    if (cell && value !== null) this.put(cell, value);
  }

  /** @param {Cell} cell */
  put(cell, value) {
    this.picture.put(cell, value);
    this.picture.outbox.flush();
  }

  /** @param {PointerEvent} event */
  released(event) {
    if (event.pointerId !== this.now?.id) return;
    this.step();
    this.end();
  }

  end() {
    const { active } = this;
    this.now = null;
    if (active) this.picture.outbox.release();
  }

  /** @param {KeyboardEvent} event */
  escape(event) {
    if (event.key !== 'Escape' || !this.active) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.cell) this.put(this.cell, this.now?.start);
    this.end();
  }

  /** The server's state replaced everything: the hand holds nothing any more. */
  cancel() {
    this.now = null;
  }

  close() {
    cancelAnimationFrame(this.frame);
  }
}
