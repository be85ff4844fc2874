// The picture: one component for all matrices of a page.

import { WordArcs } from './arcs.js';
import { cutLine } from './arithmetic.js';
import { QueryChoice } from './query_choice.js';
import { StepChoice, ViewChoice } from './choice.js';
import { Direct } from './direct.js';
import { Drag } from './drag.js';
import { FrontTexts } from './front.js';
import { Gestures } from './gestures.js';
import { Layout } from './layout.js';
import { element, setFlag, setText, writeLines } from './markup.js';
import { MatrixView, shapeOf } from './matrix.js';
import { Menu } from './menu.js';
import { moveRows } from './motion.js';
import { Names } from './names.js';
import { fullText } from './numbers.js';
import { Outbox } from './outbox.js';
import { Panel, writePieces } from './panel.js';
import { Preview } from './preview.js';
import { orphans, shown } from './shown.js';
import { Space } from './space.js';
import { PHONE } from './sizes.js';
import { Slider } from './slider.js';
import { Spotlight } from './spotlight.js';
import { Thumbnails } from './thumbnails.js';
import { VectorPlots } from './vectors.js';
import { Views } from './views.js';
/** @import { Cell, Data, CellEdit, CellPlace, MatrixSpec, Value, View } from './types.js' */

// How long a PictureView waits off the page, in ms. What the server has not confirmed is kept until a server that was
// started again has imported PyTorch.
const ORPHAN_LIVES = 2000;
const UNSENT_LIVES = 60_000;

export class PictureView {
  /**
   * @param {Data} data
   * @param {[string, CellEdit][]} unsent by the keys of their cells
   */
  constructor(data, unsent) {
    this.views = new Views();
    this.cells = /** @type {WeakMap<Node, Cell>} */ (new WeakMap());
    /** @type {Data} what is drawn: there from the first update on, and nothing is asked of a picture before */
    this.data = /** @type {any} */ (undefined);
    this.held = /** @type {any} */ (null); // the node with the focus
    this.trigger = null; // Streamlit's way to send a command or a choice
    this.still = /** @type {string | undefined} */ (undefined); // the name of the still piece of the data
    this.outbox = new Outbox(data.seq, data.done);
    this.direct = this.outbox.direct = new Direct(this);
    for (const [key, edit] of unsent) this.outbox.put(key, edit);
    this.spotlight = new Spotlight(this.views);
    this.choice = new ViewChoice(this.spotlight);
    this.drag = new Drag(this);
    this.slider = new Slider(this);
    this.plots = new VectorPlots(this);
    this.gestures = new Gestures(this);
    this.names = new Names(this);
    this.menu = /** @type {Menu} */ (new Menu(this));
    this.thumbnails = new Thumbnails(this.views, (choice) => this.pick(choice));
    this.steps = new StepChoice(this);
    this.panel = new Panel((way) => this.steps.walk(way), () => this.steps.restart());
    this.preview = new Preview(this.views);
    this.queryChoice = new QueryChoice((row) => this.pick({ follow: row }));
    this.front = new FrontTexts();
    this.arcs = new WordArcs((row) => {
      this.front.tell(this.arcs.word);
      this.pick({ follow: row });
    });
    this.target = element('div', { class: 'pic-target', role: 'status' });
    this.figure = element('div', { class: 'pic-figure', tabindex: -1 });
    this.layout = new Layout(this.views, this.figure);
    this.offline = element('p', { class: 'pic-offline', role: 'status' });
    this.root = element('div', { class: 'pic', 'data-picture': data.key },
      this.target, this.arcs.node, this.plots.node, this.figure, this.preview.place, this.panel.node, this.offline, this.queryChoice.node, this.menu.node, this.menu.dialog);
    this.space = /** @type {Space} */ (new Space(this));
    this.calls = 0; // of render
    this.listen();
  }

  // ---- on the page and off it

  moveTo(parent) {
    clearTimeout(this.ending);
    orphans.delete(this.root.dataset.picture);
    if (this.root.parentNode === parent) return;
    const { held } = this;
    parent.append(this.root);
    this.space.watch();
    this.menu.reopen();
    this.refocus(held);
  }

  /** The focus and the caret where they were, if nothing else has taken the focus. */
  refocus(node) {
    if (!node?.isConnected || document.activeElement !== document.body) return;
    const caret = node.matches('input[type=text]') ? [node.selectionStart, node.selectionEnd] : null;
    node.focus({ preventScroll: true });
    if (caret) node.setSelectionRange(...caret);
  }

  leave() {
    this.mute();
    orphans.set(this.root.dataset.picture, this);
    this.ending = setTimeout(() => this.destroy(), this.outbox.pending.size ? UNSENT_LIVES : ORPHAN_LIVES);
  }

  /** Tells the server nothing, until it draws the picture again. */
  mute() {
    shown.delete(this);
    this.outbox.post = this.choice.post = null;
  }

  destroy() {
    if (orphans.get(this.root.dataset.picture) === this) orphans.delete(this.root.dataset.picture);
    this.closing?.abort();
    for (const part of [this.outbox, this.slider, this.plots, this.drag, this.choice, this.preview, this.space]) part.close();
    this.root.remove();
  }

  listen() {
    this.closing = new AbortController();
    const { signal } = this.closing;
    const parts = [this.slider, this.plots, this.drag, this.gestures, this.names, this.menu, this.space];
    for (const part of parts) part.listen(this.root, signal);
    const on = (type, handle) => this.root.addEventListener(type, handle, { signal });
    on('pointerover', (event) => this.hover(event));
    on('pointerleave', () => this.lookAt('hovered', null));
    on('click', (event) => this.clicked(event));
    on('keydown', (event) => this.key(event));
    on('focusin', ({ target }) => { this.held = target; });
    for (const kind of ['click', 'keydown', 'popstate']) {
      addEventListener(kind, (event) => this.pressed(event), { signal, capture: true });
    }
    this.onLeave(signal, ({ target }) => { if (this.held === target) this.held = null; });
    this.outbox.slow = (late) => this.markOld(late);
  }

  /** A button, a key or a step in the browser's history may replace what was entered before, but not what comes after. */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || !event.composedPath().includes(this.root)) this.outbox.presses += 1;
  }

  /**
   * Calls `handle` when the learner has left a cell or a name. A node that is taken off the page loses the focus too,
   * a moment before it is off: so a microtask looks whether it is still there.
   */
  onLeave(signal, handle) {
    this.root.addEventListener('focusout', (event) => {
      if (this.moving) return;
      queueMicrotask(() => {
        if (this.root.isConnected && document.activeElement !== event.target) handle(event);
      });
    }, { signal });
  }

  // ---- data from the server

  /** @param {Data} data */
  update(data) {
    const before = this.data;
    this.data = data;
    // Before anything is written: there it costs less.
    const room = this.outbox.busy ? undefined : this.space.measure();
    if (!before || room) this.space.lookAtTheme();
    const newVisit = Boolean(before) && data.visit !== before.visit;
    this.outbox.starting = data.starting;
    this.direct.there = data.direct;
    const page = document.documentElement.dataset; // where Streamlit's buttons look (see page.css)
    if (page.idle !== data.idle) page.idle = data.idle;
    const restarted = this.outbox.take(data.seq, data.done, newVisit);
    const replaced = Boolean(before) && data.stamp !== before.stamp && !restarted;
    if (replaced) this.dropOld();
    const built = this.build();
    if (before && before.texts.not_a_number !== data.texts.not_a_number) this.gestures.translate();
    const other = built || data.large !== before?.large || Boolean(room && this.space.isAnother(room));
    if (!other) this.draw();
    setFlag(this.root, 'data-plots-left', data.plots_left);
    this.plots.update(data.plots, data.texts, this.outbox.busy);
    this.preview.follow();
    this.choice.take(data, replaced);
    this.panel.update(data);
    this.queryChoice.update(data);
    writeLines(this.target, data.target);
    this.arcs.update(data.key, data.arcs);
    this.front.update(data.front, this.arcs.word, this.arcs.node);
    setFlag(this.root, 'data-front', data.front);
    this.steps.show();
    if (!other) this.look(false);
    else this.space.resize(room);
    this.outbox.flush();
    this.outbox.runErrands();
  }

  /** The server's state replaces what the browser holds, but not what was entered after the button was pressed. */
  dropOld() {
    this.slider.cancel();
    this.plots.cancel();
    this.drag.cancel();
    if (this.outbox.obeyed) this.outbox.release(); // what was entered after the command comes after it
    else this.outbox.dropOld();
    this.gestures.drop();
    this.names.drop();
  }

  /** Brings the DOM to the data's shapes. A matrix that keeps its shape keeps its nodes, and so the focus. */
  build() {
    const { texts, matrices, sources, layout } = this.data;
    const wanted = new Set(matrices.map(({ id }) => id));
    let changed = false;
    for (const [id, view] of this.views) if (!wanted.has(id)) this.forget(view);
    this.views.take(sources, texts);
    for (const spec of matrices) {
      const view = this.viewOf(spec);
      const { rows } = view.spec;
      view.spec = spec;
      setFlag(view.node, 'data-chosen', spec.chosen);
      if (spec.choose !== null) view.node.setAttribute('aria-pressed', String(spec.chosen));
      changed = view.label(texts) || changed;
      if (!this.outbox.busy) moveRows(view.rowNodes, rows, spec.rows);
    }
    const { held } = this;
    this.moving = true; // what loses the focus now has not been left by the learner
    const moved = this.layout.build(layout, window.matchMedia(PHONE).matches);
    this.moving = false;
    if (moved) {
      this.menu.abandon();
      this.thumbnails.setTabStops();
      this.refocus(held);
    }
    return changed || moved;
  }

  /**
   * The matrix's DOM; where its shape is another than before, a new one in the same place.
   * @param {MatrixSpec} spec
   */
  viewOf(spec) {
    const before = this.views.get(spec.id);
    const same = before && spec.look && spec.look === before.spec.look;
    if (same || before?.shape === shapeOf(spec)) return before;
    const view = new MatrixView(spec);
    if (before) {
      view.node.style.gridArea = before.node.style.gridArea;
      view.arrows = before.arrows;
      before.node.replaceWith(view.node);
      this.forget(before);
    }
    this.views.set(spec.id, view);
    for (const cell of view.cells.flat()) {
      this.cells.set(cell.node, cell);
      cell.entry = this.outbox.pending.get(cell.key) || null;
    }
    if (before && this.menu.enlarged === before) this.menu.enlarged = view;
    return view;
  }

  /** The server is late: what it computed does not belong to what was entered. */
  markOld(late) {
    setText(this.offline, late ? this.data.texts.offline : '');
    for (const { node, spec } of this.views.values()) setFlag(node, 'data-old', late && !spec.editable);
  }

  /** @param {View} view */
  forget(view) {
    if (this.gestures.typing?.view === view) this.gestures.setTyping(null);
    if (this.drag.now?.place[0] === view.id) this.drag.end();
    this.views.delete(view.id);
    view.node.remove();
  }

  draw() {
    const { row, range } = this.data;
    if (!this.outbox.busy) this.panel.key(this.data);
    for (const view of this.views.values()) {
      view.draw(this.outbox.busy, view.showNumbers, range);
      const followed = view.spec.query_rows ? row : null;
      if (followed === view.followed) continue;
      view.followed = followed;
      view.rowNodes.forEach((node, r) => setFlag(node, 'data-dim', followed !== null && r !== followed));
      view.shade();
    }
    this.preview.draw();
  }

  // ---- what the learner looks at

  /** @returns {Cell | null} */
  cellAt(node) {
    return this.cells.get(node) || null;
  }

  /** @returns {View | undefined} */
  viewAt(node) {
    return this.views.get(node.closest?.('[data-matrix-box]')?.dataset.matrixBox);
  }

  hover(event) {
    if (event.pointerType === 'touch' || this.drag.active) return;
    const cell = this.cellAt(event.target) || this.plots.cellUnder(event.target) || null;
    if (cell) { // a tooltip would cover cells: only where a cell shows no number
      const value = cell.view.showNumbers ? null : cell.view.valueAt(cell.row, cell.col);
      cell.node.title = typeof value === 'number' ? fullText(value) : '';
    }
    this.lookAt('hovered', cell);
  }

  /**
   * @param {'hovered' | 'focused'} how
   * @param {Cell | null} cell
   */
  lookAt(how, cell) {
    if (cell?.view.spec.recipe) Panel.done.add('point');
    const place = cell && /** @type {CellPlace} */ ([cell.view.id, cell.row, cell.col]);
    if (String(this.spotlight[how]) === String(place)) return;
    this.spotlight[how] = place;
    if (how === 'focused') this.preview.show(cell);
    this.look(how !== 'hovered');
  }

  /**
   * The cell has lost the focus.
   * @param {Cell} cell
   */
  lookAway({ view, row, col }) {
    if (String(this.spotlight.focused) === String([view.id, row, col])) this.lookAt('focused', null);
  }

  look(aloud) {
    this.spotlight.light();
    this.steps.tell();
    const { line } = this.spotlight;
    this.panel.say(line, aloud);
    if (this.menu.enlarged) writePieces(this.menu.bigLine, line ? cutLine(line, () => true) : []);
  }

  /**
   * A click pins a cell, a second one frees it.
   * @param {CellPlace} cell
   */
  pin(cell) {
    const { spotlight } = this;
    const free = spotlight.isPinned(cell);
    spotlight.pinned = free ? null : cell;
    spotlight.presented = null;
    if (free) spotlight.focused = null;
    this.look(true);
    this.choice.changed(() => this.outbox.busy);
  }

  /** Frees the pinned cell; false if there was none. */
  free() {
    if (!this.spotlight.pinned) return false;
    this.pin(this.spotlight.pinned);
    return true;
  }

  // ---- clicks and keys outside of the cells

  clicked(event) {
    const view = this.viewAt(event.target);
    if (view && event.target.closest('button.pic-title')) this.steps.choose(view.spec.step_name);
    else if (view) this.thumbnails.clicked(view);
  }

  key(event) {
    const { target, key } = event;
    const view = this.viewAt(target);
    if (view && this.thumbnails.key(event, view)) event.preventDefault();
    else if (key === 'Escape' && !this.menu.isOpen(target)) this.free();
    else if ((target === this.figure || target.matches?.('.pic-title, .pic-walk')) && !event.altKey) {
      if (key === 'ArrowLeft') this.steps.walk(-1);
      if (key === 'ArrowRight') this.steps.walk(1);
    }
  }

  // ---- to the server

  /**
   * Takes a new value for a cell; the outbox brings it to the server.
   * @param {Cell} cell
   * @param {Value | null} value
   */
  put(cell, value) {
    const { view, row, col } = cell;
    view.setError(cell, '');
    this.hush();
    if (!Object.is(value ?? undefined, view.valueAt(row, col))) {
      this.choice.tell(); // what the learner looks at is older than the edit
      Panel.done.add('edit');
      cell.entry = this.outbox.put(cell.key, { matrix: view.id, row, col, value });
    }
    view.paint(cell);
    if (this.plots.plots.length) this.plots.draw();
    cell.node.title = '';
    this.look(false);
  }

  /** The next gesture: what was wrong before needs no words any more. */
  hush() {
    for (const view of this.views.values()) if (view.saying) view.say(null);
  }

  command(order) {
    this.gestures.commitOpen();
    this.outbox.command((id) => this.trigger('command', { id, ...order }), order.name === 'remove_token');
  }

  pick(choice) {
    this.outbox.after(() => this.trigger('pick', choice));
  }

  copyText(text) {
    navigator.clipboard?.writeText(text).catch(() => {});
  }
}
