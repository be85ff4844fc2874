// The script that Streamlit sends with every update of a picture. Streamlit may run the scripts of a page in any order,
// so a picture waits for the code of its own version. The data are bytes (see pieces.js).

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
