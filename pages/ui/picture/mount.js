'use strict';

// What Streamlit sends with every update of a picture. The elements of a page may be run in any order, so a picture
// waits until the code is there. The data are JSON, written by Python (see `mount` in __init__.py).
export default ({ data, ...component }) => {
  const draw = () => globalThis.attentionPicture({ ...component, data: JSON.parse(new TextDecoder().decode(data)) });
  if (globalThis.attentionPicture) return draw();
  let end;
  const begin = () => { end = draw(); };
  document.addEventListener('attention-picture', begin, { once: true });
  return () => {
    document.removeEventListener('attention-picture', begin);
    end?.();
  };
};
