// The chosen step and the pinned cell. A choice is made in the browser and sent to the server once the hand rests. A
// choice that comes from the server is followed, unless it is an echo of the browser's own.

import { setFlag } from './markup.js';
import { explainStep } from './motion.js';
import { sourcesOf } from './sources.js';
/** @import { PictureView } from './picture.js' */
/** @import { Spotlight } from './spotlight.js' */

const TELL_AFTER = 300; // ms

export class ViewChoice {
  /** @param {Spotlight} spotlight */
  constructor(spotlight) {
    this.spotlight = spotlight;
    this.post = null;
    this.step = null;
    this.names = []; // of all steps
    this.said = ''; // what the server said last
    this.told = []; // what it was told and has not said back
    this.waiting = false; // a choice that it has not been told
    this.turn = 0; // of what it is told: Streamlit passes on only what differs from this picture's last message
  }

  /** Follows the server where it changed its mind; its echo of an older choice takes no newer one back. */
  take({ step, cell, steps }, replaced) {
    const names = steps.map(({ name }) => name);
    const said = JSON.stringify([step, cell]);
    const echo = this.told.indexOf(said);
    if (echo >= 0) this.told.splice(0, echo + 1);
    else if (said !== this.said || (replaced && !this.told.length && !this.waiting)) {
      // The server keeps a step that the settings do not have for a while.
      if (step === null || names.includes(step)) this.step = step;
      this.spotlight.pinned = cell;
      this.told = [];
    }
    this.said = said;
    this.keepStep(names);
  }

  /** Where a change has taken the chosen step away, the next one that is left is chosen; at first the last one. */
  keepStep(names) {
    if (!names.includes(this.step)) {
      const later = this.names.slice(this.names.indexOf(this.step) + 1);
      this.step = (this.step && later.find((name) => names.includes(name))) ?? names[names.length - 1] ?? null;
    }
    this.names = names;
  }

  get now() {
    return { step: this.step, cell: this.spotlight.pinned };
  }

  /** The learner chose: tells the server as soon as the hand rests. */
  changed(isBusy) {
    this.waiting = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (isBusy() || !this.post) this.changed(isBusy);
      else this.tell();
    }, TELL_AFTER);
  }

  /** Tells the server at once what it does not know yet. */
  tell() {
    clearTimeout(this.timer);
    if (!this.waiting || !this.post) return;
    this.waiting = false;
    this.told.push(JSON.stringify([this.step, this.spotlight.pinned]));
    this.turn += 1;
    this.post({ ...this.now, turn: this.turn });
  }

  close() {
    clearTimeout(this.timer);
  }
}

/** The steps of the computation: the chosen step's matrix is accented, the matrices of later steps are dimmed. */
export class StepChoice {
  /** @param {Pick<PictureView, 'data' | 'choice' | 'outbox' | 'panel' | 'space' | 'views' | 'layout' | 'spotlight' | 'look' | 'figure'>} picture */
  constructor(picture) {
    this.picture = picture;
    this.presented = ''; // the step and the row whose arithmetic was shown last
    this.walked = false; // the learner has walked: each step shows the arithmetic of a cell of its own
  }

  /** Where a step is; the chosen step, where the cell belongs to no step. */
  placeOf(cell) {
    const { data: { steps }, choice, views } = this.picture;
    const ofCell = cell ? views.get(cell[0])?.spec.step_name : null;
    const place = steps.findIndex(({ name }) => name === ofCell);
    return place >= 0 ? place : steps.findIndex(({ name }) => name === choice.step);
  }

  /** Where the walk goes on: at the cell that was clicked last, wherever the pointer is. */
  get place() {
    return this.placeOf(this.picture.spotlight.resting);
  }

  walk(way) {
    const step = this.picture.data.steps[this.place + way];
    if (!step) return;
    this.choose(step.name);
    this.scroll();
  }

  /** To the first step without the cell that was pinned. */
  restart() {
    const { data: { steps }, spotlight } = this.picture;
    spotlight.pinned = null;
    this.choose(steps[0].name);
    this.scroll();
  }

  choose(name) {
    const { data, choice, outbox, spotlight } = this.picture;
    if (!data.steps.some((step) => step.name === name)) return;
    choice.step = name;
    this.walked = true;
    this.show();
    if (!spotlight.presented) spotlight.pinned = null; // no cell of this step would take its place
    this.picture.space.setFoot();
    this.picture.look(true);
    this.explain();
    choice.changed(() => outbox.busy);
  }

  explain() {
    const { spotlight: { presented }, views } = this.picture;
    const view = presented && views.get(presented[0]);
    if (!view) return;
    const sources = sourcesOf(views, presented).map(([id, row, col]) => views.get(id)?.cell(row, col)?.node);
    explainStep(sources.filter((node) => node !== undefined), view.grid);
  }

  /** The panel tells the step of the cell that is looked at, or else the chosen step. */
  tell() {
    const { data: { steps }, panel, spotlight } = this.picture;
    const told = this.placeOf(spotlight.shown);
    if (steps.length) panel.choose(steps[told], told, steps.length, this.place);
  }

  show() {
    const { data: { steps }, views } = this.picture;
    if (!steps.length) return;
    const now = this.placeOf(null);
    this.present();
    this.tell();
    const places = new Map(steps.map(({ name }, i) => [name, i]));
    for (const view of views.values()) {
      const place = places.get(view.spec.step_name ?? '') ?? -1;
      setFlag(view.node, 'data-step', place === now);
      for (const node of [view.node, ...view.arrows]) setFlag(node, 'data-later', place > now);
    }
  }

  /** A step in a presentation and one that was walked to show the arithmetic of a cell. */
  present() {
    const { data: { large, row }, choice, spotlight, views } = this.picture;
    const key = large || this.walked ? String([choice.step, row]) : '';
    if (key === this.presented) return;
    this.presented = key;
    const view = [...views.values()].find(({ spec, thumbnail }) => spec.step_name === choice.step && !thumbnail);
    spotlight.hovered = spotlight.focused = null;
    spotlight.presented = key && view ? [view.id, row ?? 0, view.offset] : null;
  }

  /** On a phone the matrices are below one another: what is explained comes into sight. */
  scroll() {
    const { views, layout, spotlight } = this.picture;
    if (!layout.phone) return;
    const cell = spotlight.presented;
    const explained = cell ? [...sourcesOf(views, cell).map(([id]) => id), cell[0]] : []; // the result surely
    for (const id of new Set(explained)) {
      const view = views.get(id);
      if (view && !view.absent) view.node.scrollIntoView({ block: 'nearest' });
    }
  }
}
