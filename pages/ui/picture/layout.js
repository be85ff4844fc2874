// Where the matrices stand, and how large their cells are. Sizes are computed anew only when the shapes or the
// room change, never while the hand moves a number.

const PHONE = '(max-width: 640px)';
const WIDEST = 46;
const NARROWEST = 12;
const TALLEST = 31;
// On a window larger than this one all of it is drawn larger, at most so many times.
const LAPTOP = [1280, 800];
const MOST = 1.75;
const LOWEST = 12;
const NUMBERS_WIDTH = 30; // narrower or lower cells show colours only
const NUMBERS_HEIGHT = 18;
const AXES_FROM = 24; // where cells would be lower, the axes' names go
const LABEL_MOST = 112;
const AXIS = 15; // the name of an axis
const GAP = 20; // between two columns of matrices
const GAP_MOST = 36;
const EDGE = 16; // of + and − at the right of a matrix, beside the next one of a flow
const FOOT = 12; // px left free below the panel

/** How many times as large as on a laptop things may be drawn in this window. */
function largest() {
  if (window.matchMedia(PHONE).matches) return 1;
  return Math.min(MOST, Math.max(1, Math.min(window.innerWidth / LAPTOP[0], window.innerHeight / LAPTOP[1])));
}

/** How many times as large the labels of such wide cells are. */
function zoomOf(cell) {
  return Math.max(1, cell / WIDEST);
}

class Layout {
  constructor(views, figure) {
    this.views = views;
    this.figure = figure;
    this.key = '';
    this.zoom = 1;
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
    return true;
  }

  gridBand({ rows }) {
    const node = element('div', { class: 'pic-band pic-band-grid' });
    const places = rows.flatMap((row, r) => row.map((id, c) => ({ view: this.views.get(id), r, c })));
    if (this.phone) places.sort((a, b) => a.c - b.c || a.r - b.r); // each product below its weight matrix
    for (const { view, r, c } of places) {
      if (!view) continue;
      view.node.style.gridArea = `${r + 1} / ${c + 1}`;
      node.append(view.node);
    }
    return { node, kind: 'grid', ids: rows };
  }

  flowBand({ items }) {
    const node = element('div', { class: 'pic-band pic-band-flow' });
    const ids = [];
    const arrows = [];
    for (const item of items) {
      if (typeof item === 'string') {
        const view = this.views.get(item);
        if (!view) continue;
        ids.push(item);
        node.append(view.node);
        this.pointTo(arrows, view);
      } else if (item.arrow !== undefined) {
        const arrow = element('div', { class: 'pic-arrow', 'aria-hidden': 'true' },
          element('span', {}, ...markup(item.arrow)), element('span', {}, this.phone ? '↓' : '→'));
        arrows.push(arrow);
        node.append(arrow);
      } else node.append(this.group(item, ids, arrows));
    }
    return { node, kind: 'flow', ids: [ids] };
  }

  group({ group, title, columns }, ids, arrows) {
    const members = group.map((id) => this.views.get(id)).filter(Boolean);
    const items = element('div', { class: 'pic-group-items', 'data-columns': columns }, ...members.map((view) => view.node));
    items.style.setProperty('--columns', columns);
    members.forEach((view) => this.pointTo(arrows, view));
    ids.push(...members.filter((view) => !view.thumbnail).map((view) => view.id));
    return element('div', { class: 'pic-group', role: 'group', 'aria-label': withoutMarkup(title) },
      element('div', { class: 'pic-group-title' }, ...markup(title)), items);
  }

  /** The matrices of a band, line by line; null where a place is free. */
  lines(band) {
    return band.ids.map((line) => line.map((id) => this.views.get(id) || null));
  }

  /** An arrow is dimmed together with the matrix it points to. */
  pointTo(arrows, view) {
    view.arrows = arrows.splice(0);
  }

  // ---- sizes

  /** Gives every matrix its sizes for a room so wide and a picture so high (null: as high as it likes). */
  size(width, height, fit) {
    this.fonts();
    this.labels();
    const cell = this.cellWidth(width, fit);
    const coarse = this.phone && window.matchMedia('(pointer: coarse)').matches;
    const tall = coarse ? 41 : Math.min(Math.round(TALLEST * zoomOf(cell)), Math.max(LOWEST, cell));
    this.apply(width, cell, tall);
    if (height === null || this.phone) return;
    const rows = this.stackedRows();
    let over = this.figure.offsetHeight - height;
    if (tall - over / rows < AXES_FROM) {
      setFlag(this.figure, 'data-tight', true);
      over = this.figure.offsetHeight - height;
    }
    if (over > 0 && rows) this.apply(width, cell, Math.max(LOWEST - 3, Math.floor(tall - over / rows)));
  }

  fonts() {
    const style = getComputedStyle(this.figure);
    this.family = style.fontFamily;
  }

  /** Which matrices draw their row labels: not where the same ones stand already to their left. */
  labels() {
    setFlag(this.figure, 'data-tight', false);
    for (const band of this.bands) {
      const lines = this.lines(band);
      const specs = this.specsIn(band);
      setFlag(band.node, 'data-heads', specs.some((spec) => spec.cols.some(Boolean)));
      setFlag(band.node, 'data-axes', specs.some((spec) => spec.col_axis));
      for (const line of lines) {
        let known = '';
        for (const view of line) {
          if (!view) continue;
          const { rows, cols, names, row_axis: axis } = view.spec;
          const key = JSON.stringify(rows);
          const plain = rows.every((label, i) => label === '' || (label === String(i + 1) && !names && !axis));
          const wanted = names || (!plain && (key !== known || this.phone));
          if (!plain) known = key;
          view.labelled = Boolean(wanted);
          view.gutter = wanted ? this.labelWidth(view) : 0;
          // A column's label that a laptop's cell would cut is set smaller.
          view.colHeads.forEach((head, c) =>
            setFlag(head, 'data-long', textWidth(cols[c], `11px ${this.family}`) > WIDEST - 2));
        }
      }
      if (band.kind === 'grid') this.alignGutters(lines);
    }
  }

  specsIn(band) {
    return [...this.views.values()].filter((view) => !view.thumbnail && band.node.contains(view.node))
      .map((view) => view.spec);
  }

  labelWidth(view) {
    const widest = Math.max(...view.spec.rows.map((label) => textWidth(label, `13px ${this.family}`)));
    const label = Math.max(Math.ceil(widest) + (view.spec.names ? 22 : 10), view.spec.grow?.rows ? 44 : 0);
    return Math.min(LABEL_MOST, label) + (view.spec.row_axis ? AXIS : 0);
  }

  /** Cells of one column of matrices stand under one another. */
  alignGutters(lines) {
    if (this.phone) return;
    for (let c = 0; c < Math.max(...lines.map((line) => line.length)); c += 1) {
      const column = lines.map((line) => line[c]).filter(Boolean);
      const gutter = Math.max(...column.map((view) => view.gutter));
      for (const view of column) view.gutter = gutter;
    }
  }

  /** The width of a matrix whose cells are so wide. */
  viewWidth(view, cell) {
    const head = textWidth(withoutMarkup(view.spec.title), `600 16px ${this.family}`)
      + textWidth(withoutMarkup(view.spec.subtitle), `13px ${this.family}`) + (view.spec.menu.length ? 34 : 10);
    return Math.max(this.gutterOf(view, cell) + view.cols * this.cellOf(view, cell), head * zoomOf(cell));
  }

  gutterOf(view, cell) {
    return Math.round((view.gutter || 0) * zoomOf(cell));
  }

  /** Texts need more room than numbers. */
  cellOf(view, cell) {
    if (view.spec.kind !== 'text') return cell;
    const widest = Math.max(0, ...(view.spec.values || []).flat().map((text) => textWidth(text, `13px ${this.family}`)));
    return Math.max(cell, Math.ceil((widest + 12) * zoomOf(cell)));
  }

  cellWidth(width, fit) {
    if (this.phone) return WIDEST;
    let cell = Math.round(WIDEST * largest());
    while (cell > NARROWEST && this.bands.some((band) => this.bandWidth(band, cell, fit) > width)) cell -= 1;
    return cell;
  }

  bandWidth(band, cell, fit) {
    if (band.kind === 'grid') {
      const widths = this.columnWidths(band, cell);
      return widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1);
    }
    const widths = this.lines(band)[0].map((view) => this.viewWidth(view, cell) + (view.spec.grow?.cols ? EDGE : 0));
    if (!fit && cell < 36) return Math.max(0, ...widths);
    const others = [...band.node.children].filter((node) => !node.matches('.pic-box'));
    const inGroups = [...band.node.querySelectorAll('.pic-group .pic-box[data-size="normal"]')];
    const fixedPart = others.reduce((sum, node) => sum + this.fixedWidth(node, cell), 0) - inGroups.length;
    return widths.reduce((sum, one) => sum + one, 0) + fixedPart + 8 * band.node.children.length;
  }

  /** The room of an arrow or of a group's thumbnails. */
  fixedWidth(node, cell) {
    if (node.matches('.pic-arrow')) return ((node.scrollWidth || 40) / this.zoom) * zoomOf(cell);
    const columns = Number(node.querySelector('[data-columns]')?.dataset.columns) || Infinity;
    const thumbnails = [...node.querySelectorAll('.pic-box[data-size="thumbnail"]')].slice(0, columns);
    return (thumbnails.reduce((sum, one) => sum + one.offsetWidth + 8, 0) / this.zoom) * zoomOf(cell);
  }

  columnWidths(band, cell) {
    const lines = this.lines(band);
    const count = Math.max(...lines.map((line) => line.length));
    return Array.from({ length: count }, (_, c) =>
      Math.max(0, ...lines.map((line) => (line[c] ? this.viewWidth(line[c], cell) : 0))));
  }

  stackedRows() {
    return this.bands.flatMap((band) => this.lines(band)).reduce(
      (sum, line) => sum + Math.max(0, ...line.filter(Boolean).map((view) => view.rows)), 0);
  }

  apply(width, cell, tall) {
    this.zoom = zoomOf(cell);
    this.figure.style.setProperty('--zoom', this.zoom);
    this.numbers = cell >= NUMBERS_WIDTH && tall >= NUMBERS_HEIGHT;
    for (const view of this.views.values()) {
      if (view.thumbnail) this.sizeThumbnail(view);
      else this.sizeView(view, cell, tall);
    }
    for (const band of this.bands) {
      if (band.kind !== 'grid') continue;
      const widths = this.columnWidths(band, cell);
      const spare = width - widths.reduce((sum, one) => sum + one, 0);
      const gap = Math.min(GAP_MOST, Math.max(6, spare / Math.max(1, widths.length - 1)));
      band.node.style.columnGap = `${gap}px`;
    }
  }

  sizeView(view, width, tall) {
    const cell = this.cellOf(view, width);
    const gutter = this.gutterOf(view, width);
    const numbers = view.spec.kind === 'text' || (cell >= NUMBERS_WIDTH && tall >= NUMBERS_HEIGHT);
    view.showNumbers = numbers;
    const { style } = view.node;
    style.setProperty('--w', `${cell}px`);
    style.setProperty('--h', `${tall}px`);
    style.setProperty('--label', `${gutter}px`);
    style.setProperty('--zoom', zoomOf(width));
    style.setProperty('--font', `${Math.min(14 * zoomOf(width), Math.max(9, Math.min(cell / 3.1, tall * 0.6)))}px`);
    setFlag(view.node, 'data-colours', !numbers);
    setFlag(view.node, 'data-no-labels', !gutter);
    setFlag(view.node, 'data-silent', gutter && !view.labelled); // room for the labels of those above or below
    setFlag(view.node, 'data-sparse', cell < 20);
    setFlag(view.node, 'data-row-axis', view.labelled && view.spec.row_axis);
  }

  sizeThumbnail(view) {
    const cell = Math.round(this.zoom * Math.min(12, Math.max(4, Math.floor(72 / Math.max(view.rows, view.cols)))));
    view.node.style.setProperty('--w', `${cell}px`);
    view.node.style.setProperty('--h', `${cell}px`);
    view.showNumbers = false;
    setFlag(view.node, 'data-colours', true);
  }
}
