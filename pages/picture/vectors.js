// Plots of vectors above the matrices: arrows from 0, points, and the area between points. A vector whose numbers can
// be edited is dragged by its end, or turned and made longer by the arrow keys: it is the same edit as in its cells.

import { HeldNumber } from './held_number.js';
import { element, fill, setFlag, setMarkup, setText } from './markup.js';
import { clean, shortText } from './numbers.js';
import { saveSvg } from './save.js';
import { beside, titled } from './paper.js';
import { FAINT, INK, tag, widthIn, write } from './svg.js';
/** @import { PictureView } from './picture.js' */
/** @import { Cell, Drawing, Value, VectorPlot, Vectors } from './types.js' */

const PLOT_WIDTH = 320; // of a plot, in units of its drawing
const PLOT_HEIGHT = 224;
const PLOT_EDGE = 14; // free above and below
const PLOT_CORNER = [36, PLOT_HEIGHT - 20]; // of 0, where no number is negative
const NAME_TYPE = 12;
const NAME_LINE = 13;
const AXIS_TYPE = 11;
const AXIS_NUMBER = 14; // half the width of a number at an axis, which no name covers
const NAME_BESIDE = 7; // from an end to its name
const NAME_LINES = 14; // up or down, where something is in the way
const NAME_FAR = 12; // from here on a line leads to the vector
// What a place costs: another name there, a line through it, its own line through a name, an axis, a line of distance.
const COSTS = { name: 100, line: 10, lead: 5, axis: 2, far: 1 };
const ARROW_HEAD = 9; // of an arrow
const KEY_TURN = 5; // degrees a key press
const KEY_STRETCH = 1.05; // times as long, a key press
const PLOT_REST = 2; // px that a pointer moves before it changes anything
const PLOT_STEP = 0.01; // what a hand sets is a multiple of it
const PRINTED = { ink: INK, faint: FAINT, query: '#b35806', key: '#2166ac', value: '#6a51a3', output: '#1b7837', weight: '#5b606b' };
const ON_PAGE = Object.fromEntries(Object.keys(PRINTED).map((name) => [name, `var(--vector-${name})`]));

/** Where things are in a plot: 0 in the middle, or in the corner where no number is negative. */
class PlotPlane {
  /** @param {VectorPlot} plot @param {number} bound */
  constructor({ corner }, bound) {
    this.bound = bound;
    this.least = corner ? 0 : -bound;
    this.zero = corner ? PLOT_CORNER : [PLOT_WIDTH / 2, PLOT_HEIGHT / 2];
    this.scale = (corner ? PLOT_CORNER[1] - PLOT_EDGE : PLOT_HEIGHT / 2 - PLOT_EDGE) / bound;
  }

  /** @param {number[]} point */
  place([x, y]) {
    return [this.zero[0] + x * this.scale, this.zero[1] - y * this.scale];
  }

  /** The two numbers at a place, inside of the plot. */
  numbers(x, y) {
    return [x - this.zero[0], this.zero[1] - y].map((px) => Math.min(Math.max(px / this.scale, this.least), this.bound));
  }

  points(list) {
    return list.map((point) => this.place(point).map((px) => px.toFixed(2)).join(',')).join(' ');
  }
}

/**
 * The axes through 0, with a number at half the height, and their names.
 * @param {PlotPlane} plane
 * @param {string[]} names across and upwards; none: no names
 */
function plotAxes(plane, [across = '', upwards = ''], colours) {
  const [middle, level] = plane.zero;
  const line = (x1, y1, x2, y2) => tag('line', { x1, y1, x2, y2, stroke: colours.faint, 'stroke-width': 1, opacity: 0.5 });
  const [x, y] = plane.place([plane.bound / 2, plane.bound / 2]);
  const look = { size: AXIS_TYPE, fill: colours.faint, anchor: /** @type {const} */ ('middle') };
  const number = shortText(plane.bound / 2);
  return line(0, level, PLOT_WIDTH, level) + line(middle, 0, middle, PLOT_HEIGHT)
    + line(x, level - 3, x, level + 3) + line(middle - 3, y, middle + 3, y)
    + write(number, x, level + 12, look) + write(number, middle - 18, y, look)
    + write(across, PLOT_WIDTH, level + 12, { ...look, anchor: 'end' }) + write(upwards, middle + 6, 8, { ...look, anchor: 'start' });
}

function arrowTo(point, plane, look) {
  const [x, y] = plane.place(point);
  const [startX, startY] = plane.zero;
  const [dx, dy] = [x - startX, y - startY];
  const length = Math.hypot(dx, dy);
  if (length < 2) return tag('circle', { cx: x, cy: y, r: 3.5, fill: look.stroke, opacity: look.opacity });
  const head = Math.min(ARROW_HEAD, length * 0.6);
  const [ux, uy] = [dx / length, dy / length];
  const [bx, by] = [x - head * ux, y - head * uy];
  const corners = [[x, y], [bx - 0.45 * head * uy, by + 0.45 * head * ux], [bx + 0.45 * head * uy, by - 0.45 * head * ux]];
  return tag('line', { x1: startX, y1: startY, x2: bx, y2: by, ...look })
    + tag('polygon', { points: corners.map((corner) => corner.map((px) => px.toFixed(2)).join(',')).join(' '), fill: look.stroke, opacity: look.opacity });
}

/**
 * Whether a line goes through a box: what is left of it between the left and the right, then between top and bottom.
 * @param {number[]} box left, top, right, bottom
 * @param {number[][]} line its two ends
 */
function isCrossed([left, top, right, bottom], [[x1, y1], [x2, y2]]) {
  let [from, to] = [0, 1];
  for (const [start, way, least, most] of [[x1, x2 - x1, left, right], [y1, y2 - y1, top, bottom]]) {
    if (Math.abs(way) < 1e-9) {
      if (start < least || start > most) return false;
    } else {
      const ends = [(least - start) / way, (most - start) / way];
      [from, to] = [Math.max(from, Math.min(...ends)), Math.min(to, Math.max(...ends))];
    }
  }
  return from <= to;
}

/**
 * The name of a vector, with its weight where a query is followed: near its end, where it covers no other name, and
 * no line if possible.
 * @param {{ boxes: number[][], lines: number[][][], axes: number[][][] }} taken the boxes of what is there already: left,
 *   top, right, bottom; and lines
 */
function vectorName(set, i, point, plane, colours, taken) {
  const [x, y] = plane.place(point);
  const text = set.rows[i] + (set.shares ? ` ${shortText(set.shares[i])}` : '');
  const width = widthIn(text, NAME_TYPE, 600);
  const sides = [x - NAME_BESIDE - width, x + NAME_BESIDE, x - width / 2];
  if (x >= plane.zero[0] - 4) [sides[0], sides[1]] = [sides[1], sides[0]];
  const [up, down] = [y - 8, y + 10];
  const heights = Array.from({ length: NAME_LINES }, (_, k) => [up - k * NAME_LINE, down + k * NAME_LINE]).flat();
  if (y > plane.zero[1] + 4) [heights[0], heights[1]] = [down, up];
  let best = { cost: Infinity, box: [0, 0, 0, 0], at: [x, y] };
  for (const line of [...heights, y]) for (const side of sides) {
    const left = Math.min(Math.max(side, 0), PLOT_WIDTH - width);
    const box = [left, line - NAME_LINE / 2, left + width, line + NAME_LINE / 2];
    if (box[1] < 0 || box[3] > PLOT_HEIGHT) continue;
    const at = [Math.min(Math.max(x, box[0]), box[2]), Math.min(Math.max(y, box[1]), box[3])]; // nearest to the end
    const count = (list, isIn) => list.filter(isIn).length;
    const cost = COSTS.far * (Math.hypot(at[0] - x, at[1] - y) / NAME_LINE)
      + COSTS.name * count(taken.boxes, ([l, t, r, b]) => l < box[2] && r > box[0] && t < box[3] && b > box[1])
      + COSTS.lead * count(taken.boxes, (one) => isCrossed(one, [[x, y], at]))
      + COSTS.line * count(taken.lines, (one) => isCrossed(box, one)) + COSTS.axis * count(taken.axes, (one) => isCrossed(box, one));
    if (cost < best.cost - 1e-9) best = { cost, box, at };
  }
  const { box, at } = best;
  taken.boxes.push(box);
  const colour = colours[set.look];
  const isFar = Math.hypot(at[0] - x, at[1] - y) > NAME_FAR;
  const lead = isFar ? tag('line', { x1: x, y1: y, x2: at[0], y2: at[1], stroke: colour, 'stroke-width': 0.75 }) : '';
  return lead + write(text, box[0], (box[1] + box[3]) / 2, { size: NAME_TYPE, fill: colour, weight: 600 });
}

/**
 * A plot as SVG, for the page or for a file.
 * @param {VectorPlot} plot
 * @param {number[][][]} values of each set
 */
export function plotText(plot, values, bound, colours) {
  const plane = new PlotPlane(plot, bound);
  const line = (list, look) => tag('polyline', { points: plane.points(list), fill: 'none', ...look });
  let text = plotAxes(plane, plot.axes, colours);
  if (plot.hull.length) {
    text += tag('polygon', { points: plane.points(plot.hull), fill: colours.value, 'fill-opacity': 0.12, stroke: colours.value, 'stroke-opacity': 0.5 });
  }
  for (const path of plot.paths) text += line(path, { stroke: colours.query, 'stroke-width': 1.5, 'stroke-dasharray': '4 3' });
  plot.sets.forEach((set, s) => values[s].forEach((point, i) => {
    const opacity = set.faint.includes(i) ? 0.3 : 1;
    const width = set.shares ? 1 + 4 * set.shares[i] : 2.2;
    if (set.kind === 'arrow') text += arrowTo(point, plane, { stroke: colours[set.look], 'stroke-width': width, opacity });
    else {
      const [cx, cy] = plane.place(point);
      text += tag('circle', { cx, cy, r: set.shares ? 3 + 5 * Math.sqrt(set.shares[i]) : 5, fill: colours[set.look], opacity });
    }
  }));
  const [x, y] = plane.place([bound / 2, bound / 2]);
  const [middle, level] = plane.zero;
  const [across, upwards] = plot.axes.map((name) => widthIn(name, AXIS_TYPE));
  const box = (left, right, line) => [left, line - NAME_LINE / 2, right, line + NAME_LINE / 2];
  const boxes = [box(x - AXIS_NUMBER, x + AXIS_NUMBER, level + 12), box(middle - 18 - AXIS_NUMBER, middle - 18 + AXIS_NUMBER, y)];
  if (plot.axes.length) boxes.push(box(PLOT_WIDTH - across, PLOT_WIDTH, level + 12), box(middle + 6, middle + 6 + upwards, 8));
  const joined = (points) => points.slice(1).map((point, i) => [points[i], point]);
  const lines = plot.paths.flatMap((path) => joined(path.map((point) => plane.place(point))));
  plot.sets.forEach((set, s) => values[s].forEach((point) => {
    const end = plane.place(point);
    if (set.kind === 'arrow') lines.push([plane.zero, end]);
    else lines.push([[end[0] - 4, end[1]], [end[0] + 4, end[1]]]);
  }));
  const axes = [[[0, level], [PLOT_WIDTH, level]], [[middle, 0], [middle, PLOT_HEIGHT]]];
  const taken = { boxes, lines, axes };
  plot.sets.forEach((set, s) => values[s].forEach((point, i) => {
    if (!set.faint.includes(i)) text += vectorName(set, i, point, plane, colours, taken);
  }));
  return text;
}

/** The names of its legend. @param {VectorPlot} plot */
function namesOf({ sets, legend }) {
  return [...sets.map(({ name }) => name), ...legend.map(([, name]) => name)];
}

export class VectorPlots extends HeldNumber {
  /** @param {PictureView} picture */
  constructor(picture) {
    super(picture);
    this.node = element('div', { class: 'pic-plots', hidden: '' });
    /** @type {VectorPlot[]} */
    this.plots = [];
    /** @type {number[]} of each plot: still while a hand holds a vector, and afterwards smaller only by half or more */
    this.bounds = [];
    /** @type {Record<string, string>} */
    this.texts = {};
    this.shape = '';
    this.held = 0; // the plot whose vector a hand holds
    this.at = this.from = this.grip = [0, 0]; // the pointer, where it began, and how far it was from the end
    this.began = /** @type {(Value | undefined)[]} */ ([]);
  }

  /** @param {HTMLElement} root @param {AbortSignal} signal */
  listen(root, signal) {
    super.listen(root, signal);
    const on = (type, handle) => this.node.addEventListener(type, handle, { signal });
    on('click', (event) => this.saved(event));
    on('keydown', (event) => this.key(event));
    on('keyup', () => this.rest());
    on('focusout', () => this.rest());
  }

  // ---- on the page

  /** @param {VectorPlot[]} plots @param {Record<string, string>} texts */
  update(plots, texts, steady) {
    this.plots = plots;
    this.texts = texts;
    const kept = (bound, i) => (bound <= this.bounds[i] && bound > this.bounds[i] / 2 ? this.bounds[i] : bound);
    if (!steady || this.bounds.length !== plots.length) this.bounds = plots.map(({ bound }, i) => kept(bound, i));
    const shape = JSON.stringify(plots.map(({ sets, legend }) => [legend, ...sets.map((set) => [set.matrix, set.rows.length, this.canMove(set)])]));
    if (shape !== this.shape) this.build(shape);
    this.draw();
  }

  build(shape) {
    this.shape = shape;
    setFlag(this.node, 'hidden', !this.plots.length);
    this.node.replaceChildren(...this.plots.map((plot, p) => {
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      svg.setAttribute('viewBox', `0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`);
      svg.setAttribute('role', 'group');
      const back = document.createElementNS(svg.namespaceURI, 'g');
      svg.append(back);
      plot.sets.forEach((set, s) => {
        if (!this.canMove(set)) return;
        set.rows.forEach((_, i) => {
          const end = document.createElementNS(svg.namespaceURI, 'circle');
          const marks = { r: 13, class: 'pic-end', tabindex: 0, role: 'slider', 'data-end': `${p} ${s} ${i}`, 'data-look': set.look };
          for (const [name, value] of Object.entries(marks)) end.setAttribute(name, String(value));
          svg.append(end);
        });
      });
      const key = element('figcaption', {}, element('b', {}), ...plot.sets.map(({ look }) => element('span', { 'data-look': look })),
        ...plot.legend.map(([mark]) => element('span', { 'data-mark': mark })),
        element('button', { type: 'button', class: 'pic-plot-save', 'data-plot': p }));
      return element('figure', { class: 'pic-plot' }, key, svg);
    }));
  }

  draw() {
    this.plots.forEach((plot, p) => {
      const figure = this.node.children[p];
      const [title, ...rest] = figure.firstChild.children;
      const save = rest.pop();
      setMarkup(title, plot.title);
      namesOf(plot).forEach((name, n) => setText(rest[n], name));
      setText(save, 'SVG');
      save.title = this.texts.plot_svg;
      const svg = figure.lastChild;
      svg.setAttribute('aria-label', plot.alt);
      const values = this.valuesOf(plot);
      svg.firstChild.innerHTML = plotText(plot, values, this.bounds[p], ON_PAGE);
      for (const end of svg.querySelectorAll('.pic-end')) this.showEnd(end, plot, values, this.bounds[p]);
    });
  }

  showEnd(end, plot, values, bound) {
    const [, s, i] = this.indices(end);
    const [x, y] = values[s][i];
    const [cx, cy] = new PlotPlane(plot, bound).place([x, y]);
    end.setAttribute('cx', cx.toFixed(2));
    end.setAttribute('cy', cy.toFixed(2));
    const set = plot.sets[s];
    const angle = Math.round((Math.atan2(y, x) * 180) / Math.PI);
    const facts = { name: `${set.name}: ${set.rows[i]}`, x: shortText(x), y: shortText(y), length: shortText(Math.hypot(x, y)), angle };
    end.setAttribute('aria-label', facts.name);
    end.setAttribute('aria-valuenow', String(angle));
    end.setAttribute('aria-valuetext', fill(this.texts.vector, facts));
  }

  /** The numbers of a plot's vectors: the numbers in the cells, which a hand may have changed meanwhile. */
  valuesOf(plot) {
    return plot.sets.map((set) => set.values.map((point, i) => (set.matrix === null ? point : point.map((value, c) => {
      const shown = this.picture.views.get(set.matrix)?.valueAt(set.row + i, set.col + c);
      return typeof shown === 'number' && Number.isFinite(shown) ? shown : value;
    }))));
  }

  /** @param {Vectors} set */
  canMove(set) {
    return Boolean(set.matrix !== null && this.picture.views.get(set.matrix)?.spec.editable);
  }

  /** @returns {number[]} the plot, the set and the vector of an end */
  indices(end) {
    return end.dataset.end.split(' ').map(Number);
  }

  /** @returns {Cell | undefined} the first of a vector's two cells */
  cellOf(end) {
    const [p, s, i] = this.indices(end);
    const { matrix, row, col } = this.plots[p].sets[s];
    return matrix === null ? undefined : this.picture.views.get(matrix)?.cell(row + i, col);
  }

  /** @returns {Cell | undefined} the cell of the vector under the pointer */
  cellUnder(node) {
    const end = node.closest?.('.pic-end');
    return end ? this.cellOf(end) : undefined;
  }

  // ---- a hand

  take(event) {
    const end = event.target.closest?.('.pic-end');
    if (!end) return null;
    event.preventDefault();
    end.focus({ preventScroll: true });
    end.setPointerCapture(event.pointerId);
    const { left, top, width, height } = end.getBoundingClientRect();
    [this.held] = this.indices(end);
    this.grip = [event.clientX - left - width / 2, event.clientY - top - height / 2];
    this.from = this.at = [event.clientX, event.clientY];
    return this.cellOf(end) ?? null;
  }

  begin(event) {
    super.begin(event);
    const { cell } = this;
    if (cell) this.began = [0, 1].map((c) => cell.view.valueAt(cell.row, cell.col + c));
  }

  follow(event) {
    if (event.pointerId === this.now?.id) this.at = [event.clientX, event.clientY];
    super.follow(event);
  }

  /** NaN: where the pointer is, which has two numbers; null as long as it rests. */
  valueOf() {
    return Math.hypot(this.at[0] - this.from[0], this.at[1] - this.from[1]) > PLOT_REST ? NaN : null;
  }

  put(cell, value) {
    this.move(cell, Number.isNaN(value) ? this.pointed() : this.began);
  }

  /** What the pointer points to, inside of the plot. */
  pointed() {
    const matrix = this.node.querySelectorAll('svg')[this.held].getScreenCTM()?.inverse();
    const { x, y } = new DOMPoint(this.at[0] - this.grip[0], this.at[1] - this.grip[1]).matrixTransform(matrix);
    const plane = new PlotPlane(this.plots[this.held], this.bounds[this.held]);
    return plane.numbers(x, y).map((value) => clean(Math.round(value / PLOT_STEP) * PLOT_STEP));
  }

  move(cell, values) {
    values.forEach((value, c) => {
      const one = cell.view.cell(cell.row, cell.col + c);
      if (one) this.picture.put(one, value);
    });
    this.picture.outbox.flush();
  }

  // ---- keys

  key(event) {
    const end = event.target.closest?.('.pic-end');
    const cell = end && this.cellOf(end);
    const change = { ArrowLeft: [KEY_TURN, 1], ArrowRight: [-KEY_TURN, 1], ArrowUp: [0, KEY_STRETCH], ArrowDown: [0, 1 / KEY_STRETCH] }[event.key];
    if (!cell || !change || this.now || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (!this.picture.outbox.busy) this.picture.outbox.hold(); // until the key is up
    const [x, y] = [0, 1].map((c) => Number(cell.view.valueAt(cell.row, cell.col + c)));
    const [degrees, times] = change;
    const angle = Math.atan2(y, x) + (degrees * Math.PI) / 180;
    const length = Math.max(Math.hypot(x, y) * times, PLOT_STEP);
    this.move(cell, [clean(length * Math.cos(angle)), clean(length * Math.sin(angle))]);
  }

  rest() {
    if (!this.now && !this.picture.drag.active) this.picture.outbox.release();
  }

  // ---- files

  saved({ target }) {
    const { plot } = target.closest?.('.pic-plot-save')?.dataset ?? {};
    if (plot !== undefined) saveSvg(this.drawingOf(this.plots[plot], this.bounds[plot]), this.plots[plot].title);
  }

  /** @returns {Drawing} */
  drawingOf(plot, bound) {
    const text = plotText(plot, this.valuesOf(plot), bound, PRINTED);
    const body = {
      width: PLOT_WIDTH, height: PLOT_HEIGHT,
      draw: (x, y) => tag('g', { transform: `translate(${x} ${y})` }, text),
    };
    return titled(body, `${plot.title}: ${namesOf(plot).join(', ')}`);
  }

  /** All plots side by side, as they are printed; nothing where there are none. */
  get drawing() {
    return this.plots.length ? [beside(this.plots.map((plot, p) => this.drawingOf(plot, this.bounds[p])))] : [];
  }
}
