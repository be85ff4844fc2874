// The pictures on the page.

/** @import { PictureView } from './picture.js' */

/** @type {Set<PictureView>} the pictures that tell the server what is done */
export const shown = new Set();

/** @type {Map<string, PictureView>} by its key the PictureView that was last taken off the page */
export const orphans = new Map();
