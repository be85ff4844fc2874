// Brings the code of the pictures (code.js) to the page: it is a file of the server's, which the browser keeps. Where a host
// passes on nothing but what is Streamlit's, or another version answers, Streamlit is asked to send the code itself.

import { VERSION } from './version.js';

async function load(component) {
  const file = new URL(`picture.js?${VERSION}`, document.baseURI);
  await import(file.href).catch(() => {});
  const code = globalThis.attentionPicture;
  if (code?.version === VERSION) code.arrive();
  else component.setTriggerValue('lack', true);
}

export default (component) => {
  load(component);
};
