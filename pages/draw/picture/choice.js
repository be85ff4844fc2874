// What the learner looks at: the chosen step and the pinned cell. The browser decides; the server is told when the
// hand rests, and is followed where it says something that is not only its echo.

import { setFlag } from './markup.js';
/** @import { Picture } from './picture.js' */
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

/** The steps of the computation: the chosen one's matrix is accented, those of later steps are dimmed. */
export class Steps {
  /** @param {Pick<Picture, 'data' | 'choice' | 'outbox' | 'panel' | 'room' | 'views' | 'spotlight' | 'look'>} picture */
  constructor(picture) {
    this.picture = picture;
    this.presented = ''; // the step and the row whose arithmetic a presentation showed last
  }

  get place() {
    const { data, choice } = this.picture;
    return data.steps.findIndex(({ name }) => name === choice.step);
  }

  walk(way) {
    const { steps } = this.picture.data;
    const step = steps[Math.max(0, this.place + way)];
    if (step) this.choose(step.name);
  }

  choose(name) {
    const { data, choice, outbox } = this.picture;
    if (!data.steps.some((step) => step.name === name)) return;
    choice.step = name;
    this.show();
    this.picture.room.setFoot();
    this.picture.look(true);
    choice.changed(() => outbox.busy);
  }

  show() {
    const { data, panel, views } = this.picture;
    if (!data.steps.length) return;
    const now = this.place;
    panel.choose(now);
    this.present();
    const places = new Map(data.steps.map(({ name }, i) => [name, i]));
    for (const view of views.values()) {
      const place = places.get(view.spec.step_name ?? '') ?? -1;
      setFlag(view.node, 'data-step', place === now);
      setFlag(view.node, 'data-later', place > now);
      for (const arrow of view.arrows || []) setFlag(arrow, 'data-later', place > now);
    }
  }

  /** A presentation shows each step with the arithmetic of a cell, in the row of the query that is followed. */
  present() {
    const { data: { large, row }, choice: { step }, spotlight, views } = this.picture;
    const key = large ? String([step, row]) : '';
    if (key === this.presented) return;
    this.presented = key;
    const view = [...views.values()].find(({ spec, thumbnail }) => spec.step_name === step && !thumbnail);
    spotlight.hovered = spotlight.focused = null;
    spotlight.presented = key && view ? [view.id, row ?? 0, view.offset] : null;
  }
}
