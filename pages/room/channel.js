// Listens to the events of a room (see channel.py). While there is no stream, as on a host that passes on only
// Streamlit's own addresses, the page asks at intervals. A hidden page does neither, as browsers open few streams to
// one server; the owner's page goes on.

const OPENS = 4000; // ms until the page asks by itself
const AGAIN = [1000, 3000, 10_000, 30_000]; // ms before the next attempts to open a stream
const SILENT = 40_000; // ms without a heartbeat: the stream has died unnoticed

/** @typedef {{ take: (kind: string, data: any) => void, ask: () => void, every: number, tries: boolean, stays: boolean }} Ear */

/** @type {Ear | null} */
let ear = null; // of the component that was drawn last
let visit = ''; // its visit, which is in one room
let ending = new AbortController(); // of the stream, or of the attempt to open it
let isOpen = false, failures = 0, asking = 0, opening = 0;

/**
 * Listens for this component, until it listens for another one, or the component leaves the page.
 * @param {string} name of the visit
 * @param {Ear} other take: takes an event; ask: asks the server; every: ms between two questions without events;
 *   tries: asks in any case; stays: listens while it is hidden
 * @returns {() => void} stops listening
 */
export function listen(name, other) {
  const before = ear?.every;
  ear = other;
  if (name !== visit) {
    visit = name;
    failures = 0;
    open();
  }
  if (before !== other.every) askLater(isOpen || other.tries ? other.every : OPENS);
  // A component that is drawn again leaves first or afterwards.
  return () => setTimeout(() => {
    if (ear !== other) return;
    ear = null;
    visit = '';
    ending.abort();
    clearTimeout(asking);
    clearTimeout(opening);
  }, 500);
}

const rests = () => document.hidden && !ear?.stays;

document.addEventListener('visibilitychange', () => {
  if (ear && rests()) ending.abort();
  else if (ear && !isOpen) open();
});

function askLater(ms) {
  clearTimeout(asking);
  asking = setTimeout(() => {
    if (!ear) return;
    if (!rests() && (!isOpen || ear.tries)) ear.ask();
    askLater(ear.every);
  }, ms);
}

async function open() {
  clearTimeout(opening);
  ending.abort();
  if (rests()) return;
  const mine = ending = new AbortController();
  const wasOpen = await read(mine).catch(() => false);
  if (mine !== ending || !visit) return; // there is another stream, or nobody listens
  failures = wasOpen ? 0 : failures + 1;
  opening = setTimeout(open, AGAIN[Math.min(failures, AGAIN.length - 1)] * (0.5 + Math.random()));
}

/** Reads the stream to its end; whether there was one. */
async function read(mine) {
  const url = new URL('room/events', document.baseURI);
  let alive = setTimeout(() => mine.abort(), SILENT);
  try {
    const answer = await fetch(url, { headers: { 'x-visit': visit }, signal: mine.signal, cache: 'no-store' });
    const kind = answer.headers.get('content-type') ?? '';
    if (answer.status !== 200 || !answer.body || !kind.startsWith('text/event-stream')) return false;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = '';;) {
      const { done, value } = await reader.read();
      if (done || mine !== ending) return true;
      isOpen = true;
      clearTimeout(alive);
      alive = setTimeout(() => mine.abort(), SILENT);
      const parts = (rest + value).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) pass(part);
    }
  } finally {
    clearTimeout(alive);
    if (mine === ending) isOpen = false;
  }
}

function pass(part) {
  const [, kind, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
  if (kind) ear?.take(kind, JSON.parse(data));
}
