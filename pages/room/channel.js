// Listens to the events of a room (see channel.py), for all components of the page: these have copies of this file, and
// share one stream. While there is no stream, as on a host that passes on only Streamlit's own addresses, the page asks
// at intervals. A hidden page does neither, as browsers open few streams to one server; the owner's page goes on.

const OPENS = 4000; // ms until the page asks by itself
const AGAIN = [1000, 3000, 10_000, 30_000]; // ms before the next attempts to open a stream
const SILENT = 40_000; // ms without a heartbeat: the stream has died unnoticed

/** @typedef {{ take: (kind: string, data: any) => void, ask: () => void, every: number, tries: boolean, stays: boolean }} Ear */

class RoomStream {
  constructor() {
    this.ears = /** @type {Map<string, Ear>} */ (new Map()); // of the components that were drawn last, by their names
    this.asking = /** @type {Map<string, number>} */ (new Map()); // timers, likewise
    this.visit = ''; // which is in one room
    this.ending = new AbortController(); // of the stream, or of the attempt to open it
    this.isOpen = false;
    this.failures = this.opening = 0;
    document.addEventListener('visibilitychange', () => {
      if (this.ears.size && this.rests) this.ending.abort();
      else if (this.ears.size && !this.isOpen) this.open();
    });
  }

  get rests() {
    return document.hidden && ![...this.ears.values()].some((ear) => ear.stays);
  }

  /**
   * @param {string} visit
   * @param {string} name
   * @param {Ear} ear
   */
  listen(visit, name, ear) {
    const before = this.ears.get(name);
    this.ears.set(name, ear);
    if (visit !== this.visit) {
      this.visit = visit;
      this.failures = 0;
      this.open();
    }
    if (before?.every !== ear.every) this.askLater(name, this.isOpen || ear.tries ? ear.every : OPENS);
    // A component that is drawn again leaves first or afterwards.
    return () => setTimeout(() => {
      if (this.ears.get(name) !== ear) return;
      this.ears.delete(name);
      clearTimeout(this.asking.get(name));
      if (this.ears.size) return;
      this.visit = '';
      this.ending.abort();
      clearTimeout(this.opening);
    }, 500);
  }

  askLater(name, ms) {
    clearTimeout(this.asking.get(name));
    this.asking.set(name, setTimeout(() => {
      const ear = this.ears.get(name);
      if (!ear) return;
      if (!this.rests && (!this.isOpen || ear.tries)) ear.ask();
      this.askLater(name, ear.every);
    }, ms));
  }

  async open() {
    clearTimeout(this.opening);
    this.ending.abort();
    if (this.rests) return;
    const mine = this.ending = new AbortController();
    const wasOpen = await this.read(mine).catch(() => false);
    if (mine !== this.ending || !this.visit) return; // there is another stream, or nobody listens
    this.failures = wasOpen ? 0 : this.failures + 1;
    const wait = AGAIN[Math.min(this.failures, AGAIN.length - 1)];
    this.opening = setTimeout(() => this.open(), wait * (0.5 + Math.random()));
  }

  /** Reads the stream to its end; whether there was one. */
  async read(mine) {
    const url = new URL('room/events', document.baseURI);
    let alive = setTimeout(() => mine.abort(), SILENT);
    try {
      const answer = await fetch(url, { headers: { 'x-visit': this.visit }, signal: mine.signal, cache: 'no-store' });
      const kind = answer.headers.get('content-type') ?? '';
      if (answer.status !== 200 || !answer.body || !kind.startsWith('text/event-stream')) return false;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = '';;) {
        const { done, value } = await reader.read();
        if (done || mine !== this.ending) return true;
        this.isOpen = true;
        clearTimeout(alive);
        alive = setTimeout(() => mine.abort(), SILENT);
        const parts = (rest + value).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) this.pass(part);
      }
    } finally {
      clearTimeout(alive);
      if (mine === this.ending) this.isOpen = false;
    }
  }

  pass(part) {
    const [, kind, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
    if (!kind) return;
    for (const ear of this.ears.values()) ear.take(kind, JSON.parse(data));
  }
}

/**
 * Listens for this component, until it listens again, or leaves the page.
 * @param {string} visit
 * @param {string} name of the component
 * @param {Ear} ear take: takes an event; ask: asks the server; every: ms between two questions without events;
 *   tries: asks in any case; stays: listens while the page is hidden
 * @returns {() => void} stops listening
 */
export function listen(visit, name, ear) {
  globalThis.attentionRoom ??= new RoomStream();
  return globalThis.attentionRoom.listen(visit, name, ear);
}
