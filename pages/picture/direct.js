// While a hand holds a number, the browser asks the server for the numbers that follow from it, without a run of the
// page (see shell/direct.py). The server stores none of these requests: when the hand lets go, the last value is sent
// as an edit.

import { IN_FLIGHT } from './outbox.js';
import { unpack } from './pieces.js';
/** @import { PictureView } from './picture.js' */

const PATIENCE = 3000; // ms
const BUSY = 503, PAUSE = 100; // ms after which a busy server is asked again, with the newest value
const FAILURES = 3; // one after the other: then this server, or one on the way to it, does not answer at all

let failures = 0; // on this page

export class Direct {
  /** @param {Pick<PictureView, 'data' | 'still' | 'outbox' | 'update'>} picture */
  constructor(picture) {
    this.picture = picture;
    this.there = false; // the server draws the picture in this way
    this.works = false; // until a question is not answered
    this.asked = this.taken = 0; // numbers of questions
    this.waiting = 0;
  }

  /** A hand takes a number. */
  begin() {
    this.works = this.there && failures < FAILURES;
  }

  get isFree() {
    return this.waiting < IN_FLIGHT;
  }

  /** What answers a question that was asked before now is too old. */
  forget() {
    this.taken = this.asked;
  }

  /** @param {object} message */
  async ask(message) {
    const { data: { key, visit }, still } = this.picture;
    const number = this.asked += 1;
    this.waiting += 1;
    const answer = await answerTo(visit, { ...message, key, still });
    if (answer === BUSY) await new Promise((go) => { setTimeout(go, PAUSE); });
    this.waiting -= 1;
    if (answer === BUSY) this.picture.outbox.askOnceMore();
    else if (number > this.taken && this.picture.outbox.post) this.take(answer, number);
  }

  /** @param {Exclude<Awaited<ReturnType<typeof answerTo>>, number>} answer */
  take(answer, number) {
    const { picture } = this;
    this.taken = number;
    if (answer) {
      failures = 0;
      picture.still = answer.still;
      picture.outbox.heard();
      picture.update(answer.data);
    } else if (this.works) {
      this.works = false;
      failures += 1;
      picture.outbox.flush();
    }
  }
}

/** What the picture is drawn from, or BUSY; null where the answer is anything else, or its still piece is not there. */
async function answerTo(visit, question) {
  try {
    const response = await fetch(new URL('direct', document.baseURI), {
      method: 'POST',
      headers: { 'x-visit': visit },
      body: JSON.stringify(question),
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (response.status === BUSY) return BUSY;
    return response.status === 200 ? unpack(new Uint8Array(await response.arrayBuffer())) : null;
  } catch {
    return null;
  }
}
