// Has the overview of a room drawn again when something happens there, at most once a second, and at intervals, as the
// minutes go on.

import { listen } from '../../room/channel.js';

const LEAST = 1000; // ms between two drawings
const KINDS = ['said', 'changed']; // of events that change what it shows
let last = 0, waiting = 0; // when it was asked for, and the timer of the next question

export default function render({ data, setTriggerValue }) {
  const ask = () => {
    clearTimeout(waiting);
    waiting = 0;
    last = Date.now();
    setTriggerValue('ask', true);
  };
  return listen(data.visit, 'overview', {
    every: data.every,
    tries: true,
    stays: true,
    ask,
    take(kind) {
      if (!KINDS.includes(kind)) return;
      waiting ||= setTimeout(ask, Math.max(0, last + LEAST - Date.now()));
    },
  });
}
