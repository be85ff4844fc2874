// Has the counts of a room drawn again when something happens there, but not too often, and at intervals, as time goes
// on.

import { listen } from '../../room/channel.js';

const KINDS = ['said', 'changed']; // of events that change a count
let last = 0, waiting = 0; // when it was asked for, and the timer of the next question

export default function render({ data, setTriggerValue }) {
  const { visit, every, least } = data;
  const ask = () => {
    clearTimeout(waiting);
    waiting = 0;
    last = Date.now();
    setTriggerValue('ask', true);
  };
  return listen(visit, 'presence', {
    every,
    tries: true,
    stays: true,
    ask,
    take(kind) {
      if (!KINDS.includes(kind)) return;
      waiting ||= setTimeout(ask, Math.max(0, last + least - Date.now()));
    },
  });
}
