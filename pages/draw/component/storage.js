// Everything that this app stores in a browser, for all tabs or for one tab. The storage may be closed or full, and
// anybody can write into it: nothing here throws. After a deletion no component of this page stores anything.

const OURS = 'attention-'; // the beginning of every key
const keeping = () => !('forgotten' in document.documentElement.dataset);

/** @param {() => Storage} open */
function shelf(open) {
  const attempt = (/** @type {(storage: Storage) => any} */ act, /** @type {any} */ otherwise = null) => {
    try {
      return act(open());
    } catch {
      return otherwise;
    }
  };
  const self = {
    /** Whether there is anything under the key, readable or not. */
    has: (key) => attempt((storage) => storage.getItem(key) !== null, false),
    /** What is under the key; null where there is nothing, or what cannot be read, which goes. */
    value: (key) => attempt((storage) => JSON.parse(storage.getItem(key) ?? 'null'))
      ?? attempt((storage) => storage.removeItem(key)) ?? null,
    /** Whether it is kept now. */
    keep: (key, value) => keeping() && attempt((storage) => (storage.setItem(key, JSON.stringify(value)), true), false),
    drop: (key) => attempt((storage) => storage.removeItem(key)),
    clear: () => attempt((storage) => Object.keys(storage).filter((key) => key.startsWith(OURS)).forEach(self.drop)),
  };
  return self;
}

export const browser = shelf(() => localStorage);
export const tab = shelf(() => sessionStorage);

const VOICES = 'attention-vote', MOST_VOICES = 20;
const isVoice = (one) => Array.isArray(one) && one.length === 2 && one.every((word) => typeof word === 'string')
  && /^\w{1,24},[\w-]{22}$/.test(String(one));

/** The name under which this browser takes part in votes, for each room. */
export function voices() {
  const kept = browser.value(VOICES);
  return new Map(Array.isArray(kept) ? kept.filter(isVoice).slice(-MOST_VOICES) : []);
}

export const keepVoices = (/** @type {Map<string, string>} */ kept) => browser.keep(VOICES, [...kept].slice(-MOST_VOICES));

/** This page keeps nothing more, and its tab nothing at all. */
export function stopKeeping() {
  document.documentElement.dataset.forgotten = '';
  tab.clear();
}
