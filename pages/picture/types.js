// The types of what the files hand to one another; it is checked that all of them agree (see tests/picture/test_types.py).
//
// What the server sends: data.py says what each field means.
//
/** @typedef {'row' | 'column' | 'all' | 'cell'} Over */
/** @typedef {{ of: string, start: number, length: number }} ColumnBlock */
/**
 * How a matrix was made: `op` names one of the OPERATIONS, which reads the fields that it needs.
 * @typedef {{
 *   op: keyof typeof import('./operations.js').OPERATIONS, of: any, over: Over, by: number, by_text: string, cap: number,
 *   left: string, left_start: number, right: string, right_start: number, right_transposed: boolean,
 *   length: number, col_start: number, bias: string | null, blocks: ColumnBlock[], start: number, half: number,
 *   angles: number[][], texts: string[][], scores?: (number | null)[][], near?: boolean,
 * }} Recipe
 */
/** @typedef {number | boolean | string | undefined} Value undefined: not known yet */
/** @typedef {{ add: boolean, remove: boolean }} Ways */
/**
 * @typedef {{
 *   id: string, title: string, subtitle: string, symbol: string, alt: string, rows: string[], cols: string[],
 *   row_axis: string, col_axis: string, values: (Value | null)[][] | null, decimals: number,
 *   kind: 'signed' | 'weights' | 'mask' | 'plain' | 'text', recipe: Recipe | null, step_name: string | null,
 *   masked: [number, number][] | null, ringed: [number, number][], marked: [number, number] | null,
 *   right: [number, number][],
 *   marked_rows: [number, number] | null, query_rows: boolean, editable: boolean, open: [number, number][] | null,
 *   step: number, integer: boolean, log: boolean, low: number | null, high: number | null, slider: boolean,
 *   offset: number, size: string, choose: unknown, chosen: boolean, clickable: boolean, asked: boolean,
 *   menu: string[], names: string | null, tokens: string[] | null,
 *   col_names: string | null, dimensions: string[] | null, grow: { rows?: Ways, cols?: Ways } | null,
 *   look?: object,
 * }} MatrixSpec the look: what of it does not follow the numbers, the same object as long as that stays (see pieces.js)
 */
/** @typedef {MatrixSpec & { low: number, high: number }} Bounded the matrix of a slider has both bounds */
/**
 * @typedef {{ name: string, title: string, formula: string, why: string, code: string, latex: string }} PanelStep
 */
/**
 * @typedef {{
 *   name: string, look: string, rows: string[], values: number[][], kind: 'arrow' | 'point', matrix: string | null,
 *   col: number, row: number, shares: number[] | null, faint: number[],
 * }} Vectors
 */
/**
 * @typedef {{
 *   words: string[], row: number, weights: number[][] | null, sentences: string[], choose: string,
 * }} Arcs
 */
/**
 * @typedef {{
 *   title: string, lead: string, note: string, spoken: string, roles: { look: string, name: string, text: string }[],
 *   formula: { symbols: [string, string][], place: number, label: string }[],
 * }} Front
 */
/** @typedef {{
 *   title: string, alt: string, sets: Vectors[], bound: number, paths: number[][][], hull: number[][],
 *   legend: [mark: string, name: string][],
 *   corner: boolean, axes: string[] }} VectorPlot */
/** @typedef {{ arrow: string }} Arrow */
/** @typedef {{ group: string[], title: string, hint: string, columns: number | null }} Group */
/**
 * @typedef {{ kind: 'grid', rows: (string | null)[][] } | { kind: 'flow', items: (string | Arrow | Group)[] }} Band
 */
/**
 * @typedef {{
 *   key: string, seq: number, done: number, visit: string, stamp: string,
 *   texts: Record<string, string>, limit: number, name_limit: number,
 *   matrices: MatrixSpec[], sources: MatrixSpec[], range: number, layout: Band[], steps: PanelStep[], step: string | null, row: number | null, cell: CellPlace | null,
 *   panel: boolean, fit: boolean, large: boolean, starting: boolean, idle: string, direct: boolean, note: string, follow: string[], plots_left: boolean,
 *   passages: { title: string, lines: string[] }[], plots: VectorPlot[], arcs: Arcs | null, front: Front | null, target: string[],
 * }} Data
 */
//
// What the browser makes of it.
//
/** @typedef {import('./matrix.js').MatrixView} View */
/** @typedef {import('./views.js').Views} Views */
/** @typedef {[id: string, row: number, col: number]} CellPlace where a cell is */
/** @typedef {[row: number | null, col: number | null]} MatrixLine of a matrix: null for all rows or all columns */
/** @typedef {{ matrix: string, row: number, col?: number, value?: Value | null, text?: string }} CellEdit */
/**
 * An edit on its way; `seq` is the number of the first message with it, 0 where it was not sent. `asked`: what follows
 * from it was asked for directly (see direct.js). `presses`: the number of presses outside of the picture before it.
 * @typedef {{
 *   key: string, edit: CellEdit, gesture: number, presses: number, seq: number, asked: boolean, done: boolean,
 * }} Entry
 */
/** @typedef {{ background: string, ink: string }} Look */
/**
 * The look is what the colour scale says, and `own` what of it is in the cell itself.
 * @typedef {{
 *   view: View, key: string, node: any, content: Text | null, row: number, col: number, entry: Entry | null,
 *   error: string, look: Look, own: Look, value?: Value, plain?: string, typing?: boolean,
 *   refused?: boolean,
 * }} Cell
 */
/**
 * A row's label; one that the learner types has the view and the fields below.
 * @typedef {{
 *   node: HTMLElement, error?: string, view?: View, input?: HTMLInputElement, remove?: HTMLElement, row?: number,
 *   typing?: boolean, entry?: Entry, refused?: boolean,
 * }} Label
 */
/** @typedef {string | { symbol: string } | { result: string }} Piece of a line of arithmetic */
/** @typedef {{ lead: Piece[], terms: string[], tail: Piece[] }} Sentence the terms are joined by plus signs */
/** @typedef {{ width: number, height: number, draw: (x: number, y: number) => string }} Drawing what is printed at a place */
