// Where the matrices are, and how large their cells are. Sizes are computed again only when the shapes or the
// room change, never while the hand moves a number.
//
// A picture with no more than READABLE cells has a number on each of them. Where its bands are then wider than the
// room they go on in another line, and where it is higher than the window the page scrolls. What is larger fits its
// window with cells that show colours only.

import { textWidth } from './canvas.js';
import { setFlag, setText, shortLabels, shortName, withoutMarkup } from './markup.js';
import { Places } from './places.js';
import { largest, longType, presentedType, roomsOf, typeOf, WIDEST, zoomOf } from './sizes.js';

const NARROWEST = 12;
const NARROWEST_ON_PHONE = 8;
const TALLEST = 31;
const LOWEST = 9;
const READABLE = 1200; // cells
// Of a thumbnail, in px: its size, its smallest cell, and what is left free next to it, where there are few or many: in
// many too, a diagonal is to be distinguished from the one below it.
const FEW_THUMBNAILS = { side: 72, least: 4, beside: 8 };
const MANY_THUMBNAILS = { side: 64, least: 3, beside: 2 };
const MANY_ON_PHONE = { side: 76, least: 3, beside: 2 };
const MANY_IN_LOW_WINDOW = { side: 48, least: 3, beside: 2 }; // presented: all of them are in sight
const LOW_WINDOW = 800;
const FEW = 24;
const NUMBERS_WIDTH = 27; // narrower or lower cells show colours only
const MARKS_WIDTH = 15; // the same of ✓ and ×
const NUMBERS_HEIGHT = 17;
const READ_HEIGHT = 24; // rows are lower only where there are many, and all of them are in sight that way
const PRESENTED_LOW = READ_HEIGHT / 1080; // of the window's height
const NARROW = 20; // columns, above which no word fits
const SPACIOUS = 36; // narrower cells only where all of a picture should be in sight
const WEIGHTS = 1.2; // times as wide as other cells
const TOUCH = 41; // how high a cell is that a finger changes
const LABEL_MOST = 112;
const LABEL_MOST_PRESENTED = 160;
const TEXT_EDGES = 12; // next to a text in a cell
const PRESENTED_EDGES = 4; // the same before a class
const NAME_EDGES = { plain: 10, typed: 12, removed: 30 }; // next to a name; with room for × where its row can go
// Presented to a class, all fills the window.
const PRESENTED = 4; // times as wide as otherwise, at most, where the picture fits its window
const PRESENTED_ALONE = 1.6; // and where it does not
// Of the cells, as in arrange: the first that gives numbers about as large as any, in rows that are not low. small: the
// labels are no larger than they have to be, which leaves more height for the numbers.
const PRESENTED_WIDTHS = [
  { least: 36, most: Infinity },
  { least: 36, most: Infinity, small: true },
  { least: 48, most: 48 },
  { least: 60, most: Infinity },
];
const ENOUGH = 0.92; // of the size of the largest numbers
const ROOMY = 1.35; // times the size of the numbers: a row that is not low
const PRESENTED_HEIGHT = 28; // before the page scrolls
const FEW_QUERIES = 6; // so many are always in sight together
const DENSE = 12; // rows or columns of a matrix whose colours are enough where its numbers could not be read
const PRESENTED_TYPE = 0.02; // of the window's height: the smallest type
const DETAIL = 13; // px: a label
const AXIS = 15; // the name of an axis
const BESIDE_HEADS = 12; // that of the rows may be as much longer than these
const GAP = 20; // between two columns of matrices
const GAP_LEAST = 6;
const GAP_MOST = 36;
const FLOW_GAP = 8;
const PRESENTED_GAP = 4;
const ARROW = 34;
const ARROW_ALONE = 14; // presented, where the next matrix says what the arrow does
const EDGE = 16; // of + and − at the right of a matrix, next to the next one of a flow
const PRESENTED_EDGE = 1.5; // the same before a class, times the smallest type

export class Layout extends Places {
  family = ''; // of the type
  least = 0; // px that any type has at least
  width = 0; // px of the room
  gap = FLOW_GAP;
  largestZoom = Infinity; // of labels
  textType = Infinity; // px that the type of texts has at most
  thumbnails = FEW_THUMBNAILS;

  // ---- sizes

  /**
   * Gives every matrix its sizes for a room so wide. height: what is left for the figure, asked once all is written
   * (null: it is as high as it likes). large: it is presented to a class.
   */
  size(width, height, fit, large) {
    this.large = large && !this.phone;
    this.width = width;
    this.gap = this.large ? PRESENTED_GAP : FLOW_GAP;
    this.least = this.large ? PRESENTED_TYPE * window.innerHeight : 0;
    this.figure.style.setProperty('--least', `${this.least}px`);
    this.measure();
    if (!this.large || height === null) {
      this.arrange(width, height, fit, this.large ? PRESENTED_WIDTHS[0] : { least: NUMBERS_WIDTH, most: Infinity });
      return;
    }
    const tried = [];
    for (const widths of PRESENTED_WIDTHS) {
      const isLow = tried.length > 0 && tried[0].tall < ROOMY * tried[0].type; // more lines would leave less height
      if (!tried.length || (isLow ? widths.least < 60 : !widths.small)) tried.push({ widths, ...this.arrange(width, height, fit, widths) });
    }
    const most = Math.max(...tried.map(({ type }) => type));
    const readable = tried.filter(({ type }) => type >= Math.min(most, Math.max(this.least, ENOUGH * most)));
    const tallest = Math.max(...readable.map(({ tall }) => tall));
    const best = readable.find(({ type, tall }) => tall >= Math.min(tallest, ROOMY * type)) ?? tried[0];
    // Where rows stay low, large labels would only take the room that the page may give to them next.
    const isLow = best.tall < ROOMY * best.type;
    const small = isLow ? readable.find(({ widths, tall }) => widths.small && tall >= best.tall) : null;
    this.arrange(width, height, fit, (small ?? best).widths);
    const hasMany = this.shown.some((band) => this.viewsIn(band).some((view) => view.rows > DENSE));
    const isHigh = hasMany && this.figure.offsetHeight > height() + 1;
    const isWide = this.shown.some((band) => this.widest(band, NUMBERS_WIDTH) > width);
    if (!this.readable || !(isHigh || isWide)) return;
    this.readable = false;
    this.arrange(width, height, fit, PRESENTED_WIDTHS[0]);
  }

  /** widths: of the cells before a band goes on in another line. Returns the size of the numbers, and how high rows are. */
  arrange(width, height, fit, widths) {
    this.largestZoom = widths.small ? this.least / DETAIL : Infinity;
    const cell = Math.min(widths.most, this.cellWidth(width, fit, widths.least));
    for (const band of this.shown) this.place(band, width, cell);
    const tall = this.phone ? TALLEST : Math.min(Math.round(TALLEST * zoomOf(cell)), Math.max(NARROWEST, cell));
    this.apply(width, cell, tall);
    if (height === null || this.phone) return { type: this.typeOf(cell, tall), tall };
    const free = height();
    const over = this.heightDrawn() - free;
    const rows = this.stackedRows();
    if (!rows || (over <= 0 && !this.large)) return { type: this.typeOf(cell, tall), tall };
    const wanted = Math.min(cell, Math.floor(tall - over / rows));
    const lowest = this.lowest();
    // Where the lowest rows with digits would not fit either, the page scrolls, and they may as well be read.
    const scrolls = this.readable && !this.large && wanted < lowest;
    const fitting = Math.max(lowest, scrolls ? Math.min(tall, READ_HEIGHT) : wanted);
    this.apply(width, cell, fitting);
    return { type: this.typeOf(cell, fitting), tall: fitting };
  }

  /** How high the figure is; many thumbnails may go on below the matrix next to them, whose rows cannot change that. */
  heightDrawn() {
    const { thumbnails, figure } = this;
    if (this.large || thumbnails === FEW_THUMBNAILS) return figure.offsetHeight;
    const top = figure.getBoundingClientRect().top;
    return Math.max(0, ...this.shown.flatMap((band) => this.viewsIn(band)).map((view) => view.node.getBoundingClientRect().bottom - top));
  }

  typeOf(cell, tall) {
    return this.large ? presentedType(cell, tall, this.digit, this.least) : typeOf(cell, tall);
  }

  /** How low the cells may be before the page scrolls. */
  lowest() {
    if (!this.readable) return LOWEST;
    if ([...this.views.values()].every((view) => !view.spec.query_rows || view.rows <= FEW_QUERIES)) {
      return this.large ? Math.max(NUMBERS_HEIGHT, PRESENTED_LOW * window.innerHeight) : READ_HEIGHT;
    }
    return this.large ? PRESENTED_HEIGHT : NUMBERS_HEIGHT;
  }

  /** How wide the texts are: asked once a layout. */
  measure() {
    this.chooseBands();
    const shown = new Set(this.shown.flatMap((band) => this.viewsIn(band)));
    this.digit = textWidth('0', `100px ${this.family}`) / 100; // of the size of the type
    let [cells, small] = [0, 0];
    for (const view of this.views.values()) {
      const { spec } = view;
      if (view.thumbnail) small += 1;
      else if (shown.has(view)) cells += view.rows * view.cols;
      view.headWidth = textWidth(withoutMarkup(spec.title), `600 16px ${this.family}`)
        + textWidth(withoutMarkup(spec.subtitle), `13px ${this.family}`) + (view.menu.hidden ? 10 : this.phone ? 54 : 38);
      view.rowsKey = this.isPlain(view) ? '' : JSON.stringify(spec.rows);
      view.labelRoom = this.labelWidth(view);
      const words = spec.kind === 'text' ? (spec.values || []).flat() : [];
      view.textWidth = Math.max(0, ...words.map((text) => textWidth(text, `13px ${this.family}`)));
    }
    this.readable = this.phone || (cells <= READABLE && small <= FEW);
    const isLow = this.large && window.innerHeight < LOW_WINDOW;
    this.thumbnails = small <= FEW ? FEW_THUMBNAILS : this.phone ? MANY_ON_PHONE : isLow ? MANY_IN_LOW_WINDOW : MANY_THUMBNAILS;
    this.figure.style.setProperty('--beside', `${this.thumbnails.beside}px`);
    for (const band of this.shown) {
      const specs = this.viewsIn(band).map((view) => view.spec);
      setFlag(band.node, 'data-heads', specs.some((spec) => spec.cols.some(Boolean)));
      setFlag(band.node, 'data-axes', specs.some((spec) => spec.col_axis));
    }
  }

  /** Rows that are only counted need no labels. */
  isPlain({ spec: { rows, names, row_axis: axis } }) {
    return rows.every((label, i) => label === '' || (label === String(i + 1) && !names && !axis));
  }

  labelWidth({ spec }) {
    const widest = Math.max(...spec.rows.map((label) => textWidth(label, `13px ${this.family}`)));
    const label = Math.max(Math.ceil(widest) + NAME_EDGES[!spec.names ? 'plain' : spec.grow?.rows?.remove ? 'removed' : 'typed'], spec.grow?.rows ? 44 : 0);
    return Math.min(this.large ? LABEL_MOST_PRESENTED : LABEL_MOST, label) + (spec.row_axis ? AXIS : 0);
  }

  /** Which matrices of a line draw their row labels: not where the same ones are already to their left. */
  label(line) {
    let known = '';
    for (const view of line) {
      if (!view) continue;
      view.labelled = Boolean(view.spec.names || (view.rowsKey && view.rowsKey !== known));
      view.gutter = view.labelled ? view.labelRoom : 0;
      known = view.rowsKey || known;
    }
  }

  // ---- the width of the cells

  /** As wide as they can be without more lines than the narrowest ones need. */
  cellWidth(width, fit, narrow) {
    const numbers = fit || this.phone ? narrow : SPACIOUS;
    const least = this.readable ? NUMBERS_WIDTH : NARROWEST;
    const floor = this.readable || !fit ? numbers : NARROWEST;
    for (const band of this.shown) this.fold(band, width, floor);
    const times = this.large ? (fit ? PRESENTED : PRESENTED_ALONE) : 1;
    let cell = Math.round((this.phone ? 40 : WIDEST) * largest() * times);
    while (cell > floor && !this.shown.every((band) => this.holds(band, width, cell))) cell -= 1;
    while (cell > least && this.shown.some((band) => this.widest(band, cell) > width)) cell -= 1;
    return cell;
  }

  /** The number of a band's lines: as few as the narrowest cells need; a grid's are of equal length. */
  fold(band, width, cell) {
    if (!band.grid) {
      band.most = this.flowLines(band, width, cell).length;
      return;
    }
    band.per = band.columns;
    while (band.per > 1 && this.gridWidth(band, cell, GAP_LEAST) > width) {
      const lines = Math.ceil(band.columns / band.per) + 1;
      band.per = Math.min(band.per - 1, Math.ceil(band.columns / lines));
    }
  }

  holds(band, width, cell) {
    if (band.grid) return this.gridWidth(band, cell, GAP) <= width;
    const lines = this.flowLines(band, width, cell);
    return lines.length <= band.most && lines.every((line) => this.lineWidth(line, cell) <= width);
  }

  /** The width of the widest matrix that cannot be made narrower by another line. */
  widest(band, cell) {
    if (band.grid) return band.per > 1 ? 0 : this.gridWidth(band, cell, GAP_LEAST);
    return Math.max(0, ...this.viewsIn(band).map((view) => this.viewWidth(view, cell)));
  }

  /** The width of a matrix whose cells are so wide. */
  viewWidth(view, cell) {
    const edge = !view.spec.grow?.cols ? 0 : this.large ? PRESENTED_EDGE * this.least : EDGE;
    const head = view.headWidth * this.zoomOfType(13, cell);
    return Math.max(this.gutterOf(view, cell) + view.cols * this.cellOf(view, cell) + edge, head);
  }

  /** How many times as large as on a laptop the labels of cells of this width are. */
  zoomOf(cell) {
    return Math.min(this.largestZoom, zoomOf(cell));
  }

  /** How many times as large a type of so many px is drawn next to cells of this width. */
  zoomOfType(px, cell) {
    return Math.max(this.zoomOf(cell), this.least / px);
  }

  gutterOf(view, cell) {
    return Math.round(view.gutter * this.zoomOfType(13, cell));
  }

  /**
   * Texts need more room than numbers, and the attention weights have more: they are the subject. On a phone all columns
   * are in sight, if need be as colours, unless a finger changes their numbers.
   */
  cellOf(view, cell) {
    if (this.phone && !view.textWidth && !view.spec.editable) {
      const fits = Math.floor((this.width - view.labelRoom) / view.cols);
      return fits < NARROWEST_ON_PHONE ? cell : Math.min(cell, fits);
    }
    const times = view.spec.kind === 'weights' && !this.phone && !this.large ? WEIGHTS : 1;
    const texts = view.textWidth && (view.textWidth + TEXT_EDGES) * this.zoomOfType(13, cell);
    return Math.max(Math.round(times * cell), Math.ceil(texts));
  }

  // ---- a grid: its columns side by side, `per` of them in a line, the others below

  gridWidth(band, cell, gap) {
    const widths = this.columnWidths(band, cell);
    return widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1);
  }

  /** Cells of one column of matrices are under one another. */
  columnWidths(band, cell) {
    const rows = this.gridRows(band);
    rows.forEach((row) => this.label(row));
    return Array.from({ length: band.per }, (_, c) => {
      const column = rows.map((row) => row[c]).filter(Boolean);
      const gutter = Math.max(0, ...column.map((view) => view.gutter));
      for (const view of column) view.gutter = gutter;
      return Math.max(0, ...column.map((view) => this.viewWidth(view, cell)));
    });
  }

  // ---- a flow: one after the other, and on in the next line

  /** The items line by line; an arrow stays with what it points to. */
  flowLines(band, width, cell) {
    const lines = /** @type {any[][]} */ ([[]]);
    band.items.forEach((item, i) => {
      const line = lines[lines.length - 1];
      if (line.length && !line[line.length - 1].arrow) {
        const both = item.arrow ? [item, band.items[i + 1]].filter(Boolean) : [item];
        if (this.lineWidth([...line, ...both], cell) > width) lines.push([]);
      }
      lines[lines.length - 1].push(item);
    });
    return lines;
  }

  lineWidth(line, cell) {
    this.label(this.viewsIn({ items: line }));
    return line.reduce((sum, item) => sum + this.itemWidth(item, cell), 0) + this.gap * (line.length - 1);
  }

  itemWidth({ ids, arrow, told, small = [], columns, title = '' }, cell) {
    if (arrow !== undefined) {
      const zoom = this.zoomOfType(13, cell);
      return zoom * (this.large && told ? ARROW_ALONE : Math.max(ARROW, textWidth(arrow, `13px ${this.family}`)));
    }
    const thumbnails = small.slice(0, columns).map((id) => this.thumbnailWidth(this.views.get(id), cell));
    const all = [...ids.map((id) => this.viewWidth(this.views.get(id), cell)), ...thumbnails];
    const heading = this.large ? textWidth(title, `13px ${this.family}`) * this.zoomOfType(13, cell) : 0;
    return Math.max(heading, all.reduce((sum, one) => sum + one, 0) + this.thumbnails.beside * (all.length - 1));
  }

  thumbnailWidth(view, cell) {
    return Math.max(view.cols * this.thumbnailCell(view, this.zoomOf(cell)), view.headWidth * 0.8 * this.zoomOfType(13, cell)) + 10;
  }

  thumbnailCell(view, zoom) {
    const { side, least } = this.thumbnails;
    return Math.round(zoom * Math.min(11, Math.max(least, Math.floor(side / Math.max(view.rows, view.cols)))));
  }

  // ---- writing it down

  /** Puts the matrices of a band into their lines, with their labels. */
  place(band, width, cell) {
    if (band.grid) {
      this.columnWidths(band, cell); // the labels of the lines as they are now
      this.gridRows(band).forEach((row, r) => row.forEach((view, c) => {
        if (view) view.node.style.gridArea = `${r + 1} / ${c + 1}`;
      }));
      return;
    }
    const lines = this.flowLines(band, width, cell);
    const begins = new Set(lines.slice(1).map(([first]) => first));
    for (const line of lines) this.label(this.viewsIn({ items: line }));
    for (const item of band.items) {
      setFlag(item.end, 'data-ends', begins.has(item));
      // A group that is wider than the room goes on below by itself: each of its matrices may begin a line.
      if (this.itemWidth(item, cell) > width) for (const id of item.ids) this.label([this.views.get(id)]);
    }
    band.lines = lines;
  }

  apply(width, cell, tall) {
    this.zoom = this.zoomOf(cell);
    this.figure.style.setProperty('--zoom', String(this.zoom));
    // All texts of a picture are as large as those with the least room.
    const written = this.shown.flatMap((band) => this.viewsIn(band)).filter((view) => view.textWidth);
    this.textType = Math.min(...written.map((view) => this.textTypeOf(view, cell)));
    for (const band of this.shown) {
      const views = this.viewsIn(band);
      const touched = this.phone && views.some((view) => view.spec.editable);
      for (const view of views) this.sizeView(view, cell, touched ? TOUCH : tall);
      if (!band.grid) continue;
      const widths = this.columnWidths(band, cell);
      const spare = width - widths.reduce((sum, one) => sum + one, 0);
      const gap = Math.min(GAP_MOST, Math.max(GAP_LEAST, spare / Math.max(1, widths.length - 1)));
      band.node.style.columnGap = `${gap}px`;
    }
    for (const view of this.views.values()) if (view.thumbnail) this.sizeThumbnail(view);
  }

  /** The size at which the texts of a matrix fill its cells. */
  textTypeOf(view, width) {
    return (13 * (this.cellOf(view, width) - PRESENTED_EDGES)) / view.textWidth;
  }

  largestType(view, width) {
    if (!this.large) return 14 * zoomOf(width);
    return Math.min(20 * zoomOf(width), view.textWidth ? this.textType : Infinity);
  }

  /** largestType: of the numbers, in px. */
  sizeView(view, width, tall, largestType = this.largestType(view, width)) {
    const cell = this.cellOf(view, width);
    const gutter = this.gutterOf(view, width);
    const zoom = this.zoomOf(width);
    const texts = this.large && view.textWidth ? this.textTypeOf(view, width) : Infinity;
    const type = Math.min(largestType, this.typeOf(cell, tall), texts);
    const isDense = Math.max(view.rows, view.cols) > DENSE && type < this.least - 0.5;
    const least = view.spec.kind === 'mask' ? MARKS_WIDTH : NUMBERS_WIDTH;
    const numbers = view.spec.kind === 'text' || (cell >= least && tall >= NUMBERS_HEIGHT && !isDense);
    view.showNumbers = numbers;
    view.cellSize = [cell, tall];
    view.room = roomsOf(cell, type, this.digit, view.spec.editable && !this.large, this.least);
    const { style } = view.node;
    const lengths = { w: cell, h: tall, label: gutter, right: gutter + view.cols * cell, font: type,
      long: Math.max(longType(cell), this.least) };
    for (const [name, px] of Object.entries(lengths)) style.setProperty(`--${name}`, `${px}px`);
    style.setProperty('--zoom', String(zoom));
    setFlag(view.node, 'data-colours', !numbers);
    setFlag(view.node, 'data-no-labels', !gutter);
    setFlag(view.node, 'data-silent', gutter && !view.labelled); // room for the labels of the matrices above or below
    setFlag(view.node, 'data-row-axis', view.labelled && view.spec.row_axis);
    const small = this.zoomOfType(11, width);
    this.headColumns(view, cell, small);
    this.nameAxis(view.rowAxis, view.spec.row_axis, (view.rows * tall) / small + BESIDE_HEADS);
    this.nameAxis(view.colAxis, view.spec.col_axis, (view.cols * cell) / small);
  }

  /** “query (attending)”, or where that is too long “query”. */
  nameAxis(node, name, room) {
    const fits = textWidth(name, `11px ${this.family}`) <= room;
    setText(node, fits ? name : shortName(name));
    node.title = fits ? '' : name;
  }

  /**
   * A column's label that its cell would cut is its first word, where that is enough; if need be set smaller. Above
   * narrow columns all labels are turned; of numbers, and of those that can be typed, some are left out.
   */
  headColumns(view, cell, zoom) {
    const room = cell - 2;
    const fits = (label) => textWidth(label, `11px ${this.family}`) * zoom <= room;
    const { cols } = view.spec;
    const short = cols.every(fits) ? cols : shortLabels(cols);
    const cut = (cell < NARROW || ((this.large || this.phone) && !view.showNumbers)) && !short.every(fits);
    const counted = cols.every((label, c) => label === String(c + 1));
    const turned = cut && !view.colLabels.length && !counted;
    const shown = turned ? cols : short;
    setFlag(view.node, 'data-turned', turned);
    setFlag(view.node, 'data-sparse', cut && !turned);
    view.colHeads.forEach((head, c) => {
      if (!view.colLabels.length) setText(head, shown[c]);
      setFlag(head, 'data-long', !fits(shown[c]));
    });
  }

  sizeThumbnail(view) {
    const cell = this.thumbnailCell(view, this.zoom);
    view.node.style.setProperty('--w', `${cell}px`);
    view.node.style.setProperty('--h', `${cell}px`);
    view.showNumbers = false;
    setFlag(view.node, 'data-colours', true);
  }
}
