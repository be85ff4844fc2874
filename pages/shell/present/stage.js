// What a class sees of a part: its figures and its questions, as large as the window permits. All else is aside, and a
// key shows it.
//
// A unit is a figure or a question with what belongs to it: the server puts a container around it (see ask/blocks.py). A
// page has as many units as fit with numbers that can be read: a question with the figures after it, or if it has none
// with the figure before it. The next units are on the next page. A picture that is too large for a page shows some of
// its bands on each of several pages. All figures of a page grow or shrink alike: a picture is told its height (see
// space.js), and a chart is enlarged (see page.css).

const PART = '.st-key-numbers';
const UNIT = '[class*="st-key-unit-"]';
const ASIDE = '[class*="st-key-aside-"], [class*="st-key-menu-"]';
const SAID = '.st-key-problems, .st-key-keep, .st-key-replaced, .st-key-vote_above';
const ASK = 'st-key-ask-';
export const CARD = `[class*="${ASK}"]`;
const PLOT = '[class*="st-key-plot-"], [class*="st-key-ghost-"], [class*="st-key-asked-"]';
const FIGURE = '.pic, .stVegaLiteChart';
const LEAF = '[data-testid=stElementContainer], [data-testid=stExpander]';
const READ = 0.02; // of the window's height: the smallest type
const CHART_TYPE = 15; // px: that of a chart (see draw/charts/theme.py)
const BELOW = 3; // px left free below all
const ENOUGH = 8; // px that may be left
const TRIES = 6;
const ROUGHLY = 3; // tries that tell whether it can be read
const PLOT_TYPE = 11; // units of a plot's drawing: its smallest type (see picture/vectors.js)
const DRAWN = 40; // px: a chart that is lower is not drawn yet,
const CHART_HEIGHT = 260; // and will be so high
const NARROWEST = 460; // px: a chart's own width
const LARGEST = 3.2; // times as large as a chart is drawn
const MANY = 16; // rows of a matrix whose labels may be smaller
const ALONE = [1.6, 1.4, 1.2]; // times as large as usual: a question without a figure

const height = (node) => node.getBoundingClientRect().height;

/** A picture that is nothing but numbers to set, or thumbnails that a text explains. */
const isControl = (figure) => figure.matches('.pic') && !figure.querySelector('.pic-plots:not([hidden]), .pic-arcs:not([hidden])')
  && [...figure.querySelectorAll('.pic-box')].every((box) => box.matches('[data-size=thumbnail]:not([role=button])') || box.querySelectorAll('.pic-cell').length <= 1);

const allFiguresIn = (node) => [...node.querySelectorAll(FIGURE)].filter((figure) => !isControl(figure));

/** The figures in a node that are on the page. */
const figuresIn = (node) => allFiguresIn(node).filter((figure) => figure.checkVisibility());

/** The name of a card's question. */
export const nameOf = (card) => [...card.classList].find((name) => name.startsWith(ASK))?.slice(ASK.length);

/** A node with the wrapper that Streamlit puts around it. */
const outer = (node) => node.closest('[data-testid=stLayoutWrapper], [data-testid=stElementContainer]') ?? node;

/** A question on which the class votes: its page is shown unless another page was turned to. */
const VOTING = '[class*=st-key-vote_close-] button:enabled';

const cardOf = (unit) => unit?.querySelector(CARD);

export const isOpenCard = (card) => !card.querySelector('[class*="st-key-verdict-"]');

/** @typedef {{ units: HTMLElement[], bands: [number, number] | null }} StagePage bands: the first and the last one that it shows */

/** The units of a part, and what is aside. */
class Parts {
  constructor(root) {
    this.units = /** @type {HTMLElement[]} */ ([]);
    this.aside = new Set();
    for (const child of root.children) this.look(child);
    if (!this.units.some((unit) => cardOf(unit) || unit.querySelector(FIGURE))) this.aside.clear();
  }

  /** Whether anything of the node is shown. */
  look(node) {
    const kept = node.matches(SAID) || this.isUnit(node) || [...node.children].map((child) => this.look(child)).some(Boolean);
    if (!kept) this.aside.add(node);
    return kept;
  }

  isUnit(node) {
    if (!node.querySelector(`:scope > ${UNIT}`)) return false;
    this.units.push(node);
    for (const inside of node.querySelectorAll(ASIDE)) this.aside.add(outer(inside));
    return true;
  }
}

export class Stage {
  constructor(changed) {
    this.changed = changed; // called when something else is shown
    this.aside = new Set();
    this.units = /** @type {HTMLElement[]} */ ([]);
    this.pages = /** @type {StagePage[]} */ ([]);
    this.page = 0;
    // The first unit of the page that somebody turned to or used. null: the first page is shown, since the units of a part
    // may arrive in any order.
    this.from = /** @type {HTMLElement | null} */ (null);
    this.fromBand = 0;
    this.led = /** @type {HTMLElement | null} */ (null); // the unit that grows with the steps, while they are walked
    this.whole = false; // all is shown
    this.key = '';
    this.open = new Set(); // the questions without an answer
    this.split = new WeakMap(); // unit → its key when it was split up, and its pages
    this.overs = 0; // how often something had grown too high
    this.end = 0; // of the page, after it was placed
    let free = 0; // ms: when the next update may begin: while a page is drawn, updates leave time for it
    const later = () => {
      this.frame ??= setTimeout(() => requestAnimationFrame(() => {
        this.frame = null;
        const begin = performance.now();
        this.update();
        free = 2 * performance.now() - begin;
      }), Math.max(0, free - performance.now()));
    };
    this.later = later;
    this.sizes = new ResizeObserver(later);
    this.nodes = new MutationObserver((changes) => {
      if (changes.some(({ target }) => !(/** @type {Element} */ (target).closest?.('.pic, svg')))) later();
    });
    window.addEventListener('resize', later);
    this.nodes.observe(document.body, { childList: true, subtree: true });
    later();
  }

  get root() {
    return document.querySelector(PART);
  }

  close() {
    window.removeEventListener('resize', this.later);
    clearTimeout(this.frame);
    this.isClosed = true;
    this.nodes.disconnect();
    this.sizes.disconnect();
    this.free();
    for (const node of [...this.aside, ...this.units]) delete node.dataset.aside;
    delete document.documentElement.dataset.rest;
  }

  // ---- what is shown

  update() {
    const { root } = this;
    if (!root || this.isClosed) return;
    const { units, aside } = new Parts(root);
    // A unit that stays one is shown or not as its page was placed.
    for (const node of [...this.aside, ...this.units]) if (!aside.has(node) && !units.includes(node)) delete node.dataset.aside;
    for (const node of aside) node.dataset.aside = '';
    this.aside = aside;
    this.take(units);
    // What is above the part becomes lower or higher.
    const around = root.parentElement?.closest('[data-testid=stVerticalBlock]');
    for (const node of [...(around ? [around] : []), ...root.querySelectorAll(`${FIGURE}, ${CARD}`)]) this.sizes.observe(node);
    this.place();
    this.changed();
  }

  /** The page stays; a question that was answered a moment ago is on it. */
  take(units) {
    const cards = units.flatMap((unit) => [...unit.querySelectorAll(CARD)]);
    const answered = cards.filter((card) => !isOpenCard(card));
    const fresh = units.find((unit) => answered.some((card) => this.open.has(nameOf(card)) && unit.contains(card)));
    if (fresh) [this.from, this.fromBand, this.led] = [fresh, 0, null];
    this.open = new Set(cards.filter(isOpenCard).map(nameOf));
    this.units = units;
  }

  /** Sizes all again, if something has changed that counts. */
  place() {
    const shapes = this.units.flatMap(allFiguresIn).map(shapeOfFigure);
    const cards = this.units.map((unit) => (cardOf(unit) ? Math.round(cardOf(unit).textContent.length / 20) : 0));
    const key = JSON.stringify([innerWidth, innerHeight, this.top(), this.whole, this.units.map(idOf), shapes, cards, [...this.open], this.voting()]);
    if (key === this.key && !this.isOver()) return;
    if (key !== this.key) this.overs = 0;
    this.key = key;
    if (this.whole) this.free();
    else this.paginate();
    this.end = this.bottom();
  }

  /** Whether the page has grown too high. What does not fit at all is not tried for ever. */
  isOver() {
    if (this.whole || !this.pages.length) return false;
    const bottom = this.bottom();
    return bottom > innerHeight + 1 && (this.overs += 1) < (bottom === this.end ? 3 : 10);
  }

  /** Fills pages with units, and shows the first one with `from`. */
  paginate() {
    this.pages = [];
    let begin = 0;
    while (begin < this.units.length) {
      let end = begin + 1;
      while (end < this.units.length && !this.hasCard(this.units[end])) end += 1;
      if (!this.hasCard(this.units[begin]) && this.isBare(end) && this.fits(begin, end + 1)) end += 1;
      else end = this.shrink(begin, end);
      const repeats = begin && end === begin + 1 && this.isBare(begin) && !this.hasCard(this.units[begin - 1])
        && !this.units[begin].querySelector('table') && this.fits(begin - 1, end);
      const units = this.units.slice(repeats ? begin - 1 : begin, end);
      for (const bands of end === begin + 1 && !repeats ? this.bandsOf(begin) : [null]) this.pages.push({ units, bands });
      begin = end;
    }
    if (this.led) [this.from, this.fromBand] = [this.led, Infinity];
    const from = this.units.find((unit) => unit === this.from) ?? this.units[this.voting()];
    const mine = this.pages.filter(({ units }) => from && units.includes(from));
    const page = mine.find(({ bands }) => !bands || bands[1] >= this.fromBand) ?? mine[mine.length - 1];
    this.show(Math.max(0, this.pages.indexOf(page)));
  }

  /** For each page of a unit its bands, as many as can be read together; null where all of the unit can be. */
  bandsOf(number) {
    const unit = this.units[number];
    const pictures = figuresIn(unit).filter((figure) => figure.matches('.pic'));
    const count = pictures[0]?.querySelectorAll('.pic-band').length;
    if (pictures.length !== 1 || !count || count < 2) return [null];
    const key = String([innerWidth, innerHeight, this.top(), ...allFiguresIn(unit).map(shapeOfFigure)]);
    if (key !== this.split.get(unit)?.key) this.split.set(unit, { key, pages: this.splitUp(number, count) });
    return this.split.get(unit)?.pages;
  }

  /** The same, where the unit is as it was. */
  splitUp(number, count) {
    if (this.fits(number, number + 1)) return [null];
    const pages = /** @type {[number, number][]} */ ([]);
    for (let first = 0; first < count; first = pages[pages.length - 1][1] + 1) {
      let last = first ? count - 1 : count - 2;
      while (last > first && !this.fits(number, number + 1, [first, last], ROUGHLY)) last -= 1;
      pages.push([first, last]);
    }
    return pages;
  }

  /** The place of the unit with a question on which the class votes, or −1. */
  voting() {
    return this.units.findIndex((unit) => unit.querySelector(VOTING));
  }

  hasCard(unit) {
    return Boolean(cardOf(unit));
  }

  /** The end of a page that fits. An answer leaves out its reason where the figure would not fit otherwise. */
  shrink(begin, end) {
    const card = cardOf(this.units[begin]);
    if (card) delete card.dataset.brief;
    let last = end;
    while (!this.fits(begin, last) && last > begin + 1) last -= 1;
    if (last > begin + 1 || last === end || !card || isOpenCard(card)) return last;
    card.dataset.brief = '';
    for (last = end; last > begin + 1; last -= 1) if (this.fits(begin, last)) return last;
    delete card.dataset.brief;
    return last;
  }

  /** Whether it is a question that has no figure, neither its own nor one that the answer has brought. */
  isBare(number) {
    const [card, next] = this.units.slice(number, number + 2);
    if (!cardOf(card) || allFiguresIn(card).length) return false;
    return isOpenCard(card) || !next || this.hasCard(next);
  }

  show(number) {
    this.page = Math.min(number, Math.max(0, this.pages.length - 1));
    const { units, bands } = this.pages[this.page] ?? { units: [], bands: null };
    const begin = this.units.indexOf(units[0]);
    this.fits(begin, begin + units.length, bands);
    if (this.from) this.stay();
    const main = document.querySelector('[data-testid=stMain]');
    if (main) main.scrollTop = 0;
  }

  /** Keeps this page on the screen, whatever arrives before it. */
  stay() {
    const { units, bands } = this.pages[this.page] ?? { units: [], bands: null };
    // What a page repeats is before a question.
    [this.from, this.fromBand] = [units.find((unit) => this.hasCard(unit)) ?? units[0] ?? null, bands?.[0] ?? 0];
  }

  /** Another page of the part; false if there is none. */
  turn(way) {
    const number = this.page + way;
    if (this.whole || number < 0 || number >= this.pages.length) return false;
    this.led = null;
    this.show(number);
    this.stay();
    this.changed();
    return true;
  }

  /** Turns to the page with the step that a walk has reached. */
  follow() {
    const band = document.querySelector('.pic-box[data-step]')?.closest('.pic-band[data-aside]');
    if (!band) return;
    const place = [...(band.parentElement?.children ?? [])].indexOf(band);
    const number = this.pages.findIndex(({ units, bands }) => bands && units[0].contains(band) && bands[1] >= place);
    if (number >= 0) this.turn(number - this.page);
  }

  /** Turns to the last page of the unit with the button of a step, which adds to its figure, and with each step again. */
  lead(button) {
    const led = this.units.find((unit) => unit.contains(button)) ?? null;
    const number = this.pages.map(({ units }) => led !== null && units.includes(led)).lastIndexOf(true);
    if (number >= 0) this.turn(number - this.page);
    this.led = led;
    // An update that still waits may find an answer that was there already: the page must not turn back to it.
    this.open = new Set([...(this.root?.querySelectorAll(CARD) ?? [])].filter(isOpenCard).map(nameOf));
  }

  get hasNext() {
    return !this.whole && this.page < this.pages.length - 1;
  }

  /** Shows all of the part, or its subject alone. */
  toggle() {
    this.whole = !this.whole;
    document.documentElement.toggleAttribute('data-rest', this.whole);
    this.update();
  }

  // ---- sizes

  free() {
    for (const unit of this.units) {
      for (const name of ['aside', 'brief', 'alone']) delete unit.dataset[name];
      delete cardOf(unit)?.dataset.brief;
      showBands(unit, null);
      for (const figure of unit.querySelectorAll(FIGURE)) this.tell(figure, null);
    }
  }

  /** A picture's height, or how many times a chart is enlarged; null: as large as it likes. */
  tell(figure, size) {
    if (figure.matches('.pic')) {
      if (size === null) delete figure.dataset.room;
      else figure.dataset.room = String(Math.floor(size));
      figure.style.setProperty('--room', `${size ?? 0}px`);
      figure.dispatchEvent(new Event('room'));
      return;
    }
    const place = chartPlace(figure);
    if (size === null) place.style.removeProperty('--chart');
    else place.style.setProperty('--chart', size.toFixed(3));
  }

  get scrolled() {
    return document.querySelector('[data-testid=stMain]')?.scrollTop ?? 0;
  }

  /** The begin of the part, from the top of the window. */
  top() {
    return Math.round((this.root?.getBoundingClientRect().top ?? 0) + this.scrolled);
  }

  /** The end of what is on the page, from the top of the window. */
  bottom() {
    const all = [...this.root?.querySelectorAll(`${LEAF}, .st-key-keep, ${CARD}`) ?? []];
    const shown = all.filter((node) => node.checkVisibility());
    return Math.max(0, ...shown.map((node) => node.getBoundingClientRect().bottom)) + this.scrolled;
  }

  /**
   * Shows the units from begin to end in the window, with these bands; whether they fit, and can be read.
   * @param {number} begin
   * @param {number} end
   * @param {number[] | null} [bands]
   * @param {number} [tries]
   */
  fits(begin, end, bands = null, tries = TRIES) {
    const { units } = this;
    for (const unit of units.slice(begin, end)) showBands(unit, bands);
    units.forEach((unit, i) => { unit.toggleAttribute('data-aside', i < begin || i >= end); });
    const figures = units.slice(begin, end).flatMap(figuresIn);
    for (const figure of figures) this.tell(figure, null);
    for (const unit of units) delete unit.dataset.alone;
    if (!figures.length) return this.enlarge(units.slice(begin, end));
    const base = Number(getComputedStyle(document.documentElement).getPropertyValue('--chart')) || 1;
    const isDrawn = (figure) => figure.matches('.pic') || height(figure) > DRAWN;
    const heightOf = (figure) => (isDrawn(figure) ? height(figure) : CHART_HEIGHT * base);
    const own = figures.map(heightOf);
    const room = innerHeight - BELOW;
    let [sizes, best, before] = [own, /** @type {number[] | null} */ (null), own];
    const states = new Set();
    for (let time = 0; time < tries; time += 1) {
      const heights = figures.map(heightOf);
      // What did not follow the last size will not follow the next.
      const follows = time ? figures.filter((figure, i) => heights[i] !== before[i]) : figures;
      const used = this.rows(follows).reduce((sum, row) => sum + Math.max(...row.map(heightOf)), 0);
      const free = room - this.bottom();
      const state = String([free, ...heights]);
      if (time && free >= 0) best = sizes;
      // It fills the window, or can use no more, or cannot be smaller.
      if (time && ((free >= 0 && free <= ENOUGH) || states.has(state))) break;
      states.add(state);
      before = heights;
      const share = Math.max(free / Math.max(1, used), -0.95);
      // A picture may use less than it was told, for its rows have whole pixels, and more, below its plots.
      const grown = (figure, i) => (share > 0 && time ? sizes[i] : Math.min(sizes[i], heights[i])) + share * heights[i];
      sizes = figures.map(grown);
      this.tellAll(figures, sizes, own, base);
    }
    if (best && this.bottom() > innerHeight) this.tellAll(figures, best, own, base);
    return this.bottom() <= innerHeight + 1 && figures.every(isRead);
  }

  /** Questions without figures fill the window, too. */
  enlarge(units) {
    if (this.bottom() > innerHeight) return false;
    for (const unit of units) unit.dataset.alone = '';
    const holds = (times) => {
      for (const unit of units) unit.style.setProperty('--alone', String(times));
      return this.bottom() <= innerHeight - BELOW;
    };
    ALONE.some(holds) || holds(1);
    return true;
  }

  tellAll(figures, sizes, own, base) {
    figures.forEach((figure, i) => {
      const most = Math.min(LARGEST, (figure.closest(LEAF)?.getBoundingClientRect().width ?? 0) / NARROWEST);
      this.tell(figure, figure.matches('.pic') ? sizes[i] : Math.min(Math.max(base, most), (base * sizes[i]) / own[i]));
    });
  }

  /** The figures that are side by side. */
  rows(figures) {
    const rows = [];
    let bottom = -Infinity;
    for (const figure of [...figures].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)) {
      const box = figure.getBoundingClientRect();
      if (box.top < bottom - 8) rows[rows.length - 1].push(figure);
      else rows.push([figure]);
      bottom = Math.max(bottom, box.bottom);
    }
    return rows;
  }
}

/** Shows these bands of the unit's pictures; null: all. They are drawn with the next size. */
function showBands(unit, bands) {
  for (const figure of unit.querySelectorAll('.pic-figure')) {
    if (bands && figure.childElementCount > 1) figure.dataset.bands = bands.join(' ');
    else delete figure.dataset.bands;
  }
}

/** What a picture's or a chart's size depends on. */
function shapeOfFigure(figure) {
  return figure.matches('.pic') ? figure.querySelectorAll('.pic-cell').length : String(Boolean(figure.querySelector('svg.marks')));
}

const chartPlace = (figure) => figure.closest(PLOT) ?? figure.closest(LEAF);

/** Whether the numbers of the figure can be read from the last row. */
function isRead(figure) {
  if (!figure.matches('.pic')) {
    const times = Number(chartPlace(figure).style.getPropertyValue('--chart'));
    return !times || CHART_TYPE * times >= READ * innerHeight - 0.1;
  }
  for (const plot of figure.querySelectorAll('.pic-plot svg')) {
    if ((PLOT_TYPE * plot.getBoundingClientRect().width) / plot.viewBox.baseVal.width < READ * innerHeight - 0.1) return false;
  }
  // Where a matrix shows colours only, its labels are read; they are as high as its rows.
  const boxes = [...figure.querySelectorAll('.pic-band:not([data-aside]) .pic-box:not([data-size=thumbnail])')];
  const typeOf = (box) => parseFloat(box.style.getPropertyValue(!box.matches('[data-colours]') ? '--font' : '--h'));
  return boxes.every((box) => box.querySelectorAll('.pic-row').length > MANY || typeOf(box) >= READ * innerHeight - 0.5);
}

const ids = new WeakMap();
let last = 0;

function idOf(node) {
  if (!ids.has(node)) ids.set(node, last += 1);
  return ids.get(node);
}
