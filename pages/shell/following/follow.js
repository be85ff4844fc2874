// Follows a class: a page whose scene or room is older asks for a run. While the teacher drags a number, the pictures
// come with the events.

import { listen } from '../../room/channel.js';

export default function render({ data, setTriggerValue }) {
  const { visit, version, serial, follows, wants, stays, again, every } = data;
  const ask = () => setTriggerValue('ask', true);
  return listen(visit, 'class', {
    every,
    tries: again,
    stays,
    ask,
    take(kind, event) {
      if (kind === 'changed' && event !== version) ask();
      if (kind === 'scene' && wants && event !== serial) ask();
      if (kind === 'moved' && follows && event.serial === serial) globalThis.attentionPicture?.follow(event.picture);
    },
  });
}
