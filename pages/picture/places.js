// The places of the matrices: bands below one another, each a grid whose columns belong together or a flow of matrices
// and arrows. The number of a band's lines is found with the sizes (see layout.js).

import { element, markup, setFlag, withoutMarkup } from './markup.js';
/** @import { Views } from './types.js' */

export class Places {
  /**
   * @param {Views} views
   * @param {HTMLElement} figure
   */
  constructor(views, figure) {
    this.views = views;
    this.figure = figure;
    this.key = '';
  }

  // ---- places

  /** Builds the bands if the layout changed; moves the matrices to their places. Returns whether it did. */
  build(bands, phone) {
    const key = JSON.stringify([bands, phone, [...this.views.keys()]]);
    if (key === this.key) return false;
    this.key = key;
    this.phone = phone;
    this.bands = bands.map((band) => (band.kind === 'grid' ? this.gridBand(band) : this.flowBand(band)));
    this.figure.replaceChildren(...this.bands.map((band) => band.node));
    this.chooseBands();
    return true;
  }

  /** The bands on the page: all, or from the first to the last one that a presentation shows (see stage.js). */
  chooseBands() {
    const [first, last] = this.figure.dataset.bands?.split(' ').map(Number) ?? [0, Infinity];
    this.bands.forEach(({ node }, i) => setFlag(node, 'data-aside', i < first || i > last));
    this.shown = this.bands.filter((_, i) => i >= first && i <= last);
  }

  gridBand({ rows }) {
    const node = element('div', { class: 'pic-band pic-band-grid' });
    node.append(...rows.flat().flatMap((id) => this.views.get(id)?.node ?? []));
    const columns = Math.max(...rows.map((row) => row.length));
    return { node, rows, columns, grid: true };
  }

  flowBand({ items }) {
    const node = element('div', { class: 'pic-band pic-band-flow' });
    const arrows = [];
    const places = items.map((item) => this.flowItem(item, arrows)).filter(Boolean);
    for (const place of places) node.append(place.end, place.node);
    places.forEach((place, i) => { // an arrow, and whether the matrix that it points to says what was done
      if (place.arrow === undefined || !places[i + 1]) return;
      place.told = Boolean(this.viewsIn({ items: [places[i + 1]] })[0]?.spec.subtitle);
      setFlag(place.node, 'data-told', place.told);
    });
    return { node, items: places };
  }

  /** What is in a flow: {node, end: what ends the line before it, ids, arrow's text, thumbnails' ids}. */
  flowItem(item, arrows) {
    const end = element('div', { class: 'pic-line-end' });
    if (item.arrow !== undefined) {
      const node = element('div', { class: 'pic-arrow', 'aria-hidden': 'true' },
        element('span', {}, ...markup(item.arrow)), element('span', {}, '→'));
      arrows.push(node);
      return { node, end, ids: [], arrow: withoutMarkup(item.arrow) };
    }
    if (item.group !== undefined) return { end, ...this.group(item, arrows) };
    const view = this.views.get(item);
    if (!view) return null;
    this.pointTo(arrows, view);
    return { node: view.node, end, ids: [item] };
  }

  group({ group, title, hint, columns }, arrows) {
    const members = group.map((id) => this.views.get(id)).filter(Boolean);
    const items = element('div', { class: 'pic-group-items', 'data-columns': columns }, ...members.map((view) => view.node));
    items.style.setProperty('--columns', columns);
    members.forEach((view) => this.pointTo(arrows, view));
    const [small, ids] = [true, false].map((thumbnail) =>
      members.filter((view) => view.thumbnail === thumbnail).map((view) => view.id));
    const node = element('div', { class: small.length ? 'pic-group pic-thumbnails' : 'pic-group', role: 'group', 'aria-label': withoutMarkup(title) },
      element('div', { class: 'pic-group-title' }, ...markup(title), element('span', { class: 'pic-hint' }, hint)), items);
    return { node, ids, small, columns: columns || small.length, title: withoutMarkup(title) };
  }

  /** An arrow is dimmed together with the matrix it points to. */
  pointTo(arrows, view) {
    view.arrows = arrows.splice(0);
  }

  // ---- what is in them

  viewsIn(band) {
    const ids = band.grid ? band.rows.flat() : band.items.flatMap((item) => item.ids);
    return ids.map((id) => this.views.get(id)).filter(Boolean);
  }

  /** The rows of a grid with so many of its columns side by side, the others below them. */
  gridRows({ rows, columns, per }) {
    const starts = Array.from({ length: Math.ceil(columns / per) }, (_, line) => line * per);
    return starts.flatMap((start) => rows.map((row) =>
      Array.from({ length: per }, (_, c) => this.views.get(row[start + c]) || null)));
  }

  /** How many rows of cells are above one another. */
  stackedRows() {
    const tallest = (views) => Math.max(0, ...views.filter(Boolean).map((view) => view.rows));
    return this.shown.flatMap((band) => (band.grid ? this.gridRows(band) : band.lines.map((line) =>
      this.viewsIn({ items: line })))).reduce((sum, line) => sum + tallest(line), 0);
  }
}
