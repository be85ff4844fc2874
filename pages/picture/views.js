// The matrices of a picture by their ids. Matrices that are only sources of others, without a place in the picture, are
// found by their ids too; a walk through the picture skips them.

import { MatrixView, shapeOf } from './matrix.js';
/** @import { MatrixSpec, View } from './types.js' */

/** @extends {Map<string, View>} */
export class Views extends Map {
  /** @type {Map<string, View>} */
  sources = new Map();

  /** @param {string} id */
  get(id) {
    return super.get(id) ?? this.sources.get(id);
  }

  /** @param {string} id */
  has(id) {
    return super.has(id) || this.sources.has(id);
  }

  /** @param {MatrixSpec[]} specs */
  take(specs, texts) {
    this.sources = new Map(specs.map((spec) => {
      const before = this.sources.get(spec.id);
      const same = before && spec.look && spec.look === before.spec.look;
      const view = same || before?.shape === shapeOf(spec) ? before : new MatrixView(spec);
      view.spec = spec;
      view.absent = true;
      view.label(texts);
      return [spec.id, view];
    }));
  }
}
