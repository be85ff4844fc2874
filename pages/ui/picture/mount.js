'use strict';

// What Streamlit sends with every update of a picture. The elements of a page may be run in any order, so a picture
// waits until the code is there.
export default (component) => {
  if (globalThis.attentionPicture) return globalThis.attentionPicture(component);
  let end;
  const begin = () => { end = globalThis.attentionPicture(component); };
  document.addEventListener('attention-picture', begin, { once: true });
  return () => {
    document.removeEventListener('attention-picture', begin);
    end?.();
  };
};
