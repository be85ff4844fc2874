// Follows the room of a vote: a page that shows an older stage of the vote asks for a run of its fragment. Of the owner's
// page the number of votes is written here, without a run.

import { listen } from '../../room/channel.js';

export default function render({ data, parentElement, setTriggerValue }) {
  const { visit, stage, mine, choice, every, tries, topic, count, text, full, most } = data;
  const line = parentElement.querySelector('.said') ?? parentElement.appendChild(document.createElement('p'));
  line.className = 'said';
  const write = (/** @type {number} */ votes) => {
    line.textContent = (votes < most ? text : full).replace('{count}', String(votes));
  };
  write(count);
  const ask = () => setTriggerValue('ask', true);
  return listen(visit, 'vote', {
    every,
    tries,
    stays: mine,
    ask,
    take(kind, event) {
      if (kind === 'changed' && event?.vote !== stage) ask();
      if (kind === 'yours' && event !== choice) ask();
      if (kind === 'said' && event.topic === topic) write(event.count);
    },
  });
}
