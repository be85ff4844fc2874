// The pieces of data that the server has sent, by their names, which are made from what is in them. The server leaves
// out the pieces that the browser says it holds (see pieces.py), so that an edit brings only what it has changed.

/** @import { Data, MatrixSpec } from './types.js' */
/** @typedef {[look: string, values: string | null, bound: number]} Triple the names of a matrix's pieces, and its bound */

const PIECES_KEPT = 2000; // pieces that are kept: a picture has a hundred at most
const EIGHT = 8; // bytes: the length of the head, and that of a number

/** @type {Map<string, any>} the piece that was used last is last */
const kept = new Map();

/** @param {string} name */
function use(name) {
  const piece = kept.get(name);
  kept.delete(name);
  kept.set(name, piece);
  return piece;
}

/**
 * Keeps the pieces of an answer.
 * @returns {{ frame: any, named: Record<string, string | string[]>, looks: string, matrices: Triple[],
 *   sources: Triple[] }} the rest
 */
function keepNew(data) {
  const bytes = data.slice(); // numbers are read in place, which needs a buffer of their own
  const end = EIGHT + new DataView(bytes.buffer).getUint32(0, true);
  const { pieces, blocks, ...head } = JSON.parse(new TextDecoder().decode(bytes.subarray(EIGHT, end)));
  for (const [name, piece] of Object.entries(pieces)) kept.set(name, piece);
  let at = end;
  for (const [name, rows, cols] of blocks) {
    const row = (r) => [...new Float64Array(bytes.buffer, at + r * cols * EIGHT, cols)];
    kept.set(name, Array.from({ length: rows }, (_, r) => row(r)));
    at += rows * cols * EIGHT;
  }
  return head;
}

/**
 * The data, and the names of its pieces; null where one of them is not there.
 * @param {Uint8Array} bytes
 * @returns {{ data: Data, pieces: string[] } | null}
 */
export function unpack(bytes) {
  const { frame, named, looks, matrices, sources } = keepNew(bytes);
  const looksAndValues = [...matrices, ...sources].flatMap(([look, values]) => (values === null ? [look] : [look, values]));
  const pieces = [...new Set([...Object.values(named).flat(), looks, ...looksAndValues])];
  if (!pieces.every((name) => kept.has(name))) return null;
  pieces.forEach(use);
  for (const name of kept.keys()) {
    if (kept.size <= PIECES_KEPT) break;
    kept.delete(name);
  }
  const part = (name) => (Array.isArray(name) ? name.map((one) => kept.get(one)) : kept.get(name));
  const parts = Object.entries(named).map(([field, name]) => [field, part(name)]);
  const spec = ([look, name, bound]) => /** @type {MatrixSpec} */ ({
    ...kept.get(looks), ...kept.get(look), look: kept.get(look), values: name === null ? null : kept.get(name), bound,
  });
  const data = { ...frame, ...Object.fromEntries(parts), matrices: matrices.map(spec), sources: sources.map(spec) };
  return { data, pieces };
}
