// What Streamlit sends with every update of a picture. The elements of a page may be run in any order, so a picture
// waits until the code of its own version is there. The data are bytes (see pieces.js).

import { VERSION } from './version.js';

export default ({ data, ...component }) => {
  let end;
  const begin = () => {
    const code = globalThis.attentionPicture;
    if (code?.version !== VERSION) return;
    document.removeEventListener('attention-picture', begin);
    end = code.render({ ...component, data });
  };
  document.addEventListener('attention-picture', begin);
  begin();
  return () => {
    document.removeEventListener('attention-picture', begin);
    end?.();
  };
};
