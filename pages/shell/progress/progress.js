// Keeps in the browser what the learner has done: what the server says, and by itself where each lesson was left.

const KEY = 'attention-progress';
const KEPT = [KEY, 'attention-tour']; // and that the first walk was seen (see the picture's newcomer.js)
const MOST_EXERCISES = 1000;
let lesson = '', visit = '', records = false, keys = new Set();

function stored() {
  try {
    return localStorage.getItem(KEY) || '';
  } catch {
    return ''; // closed to us
  }
}

function read() {
  try {
    const kept = JSON.parse(stored() || '{}');
    return kept && typeof kept === 'object' ? kept : {};
  } catch {
    return {};
  }
}

function write(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch { /* closed to us, or full: nothing is kept */ }
}

// Two tabs write the same: parts are joined, of two answers to a question the later one counts, and of two ends of an
// exercise the better one.
function join(kept, { parts, answers, exercises }) {
  const before = kept.answers || {};
  const later = Object.entries(answers).filter(([name, one]) => !before[name] || before[name][1] <= one[1]);
  const ends = Object.entries(exercises).map(([name, end]) => [name, Math.max(end, kept.exercises?.[name] ?? 0)]);
  return {
    ...kept,
    parts: [...new Set([...[kept.parts || []].flat(), ...parts])],
    answers: { ...before, ...Object.fromEntries(later) },
    exercises: Object.fromEntries([...Object.entries(kept.exercises || {}), ...ends].slice(-MOST_EXERCISES)),
  };
}

/** The parts of the present link that bring the reader back here: not whether the page is embedded, and nothing unknown. */
function here() {
  return String(new URLSearchParams([...new URLSearchParams(location.search)].filter(([key]) => keys.has(key))));
}

function leave() {
  const place = here();
  if (!records || !place || place.length > 4000) return;
  const kept = read();
  write({ ...kept, places: { ...kept.places, [lesson]: place }, last: lesson });
}

addEventListener('pagehide', leave);
document.addEventListener('visibilitychange', leave);
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-testid=stPageLink] a')) leave();
}, { capture: true });

export default function render({ data: [data], setStateValue }) {
  const first = visit !== data.visit; // a server that was started again does not know what is kept
  ({ lesson, visit, records } = data);
  keys = new Set(data.keys);
  if (data.deleted && !first) for (const key of KEPT) localStorage.removeItem(key);
  const kept = stored();
  if (first && kept) setStateValue('kept', kept);
  if (records) write(join(read(), data.done));
}
