// Keeps the learner's progress in the browser: the server's record, and the place where each lesson was left. A
// teacher's plan, a vote and a presentation leave no record: their answers, pasted and searched texts are kept for
// this tab alone, so that they survive a reload and a restart of the server.
//
// A record has a name. If the record that this page has read or written is gone, another tab has deleted it: then
// this page keeps nothing more, and does not write its own copy back.

import { browser, stopKeeping, tab, voices } from '../../draw/component/storage.js';

const KEY = 'attention-progress', OF_TAB = 'attention-tab';
const MOST = 3; // times that the record is sent to the server without a confirmation
const NOTHING = { answers: {}, options: {}, shows: undefined, read: false };
let lesson = '', visit = '', records = false, name = '', asks = 0, lost = () => {};
let limits = { record: 0, tab: 0, place: 0, event: 0, exercises: 0, keys: [''] };
let told = NOTHING; // the record that this page has written or read last

const isWord = (value) => typeof value === 'string' && /^[\w./-]{1,60}$/.test(value);
const isText = (value) => typeof value === 'string' && !/\p{Cs}/u.test(value); // without half of a character
const isCount = (value) => Number.isInteger(value) && value >= 0 && value <= 1e6;

/** What was done at a stop of the hour: the day, the key of its sentence, and the facts in it. */
const isEvent = (event) => Array.isArray(event) && event.length === 3 && isCount(event[0]) && isText(event[1])
  && Object.values(event[2] ?? {}).flat().every(isText) && JSON.stringify(event).length <= limits.event;

// The fields of a record and of a tab, and the checks of their entries, the most important first: what is too much for the
// size of a record goes from the end of this list, so the places that were left go first, and what was done last. An entry
// that fails is left out: a record that the server could not read would count as one without answers.
const isOf = {
  events: isEvent,
  tasks: isWord, // of an earlier course: events without their numbers
  options: isWord,
  answers: (answer) => Array.isArray(answer) && answer.length === 3 && typeof answer[0] === 'boolean' && isCount(answer[1])
    && (answer[2] === null || isCount(answer[2])),
  targets: isWord,
  parts: isWord,
  exercises: (end) => isCount(end) && end <= 2,
  places: (link) => isText(link) && link.length <= limits.place,
};
const isOfTab = { answers: isWord, revealed: isWord, typed: isText, filled: Number.isFinite, entries: Number.isFinite, numbers: isText, mine: isText, here: isText };

/** The entries of each kind, by the table of kinds. */
function entriesOf(kept, kinds) {
  return Object.entries(kinds).map(([kind, isOne]) => {
    const entries = typeof kept?.[kind] === 'object' ? Object.entries(kept[kind] ?? {}) : [];
    return /** @type {const} */ ([kind, entries.filter(([key, value]) => isWord(key) && isOne(value))]);
  });
}

/** The record's name; '' where it has none. */
const nameOf = (kept) => (isWord(kept?.name) ? kept.name : '');

/** The valid part of a record, within the limit of its size: of each field the newest entries. */
function tidy(kept) {
  let room = limits.record;
  const fits = (/** @type {any} */ entry) => {
    const size = JSON.stringify(entry).length + 1;
    if (size > room) return false;
    room -= size;
    return true;
  };
  const shows = typeof kept?.shows === 'boolean' ? { shows: kept.shows } : {};
  const own = { name: nameOf(kept) || String(Math.random()), last: isWord(kept?.last) ? kept.last : '', ...shows };
  fits([own, Object.keys(isOf)]);
  const kinds = entriesOf(kept, isOf).map(([kind, entries]) => {
    const newest = kind === 'exercises' ? entries.slice(-limits.exercises) : entries;
    return [kind, Object.fromEntries(newest.reverse().filter(fits).reverse())];
  });
  const record = { ...own, ...Object.fromEntries(kinds) };
  return { ...record, ...listed(record) };
}

/** What the record has as lists. */
const listed = ({ parts, tasks, targets }) => ({ parts: Object.values(parts), tasks: Object.values(tasks), targets: Object.values(targets) });

/** What this tab keeps, likewise. */
function ofTab() {
  const kept = tab.value(OF_TAB);
  const kinds = Object.fromEntries(entriesOf(kept, isOfTab).map(([kind, entries]) => [kind, Object.fromEntries(entries)]));
  return kept && { ...kinds, revealed: Object.values(kinds.revealed), numbers: Object.values(kinds.numbers), sitting: Number.isSafeInteger(kept.sitting) ? kept.sitting : 0 };
}

/** The entries with changed values, the newest at the end; undefined deletes an entry. */
function changed(entries, values) {
  const kept = { ...entries };
  for (const [key, value] of Object.entries(values)) {
    delete kept[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

const isGone = () => name && nameOf(browser.value(KEY)) !== name;

function update(change) {
  if (isGone()) return lost();
  const record = tidy(change(tidy(browser.value(KEY))));
  if (browser.keep(KEY, record)) name = record.name;
}

/** The entries that differ from those before; undefined for a deleted entry. */
function differing(after, before) {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const other = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(other.map((name) => [name, after[name]]));
}

// Several tabs write the same record: each writes its own changes. The later answer to a question counts, the better
// end of an exercise, and of an event the first, for it has the numbers of the moment in which the stop was done.
function write(done) {
  update((kept) => {
    const answers = Object.entries(differing(done.answers, told.answers));
    const later = answers.filter(([question, answer]) => answer && !(kept.answers[question]?.[1] > answer[1]));
    const ends = Object.entries(done.exercises).filter(([name, end]) => !(kept.exercises[name] >= end));
    return {
      ...kept,
      parts: [...new Set([...kept.parts, ...done.parts])],
      events: { ...done.events, ...kept.events },
      targets: [...new Set([...kept.targets, ...done.targets])],
      answers: changed(kept.answers, Object.fromEntries(later)),
      options: changed(kept.options, differing(done.options, told.options)),
      exercises: changed(kept.exercises, Object.fromEntries(ends)),
      ...(done.shows === told.shows ? {} : { shows: done.shows }),
    };
  });
  told = { ...done, read: false };
}

/** The link back to this place: the parts of the present link that the course knows. */
function place() {
  return String(new URLSearchParams([...new URLSearchParams(location.search)].filter(([key]) => limits.keys.includes(key))));
}

function leave() {
  const left = place();
  if (!records || !lesson || !left || left.length > limits.place) return;
  update((kept) => ({ ...kept, places: changed(kept.places, { [lesson]: left }), last: lesson }));
}

addEventListener('pagehide', leave);
document.addEventListener('visibilitychange', leave);
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-testid=stPageLink] a')) leave();
}, { capture: true });
addEventListener('storage', () => { if (isGone()) lost(); });

/** Sends the record to the server. Without a record the questions are shown at once, without another run of the page. */
function tell(record, setTriggerValue) {
  asks += 1;
  if (record) {
    told = { ...record, read: true };
    name = nameOf(browser.value(KEY));
  }
  const own = JSON.stringify(ofTab() ?? '');
  setTriggerValue('kept', { record: JSON.stringify(record ?? ''), tab: own.length > limits.tab ? '' : own });
}

export default function render({ data: [data], setTriggerValue }) {
  const first = visit !== data.visit; // a restarted server does not know the record
  ({ lesson, visit, records, limits } = data);
  lost = () => {
    records = false;
    name = '';
    stopKeeping();
    setTriggerValue('gone', true);
  };
  if (data.asks_voices) setTriggerValue('voices', [...voices()]);
  if (first) asks = !data.deleted && (browser.value(KEY) || tab.value(OF_TAB)) ? 0 : MOST;
  const waits = !data.recalled && asks < MOST;
  document.documentElement.toggleAttribute('data-nothing-kept', !waits && !data.recalled);
  if (waits) return tell(browser.value(KEY) && tidy(browser.value(KEY)), setTriggerValue);
  if (data.deleted) {
    name = '';
    if (first || 'forgotten' in document.documentElement.dataset) return;
    stopKeeping();
    return browser.clear();
  }
  if (first || (!data.recalled && told.read)) told = NOTHING;
  if (records) write(data.done);
  if (data.tab) tab.keep(OF_TAB, data.tab);
  else tab.drop(OF_TAB);
}
