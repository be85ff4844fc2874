// What is on its way to the server. The server's values are the truth, except where a newer edit is under way.
//
// A message holds the edits of one gesture, so that one gesture is one undo on the server; the next gesture waits
// until the one before is confirmed. While a number is dragged, messages go out ahead of the answers.

/** @import { Edit, Entry } from './types.js' */

const IN_FLIGHT = 2; // messages ahead of the answers while dragging
const LATE_AFTER = 1500; // ms without an answer: then what the server computed is old
const RESEND_AFTER = 3000; // ms without an answer, doubled each time
const RESENDS = 5;

export class Outbox {
  constructor(seq) {
    this.post = null; // not on the page: nothing is sent
    this.slow = /** @type {(late: boolean) => void} */ (() => {}); // told whether the server is late
    this.late = false;
    /** @type {Map<string, Entry>} by the key of the cell */
    this.pending = new Map();
    this.recent = new Map(this.pending); // the edits of the gesture that is going on
    this.errands = /** @type {(() => void)[]} */ ([]); // what has to wait until all edits are confirmed
    this.sent = this.acked = this.last = seq;
    this.gesture = 0;
    this.busy = false; // a drag, or a key held down
    this.resends = 0;
  }

  begin() {
    this.gesture += 1;
  }

  hold() {
    this.begin();
    this.recent.clear();
    this.busy = true;
  }

  /** The hand rests: the gesture's edits go out once more, as the last ones. */
  release() {
    if (!this.busy) return;
    this.busy = false;
    for (const entry of this.recent.values()) {
      entry.seq = 0;
      entry.done = false;
      this.pending.set(entry.key, entry);
    }
    this.recent.clear();
    this.flush();
  }

  /**
   * @param {string} key
   * @param {Edit} edit
   */
  put(key, edit) {
    const before = this.pending.get(key);
    if (before) before.done = true;
    const entry = { key, edit, gesture: this.gesture, seq: 0, done: false };
    this.pending.set(key, entry);
    if (this.busy) this.recent.set(key, entry);
    if (this.resends >= RESENDS) this.resends = 0;
    return entry;
  }

  /** Sends what is new of the oldest gesture that is not confirmed. */
  flush() {
    if (!this.post) return;
    const oldest = Math.min(...[...this.pending.values()].map((entry) => entry.gesture));
    const entries = [...this.pending.values()].filter((entry) => entry.gesture === oldest);
    if (!entries.some((entry) => !entry.seq)) return;
    const held = this.busy && oldest === this.gesture;
    if (!held || this.sent - this.acked < IN_FLIGHT) this.send(entries, oldest, held);
  }

  /** @param {Entry[]} entries */
  send(entries, gesture, held) {
    this.sent += 1;
    for (const entry of entries) entry.seq ||= this.sent;
    this.post({ seq: this.sent, gesture, held, edits: entries.map((entry) => entry.edit) });
    this.lateTimer ||= this.planLate();
    this.planResend();
  }

  /** The server has taken in all messages up to `seq`. A smaller one than before: it started anew; then true. */
  take(seq) {
    const restarted = seq < this.last;
    if (seq > this.last || restarted) this.answered();
    this.last = seq;
    this.acked = restarted ? this.sent : Math.max(this.acked, seq);
    this.sent = Math.max(this.sent, seq);
    for (const entry of this.pending.values()) {
      if (restarted) entry.seq = 0;
      else if (entry.seq && entry.seq <= seq) this.drop(entry);
    }
    if (!this.pending.size) this.rest();
    return restarted;
  }

  /** @param {Entry} entry */
  drop(entry) {
    entry.done = true;
    this.pending.delete(entry.key);
  }

  dropAll() {
    for (const entry of this.pending.values()) this.drop(entry);
    this.recent.clear();
    this.busy = false;
    this.rest();
  }

  /** Nothing is on its way any more. */
  rest() {
    clearTimeout(this.resendTimer);
    clearTimeout(this.lateTimer);
    this.lateTimer = 0;
    this.tellLate(false);
  }

  /** The server has answered; what else is on its way gets its time from now on. */
  answered() {
    this.resends = 0;
    this.tellLate(false);
    clearTimeout(this.lateTimer);
    this.lateTimer = this.planLate();
  }

  planLate() {
    return setTimeout(() => this.tellLate(true), LATE_AFTER);
  }

  tellLate(late) {
    if (this.late === late) return;
    this.late = late;
    this.slow(late);
  }

  planResend() {
    clearTimeout(this.resendTimer);
    this.resendTimer = setTimeout(() => this.resend(), RESEND_AFTER * 2 ** this.resends);
  }

  resend() {
    if (!this.pending.size || this.resends >= RESENDS) return;
    this.resends += 1;
    for (const entry of this.pending.values()) entry.seq = 0;
    this.acked = this.sent;
    this.flush();
    this.planResend();
  }

  /** Runs `errand` as soon as the server has all edits. */
  after(errand) {
    this.errands.push(errand);
    this.runErrands();
  }

  runErrands() {
    while (this.post && !this.pending.size && this.errands.length) this.errands.shift()();
  }

  close() {
    clearTimeout(this.resendTimer);
    clearTimeout(this.lateTimer);
  }
}
