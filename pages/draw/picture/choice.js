// What the learner looks at: the chosen step and the pinned cell. The browser decides; the server is told when the
// hand rests, and is followed where it says something that is not only its echo.

import { setFlag } from './markup.js';
import { explainStep } from './motion.js';
import { isNewcomer } from './newcomer.js';
import { sourcesOf } from './sources.js';
/** @import { Picture } from './picture.js' */
/** @import { Spotlight } from './spotlight.js' */

const TELL_AFTER = 300; // ms

/** A stop of the walk without the query and the key that the walk is about. */
const stopOf = (name) => name?.replace(/(_\d+){2}$/, '');

export class ViewChoice {
  /** @param {Spotlight} spotlight */
  constructor(spotlight) {
    this.spotlight = spotlight;
    this.post = null;
    this.step = null;
    this.names = []; // of all steps
    this.said = ''; // what the server said last
    this.told = []; // what it was told and has not said back
    this.led = false; // the walk has begun by itself, and the learner has not gone on yet
    this.waiting = false; // a choice that it has not been told
    this.turn = 0; // of what it is told: Streamlit passes on only what differs from this picture's last message
  }

  /** Follows the server where it changed its mind; its echo of an older choice takes no newer one back. */
  take({ step, cell, steps, lead }, replaced) {
    const names = steps.map(({ name }) => name);
    const led = lead && !this.names.length && isNewcomer();
    const said = JSON.stringify([step, cell]);
    const echo = this.told.indexOf(said);
    if (echo >= 0) this.told.splice(0, echo + 1);
    else if (said !== this.said || (replaced && !this.told.length && !this.waiting)) {
      // The server keeps a step that the settings do not have for a while.
      if (step === null || names.some((name) => stopOf(name) === stopOf(step))) this.step = step;
      this.spotlight.pinned = cell;
      this.told = [];
    }
    this.said = said;
    if (led) {
      this.led = true;
      this.step = names[0];
      this.changed(() => false);
    }
    this.keepStep(names);
  }

  /** Where a change has taken the chosen step away, the next one that is left is chosen; at first the last one. */
  keepStep(names) {
    const same = names.find((name) => stopOf(name) === stopOf(this.step)); // of a walk that is about another query
    if (same && same !== this.step) {
      this.step = same;
      this.changed(() => false);
    }
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

/**
 * The steps of the computation: the chosen step's matrix is accented, the matrices of later steps are dimmed. Before them are
 * the stops of the walk, if there is one: each shows a piece of the picture, and nothing of what comes later.
 */
export class StepChoice {
  /** @param {Pick<Picture, 'data' | 'choice' | 'outbox' | 'panel' | 'space' | 'views' | 'layout' | 'spotlight' | 'look' | 'figure'>} picture */
  constructor(picture) {
    this.picture = picture;
    this.presented = ''; // the step and the row whose arithmetic was shown last
    this.walked = false; // the learner has walked: each step shows the arithmetic of a cell of its own
  }

  get step() {
    const { data, choice } = this.picture;
    return data.steps.find(({ name }) => name === choice.step);
  }

  /** The stops of the walk, or the steps of the computation, whichever the chosen one belongs to. */
  get track() {
    const stops = Boolean(this.step?.shows);
    return this.picture.data.steps.filter(({ shows }) => Boolean(shows) === stops);
  }

  /** Where a step is in the track; the chosen step, where the cell belongs to no step. */
  placeOf(cell) {
    const { track, picture: { choice, views } } = this;
    const ofCell = cell && !this.step?.shows ? views.get(cell[0])?.spec.step_name : null;
    const place = track.findIndex(({ name }) => name === ofCell);
    return place >= 0 ? place : track.findIndex(({ name }) => name === choice.step);
  }

  /** Where the walk goes on: at the cell that was clicked last, wherever the pointer is. */
  get place() {
    return this.placeOf(this.picture.spotlight.resting);
  }

  /** At the last stop: what is changed there, and what it is changed for. On a phone they are there alone. */
  get asked() {
    const { track, step } = this;
    const changed = [...this.picture.views.values()].find(({ spec }) => spec.editable);
    const last = step?.shows && step === track[track.length - 1];
    return last ? [changed?.id ?? '', step.cell?.[0] ?? ''] : null;
  }

  walk(way) {
    const step = this.track[this.place + way];
    if (!step) return;
    this.choose(step.name);
    this.scroll();
  }

  /** To the first step without the cell that was pinned; from a stop of the walk to the whole picture. */
  restart() {
    const { data: { steps }, spotlight } = this.picture;
    spotlight.pinned = null;
    this.choose(this.step?.shows ? steps[steps.length - 1].name : steps[0].name);
    this.scroll();
  }

  choose(name) {
    const { data, choice, outbox, spotlight } = this.picture;
    if (!data.steps.some((step) => step.name === name)) return;
    choice.step = name;
    choice.led = false;
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
    const { panel, spotlight } = this.picture;
    const { track, place } = this;
    const told = this.placeOf(spotlight.shown);
    if (track.length) panel.choose(track[told], told, track.length, place);
  }

  show() {
    const { data, layout, views } = this.picture;
    if (!data.steps.length) return;
    const { track, step } = this;
    const now = this.placeOf(null);
    setFlag(this.picture.figure, 'data-stops', step?.shows);
    this.present();
    this.tell();
    const places = new Map(track.map(({ name }, i) => [name, i]));
    for (const view of views.values()) {
      const place = places.get(view.spec.step_name ?? '') ?? -1;
      const shown = view.id === step?.cell?.[0];
      const away = layout.phone && this.asked && !this.asked.includes(view.id);
      view.absent = Boolean(step?.shows) && (away || step?.shows?.[view.id] === undefined);
      setFlag(view.node, 'data-step', step?.shows ? shown : place === now);
      for (const node of [view.node, ...view.arrows]) {
        setFlag(node, 'data-later', !step?.shows && place > now);
        setFlag(node, 'data-absent', view.absent);
      }
      const only = step?.shows?.[view.id] ?? null;
      if (only === view.only) continue;
      view.only = only;
      view.rowNodes.forEach((node, r) => setFlag(node, 'data-absent', only !== null && r !== only));
      view.shade();
    }
  }

  /** A stop of the walk, a step in a presentation and one that was walked to show the arithmetic of a cell. */
  present() {
    const { data: { large, row }, choice, spotlight, views } = this.picture;
    const { step } = this;
    const key = large || this.walked || step?.shows ? String([choice.step, row, step?.cell]) : '';
    spotlight.kept = step?.done ? step.cell : null;
    if (key === this.presented) return;
    this.presented = key;
    const view = [...views.values()].find(({ spec, thumbnail }) => spec.step_name === choice.step && !thumbnail);
    spotlight.hovered = spotlight.focused = null;
    spotlight.presented = !key ? null : step?.cell ?? (view ? [view.id, row ?? 0, view.offset] : null);
  }

  /** The keys of a walk, as long as nothing else on the page has the focus. */
  key({ target, key, altKey, ctrlKey, metaKey }) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const free = target === document.body && !this.picture.data?.large && !altKey && !ctrlKey && !metaKey;
    if (way && free && this.step?.shows) this.walk(way);
  }

  /** On a phone the matrices are below one another: what is explained, or is to be changed, comes into sight. */
  scroll() {
    const { views, layout, spotlight } = this.picture;
    if (!layout.phone) return;
    const cell = spotlight.presented;
    const explained = cell ? [...sourcesOf(views, cell).map(([id]) => id), cell[0]] : []; // the result surely
    for (const id of new Set(this.asked ?? explained)) {
      const view = views.get(id);
      if (view && !view.absent) view.node.scrollIntoView({ block: 'nearest' });
    }
  }
}
