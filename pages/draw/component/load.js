// Loads the styles and the code of the pictures (code.js) as two files of the server, which the browser caches. Where
// a host forwards Streamlit's own paths only, or the files are of another version, Streamlit sends them.

import { hasRules } from './styles.js';
import { VERSION } from './version.js';

/** The file's address in this version. */
const addressOf = (file) => new URL(`${file}?${VERSION}`, document.baseURI).href;

async function load(component) {
  const files = loadStyles(addressOf('picture.css')).then(() => import(addressOf('picture.js')));
  const areThere = await files.then(() => true, () => false);
  const code = globalThis.attentionPicture;
  if (areThere && code?.version === VERSION) code.arrive();
  else component.setTriggerValue('lack', true);
}

/** @param {string} address */
function loadStyles(address) {
  if ([...document.styleSheets].some((sheet) => sheet.href === address && hasRules(sheet))) return Promise.resolve();
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = address;
  return new Promise((resolve, reject) => {
    link.onload = link.onerror = () => (hasRules(link.sheet) ? resolve(undefined) : reject());
    document.head.append(link);
  });
}

export default (component) => {
  load(component);
};
