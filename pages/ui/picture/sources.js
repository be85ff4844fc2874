// Which cells a cell was made from, and which were made from it. A cell is named [matrix id, row, column].

function span(count, start = 0) {
  return Array.from({ length: count }, (_, i) => start + i);
}

/** The cells of `view` on a line through (row, col): the row, the column, all, or the one cell. */
function lineOf(view, over, row, col) {
  if (!view) return [];
  const rows = over === 'row' || over === 'cell' ? [row] : span(view.rows);
  const cols = over === 'column' || over === 'cell' ? [col] : span(view.cols, view.offset);
  return rows.flatMap((r) => cols.map((c) => [view.id, r, c]));
}

/** The pairs of a product's cell: [[left cell, right cell], …], and its bias. */
function factorsOf(made, row, col) {
  const column = col + made.col_start;
  return span(made.length).map((k) => [
    [made.left, row, made.left_start + k],
    made.right_transposed ? [made.right, column, made.right_start + k] : [made.right, made.right_start + k, column],
  ]);
}

function blockOf(made, col) {
  return made.blocks.find(({ start, length }) => start <= col && col < start + length);
}

/** The column that is turned together with `col`; null where a number stays as it is. */
function partnerOf(made, col) {
  const place = col - made.start;
  if (place < made.half) return col + made.half;
  return place < 2 * made.half ? col - made.half : null;
}

/** A cell of a rotation's source, and its partner. */
function pairOf(made, col) {
  const partner = partnerOf(made, col);
  return partner === null ? [col] : [col, partner];
}

/** The direct sources of a cell, in the order of its arithmetic. `views` is a map of all matrices. */
function sourcesOf(views, [id, row, col]) {
  const made = views.get(id)?.spec.made;
  if (!made) return [];
  const list = {
    product: () => {
      const pairs = factorsOf(made, row, col);
      const bias = made.bias ? [[made.bias, 0, col + made.col_start]] : [];
      return [...pairs.map((pair) => pair[0]), ...pairs.map((pair) => pair[1]), ...bias];
    },
    divide: () => [[made.of, row, col]],
    mask: () => [[made.of, row, col]],
    softmax: () => lineOf(views.get(made.of), made.over, row, col),
    sum: () => lineOf(views.get(made.of), made.over, row, col),
    copy: () => {
      const block = blockOf(made, col);
      return block ? [[block.of, row, col - block.start]] : [];
    },
    difference: () => made.of.map((of) => [of, row, col]),
    add: () => made.of.map((of) => [of, row, col]),
    rotate: () => pairOf(made, col).map((one) => [made.of, row, one]),
    same: () => made.of.map((of) => [of, row, col]),
    written: () => made.of.flatMap((of) => lineOf(views.get(of), made.lit, row, col)),
  }[made.op]();
  return list.filter(([of, r, c]) => views.get(of)?.cell(r, c));
}

/** The lines of `view` that a cell goes into: [[row or null for all, column or null for all], …]. */
function linesInto(view, [id, row, col]) {
  const { made } = view.spec;
  const inside = (place, start) => start <= place && place < start + made.length;
  const lines = [];
  if (made.op === 'product') {
    if (made.left === id && inside(col, made.left_start)) lines.push([row, null]);
    if (made.right === id && made.right_transposed && inside(col, made.right_start)) {
      lines.push([null, row - made.col_start]);
    }
    if (made.right === id && !made.right_transposed && inside(row, made.right_start)) {
      lines.push([null, col - made.col_start]);
    }
    if (made.bias === id) lines.push([null, col - made.col_start]);
  } else if (made.op === 'copy') {
    for (const block of made.blocks) if (block.of === id && col < block.length) lines.push([row, col + block.start]);
  } else if (made.op === 'rotate') {
    if (made.of === id) for (const one of pairOf(made, col)) lines.push([row, one]);
  } else if ([made.of].flat().includes(id)) {
    const over = made.over || (made.op === 'written' ? made.lit : 'cell');
    if (over === 'cell') lines.push([row, col]);
    else if (over === 'row') lines.push([row, null]);
    else if (over === 'column') lines.push([null, col]);
    else lines.push([null, null]);
  }
  return lines;
}

/** What is made directly from a cell: [[view, row or null, column or null], …]. */
function usesOf(views, cell) {
  return [...views.values()]
    .filter((view) => view.spec.made && view.spec.made.op !== 'same')
    .flatMap((view) => linesInto(view, cell).map(([row, col]) => [view, row, col]))
    .filter(([view, row, col]) => view.cell(row ?? 0, col ?? view.offset));
}
