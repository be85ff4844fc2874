// The pictures on the page.

/** @import { Picture } from './picture.js' */

/** @type {Set<Picture>} the pictures that tell the server what is done */
export const shown = new Set();

/** @type {Map<string, Picture>} by its key the Picture that was last taken off the page */
export const orphans = new Map();
