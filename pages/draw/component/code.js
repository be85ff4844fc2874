// Puts the code of the pictures on the page, once: an update brings mount.js alone, and load.js loads the rest. After an
// update of the server, an open tab gets the new version. It replaces the old one and takes over its pictures.

import { holdLink } from './links.js';
import { moveInList, openList } from '../../picture/list.js';
import { drawEarly, endEarly } from './early.js';
import { drawPieces, follow, handOver } from './render.js';
import { saveFigure, savePage } from '../../picture/save.js';
import { followTheme } from './theme.js';
import { VERSION } from './version.js';

const before = globalThis.attentionPicture;
if (before?.version !== VERSION) {
  before?.end();
  document.addEventListener('click', holdLink, { capture: true });
  let leaveTheme = () => {};
  globalThis.attentionPicture = {
    version: VERSION,
    render: (component) => drawPieces(component, before?.handOver),
    handOver,
    follow,
    moveInList,
    openList,
    saveFigure,
    savePage,
    /** Streamlit's page is there. */
    arrive: () => {
      leaveTheme();
      leaveTheme = followTheme();
      endEarly();
    },
    end: () => {
      document.removeEventListener('click', holdLink, { capture: true });
      leaveTheme();
    },
  };
  drawEarly();
}
document.dispatchEvent(new Event('attention-picture'));

export default () => globalThis.attentionPicture.arrive();
