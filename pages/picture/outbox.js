// The messages on their way to the server. The server's values are shown, except in a cell with a newer edit.
//
// A message holds the edits of one gesture, which the server undoes as one. The next gesture waits until the server
// confirms the message. While a number is dragged, two messages go out ahead of the answers. Commands are numbered and
// confirmed too, for Streamlit drops a message while there is no connection.

/** @import { Direct } from './direct.js' */
/** @import { CellEdit, Entry } from './types.js' */

export const IN_FLIGHT = 2; // messages ahead of the answers while a number is held
const LATE_AFTER = 1500; // ms without an answer: then what the server computed is old
const RESEND_AFTER = 3000; // ms without an answer, doubled each time
const RESENDS = 5;

export class Outbox {
  /**
   * @param {number} seq the last message with edits that the server has read
   * @param {number} done the last command
   */
  constructor(seq, done) {
    this.post = null; // not on the page: nothing is sent
    this.direct = /** @type {Direct | null} */ (null);
    this.slow = /** @type {(late: boolean) => void} */ (() => {}); // told whether the server is late
    this.late = false;
    this.starting = false; // the server is, and says so: there every answer is late
    /** @type {Map<string, Entry>} by the key of the cell */
    this.pending = new Map();
    this.recent = new Map(this.pending); // the edits of the gesture that is going on
    this.errands = /** @type {(() => void)[]} */ ([]); // what has to wait until all edits are confirmed
    this.sent = this.acked = this.last = seq;
    this.given = this.done = done; // the number of the last command, and of the last that is confirmed
    this.ask = /** @type {(() => void) | null} */ (null); // sends the command that is not confirmed yet
    this.lost = false; // it has to be sent again
    this.moves = false; // it brings cells to other places
    this.obeyed = false; // the newest answer confirms a command that leaves every cell where it was
    this.gesture = 0;
    this.busy = false; // a drag, or a key held down
    this.resends = 0;
    this.presses = 0; // of buttons and keys outside of the picture
    this.asked = 0; // the presses before the command that is not confirmed yet
  }

  begin() {
    this.gesture += 1;
  }

  hold() {
    this.begin();
    this.direct?.begin();
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
   * @param {CellEdit} edit
   */
  put(key, edit) {
    const before = this.pending.get(key);
    if (before) before.done = true;
    const entry = { key, edit, gesture: this.gesture, presses: this.presses, seq: 0, asked: false, done: false };
    this.pending.set(key, entry);
    if (this.busy) this.recent.set(key, entry);
    if (this.resends >= RESENDS) this.resends = 0;
    return entry;
  }

  /** Sends what is new of the oldest gesture that is not confirmed. */
  flush() {
    if (!this.post) return;
    if (this.ask) {
      if (this.lost) this.askAgain();
      return; // what comes after a command waits for it
    }
    const oldest = Math.min(...[...this.pending.values()].map((entry) => entry.gesture));
    const entries = [...this.pending.values()].filter((entry) => entry.gesture === oldest);
    if (!entries.some((entry) => !entry.seq)) return;
    const held = this.busy && oldest === this.gesture;
    if (held && this.direct?.works) this.askDirectly(entries, oldest);
    else if (!held || this.sent - this.acked < IN_FLIGHT) this.send(entries, oldest, held);
  }

  /** @param {Entry[]} entries */
  askDirectly(entries, gesture) {
    if (!this.direct?.isFree || entries.every((entry) => entry.asked)) return;
    for (const entry of entries) entry.asked = true;
    this.lateTimer ||= this.planLate();
    this.direct.ask({ seq: this.sent, gesture, held: true, edits: entries.map((entry) => entry.edit) });
  }

  /** What was asked directly is answered. */
  heard() {
    clearTimeout(this.lateTimer);
    this.lateTimer = 0;
    this.tellLate(false);
  }

  /** The server was too busy for what was asked directly. */
  askOnceMore() {
    for (const entry of this.pending.values()) entry.asked = false;
    this.flush();
  }

  /** A run of the page has drawn the picture, without what was asked directly. */
  repeatQuestions() {
    this.direct?.forget();
    for (const entry of this.pending.values()) entry.asked = false;
  }

  /** @param {Entry[]} entries */
  send(entries, gesture, held) {
    this.sent += 1;
    for (const entry of entries) entry.seq ||= this.sent;
    this.post({ seq: this.sent, gesture, held, edits: entries.map((entry) => entry.edit) });
    this.planAll();
  }

  /**
   * Brings a command to the server once it has all edits.
   * @param {(number: number) => void} send
   * @param {boolean} moves cells to other places
   */
  command(send, moves) {
    const { presses } = this;
    this.after(() => {
      const number = this.given += 1;
      this.asked = presses;
      this.moves = moves;
      this.resends = 0;
      this.ask = () => send(number);
      this.askAgain();
    });
  }

  askAgain() {
    this.lost = false;
    this.ask?.();
    this.planAll();
  }

  /**
   * The server has read all messages up to `seq`, and all commands up to `done`. A smaller number than before: it
   * does not know what was before, as where it answers a new visit; then true.
   */
  take(seq, done, newVisit = false) {
    const restarted = newVisit || seq < this.last || done < this.done;
    const confirmed = this.ask && done >= this.given;
    this.obeyed = Boolean(confirmed) && !this.moves;
    if (confirmed) this.ask = null;
    this.lost = Boolean(this.ask) && (restarted || this.late); // the connection was cut, and is there again
    if (seq > this.last || done > this.done || restarted) this.answered();
    this.last = seq;
    this.done = done;
    this.acked = restarted ? this.sent : Math.max(this.acked, seq);
    this.sent = Math.max(this.sent, seq);
    for (const entry of this.pending.values()) {
      if (restarted) entry.seq = 0;
      else if (entry.seq && entry.seq <= seq) this.drop(entry);
    }
    if (!this.pending.size && !this.ask) this.rest();
    return restarted;
  }

  /** @param {Entry} entry */
  drop(entry) {
    entry.done = true;
    this.pending.delete(entry.key);
  }

  /** The server's state replaces all from before the last press outside of the picture, and what a hand holds. */
  dropOld() {
    for (const entry of this.pending.values()) {
      if (entry.presses < this.presses || this.recent.has(entry.key)) this.drop(entry);
    }
    this.recent.clear();
    this.busy = false;
    if (this.asked < this.presses) this.ask = null;
    if (!this.pending.size && !this.ask) this.rest();
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

  planAll() {
    this.lateTimer ||= this.planLate();
    this.planResend();
  }

  planLate() {
    return setTimeout(() => this.tellLate(true), this.starting ? 0 : LATE_AFTER);
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
    if (!(this.pending.size || this.ask) || this.resends >= RESENDS) return;
    this.resends += 1;
    this.lost = Boolean(this.ask);
    for (const entry of this.pending.values()) entry.seq = 0;
    this.acked = this.sent;
    this.flush();
    this.planResend();
  }

  /** Runs `errand` as soon as the server has all edits and commands. */
  after(errand) {
    this.errands.push(errand);
    this.runErrands();
  }

  runErrands() {
    while (this.post && !this.pending.size && !this.ask && this.errands.length) this.errands.shift()?.();
  }

  close() {
    clearTimeout(this.resendTimer);
    clearTimeout(this.lateTimer);
  }
}
