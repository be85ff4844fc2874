// A picture's data in two pieces: one that stays while a number is dragged, and one that follows the numbers. The
// server leaves out the first piece where the browser says that it has it (see pieces.py).

/** @import { Data, MatrixSpec } from './types.js' */

const STILL_KEPT = 50; // still pieces: more than a page has pictures
const EIGHT = 8; // bytes: the length of the JSON, and that of a number

/** @type {Map<string, any>} the still pieces by their names; the piece that was used last is last */
const kept = new Map();

/** @param {string} name */
function use(name, piece = kept.get(name)) {
  kept.delete(name);
  if (piece) kept.set(name, piece);
  const [oldest] = kept.keys();
  if (kept.size > STILL_KEPT) kept.delete(oldest);
  return piece;
}

/**
 * The data, and the name of their still piece; null where that piece is not there.
 * @param {Uint8Array} message
 * @returns {{ data: Data, still: string } | null}
 */
export function unpack(message) {
  const bytes = message.slice(); // numbers are read in place, which needs a buffer of their own
  let at = EIGHT + new DataView(bytes.buffer).getUint32(0, true);
  const { still, piece, ...moving } = JSON.parse(new TextDecoder().decode(bytes.subarray(EIGHT, at)));
  const stays = use(still, piece);
  if (!stays) return null;
  const row = (count) => {
    const numbers = [...new Float64Array(bytes.buffer, at, count)];
    at += count * EIGHT;
    return numbers;
  };
  const { usual, ...frame } = stays;
  const specs = (list) => stays[list].map((look, i) => /** @type {MatrixSpec} */ ({
    ...usual, ...look, ...moving[list][i], look,
    values: moving[list][i].values === 'numbers' ? look.rows.map(() => row(look.cols.length)) : moving[list][i].values,
  }));
  const data = { ...frame, ...moving, matrices: specs('matrices'), sources: specs('sources') };
  return { data, still };
}
