// The arithmetic of a cell in the numbers on the screen, as a list of pieces: plain strings, {symbol} with markup,
// and {result}. Between `lead` and `tail` stand `terms`, joined by plus signs, which may be cut where room is short.

function inParentheses(text) {
  return text.startsWith('−') ? `(${text})` : text;
}

/** Labels are cut at the first space where they stay distinct: "猫" for "猫 cats". */
function shortLabels(labels) {
  const first = labels.map((label) => label.split(' ')[0]);
  return new Set(first).size === new Set(labels).size ? first : labels;
}

function placeOf(view, row, col) {
  const names = [];
  if (view.spec.rows.some(Boolean)) names.push(row === null ? ':' : shortLabels(view.spec.rows)[row]);
  if (view.spec.cols.some(Boolean)) {
    names.push(col === null ? ':' : shortLabels(view.spec.cols)[col - view.offset]);
  }
  return [{ symbol: view.symbol }, names.length ? `[${names.join(', ')}]` : ''];
}

class Arithmetic {
  constructor(views) {
    this.views = views;
  }

  value([id, row, col]) {
    return this.views.get(id)?.valueAt(row, col);
  }

  /** A cell's number in the digits shown. */
  text([id, row, col]) {
    return this.views.get(id)?.textAt(row, col) ?? '…';
  }

  factor(cell) {
    return inParentheses(this.text(cell));
  }

  /** {lead, terms, tail} of a cell, or null where there is nothing to say. */
  of([id, row, col]) {
    const view = this.views.get(id);
    if (!view?.cell(row, col)) return null;
    const { made, kind } = view.spec;
    const head = placeOf(view, row, col);
    if (kind === 'mask' || (kind === 'text' && made?.op !== 'written')) return { lead: [...head, ` = ${view.textAt(row, col)}`], terms: [], tail: [] };
    const number = view.valueAt(row, col);
    if (view.takesEdits({ row, col })) {
      const shown = number === undefined ? '…' : fullText(number);
      return { lead: [...head, ` = ${shown}`, ...this.uses([id, row, col])], terms: [], tail: [] };
    }
    const shown = typeof number === 'string' ? number : number === undefined ? '…' : preciseText(number);
    const result = { result: view.spec.asked ? '?' : shown };
    const how = made && this[made.op]?.(made, row, col, view);
    return how ? how(head, result) : { lead: [...head, ' = ', result], terms: [], tail: [] };
  }

  /** What is made from an editable cell: " → Q[我, :], K[我, :]". */
  uses(cell) {
    const places = usesOf(this.views, cell).map(([view, row, col]) => placeOf(view, row, col));
    return places.flatMap((place, i) => [i ? ', ' : ' → ', ...place]);
  }

  product(made, row, col) {
    if (!this.views.get(made.left) || !this.views.get(made.right)) return null;
    const terms = factorsOf(made, row, col).map(([a, b]) => `${this.factor(a)} · ${this.factor(b)}`);
    if (made.bias) terms.push(this.factor([made.bias, 0, col + made.col_start]));
    return (head, result) => ({ lead: [...head, ' = '], terms, tail: [' = ', result] });
  }

  divide(made, row, col) {
    if (!this.views.get(made.of)) return null;
    const by = made.by_text || entryText(made.by, true);
    const text = `${this.factor([made.of, row, col])} / ${/^[^\s+−-]+$/.test(by) ? by : `(${by})`}`;
    return (head, result) => ({ lead: [...head, ` = ${text} = `, result], terms: [], tail: [] });
  }

  mask(made, row, col, view) {
    const of = this.views.get(made.of);
    if (!of) return null;
    const source = placeOf(of, row, col);
    if (view.spec.asked) return (head) => ({ lead: [...head, `: ${this.text([made.of, row, col])} → ?`], terms: [], tail: [] });
    if (!view.isMasked(row, col)) return (head, result) => ({ lead: [...head, ' = ', ...source, ' = ', result], terms: [], tail: [] });
    const after = { result: view.textAt(row, col) };
    return (head) => ({ lead: [...head, `: ${this.text([made.of, row, col])} → `, after], terms: [], tail: [] });
  }

  softmax(made, row, col) {
    const line = lineOf(this.views.get(made.of), made.over, row, col);
    if (!line.length) return null;
    const values = line.map((cell) => this.value(cell));
    const top = Math.max(...values);
    const terms = values.map((value) => (value === -Infinity ? '0' : shortText(Math.exp(value - top))));
    const most = inParentheses(this.text(line[values.indexOf(top)] ?? line[0]));
    const own = this.text([made.of, row, col]);
    const above = this.value([made.of, row, col]) === -Infinity ? '0' : `exp(${own} − ${most})`;
    const defined = Number.isFinite(top);
    return (head, result) => ({
      lead: [...head, ` = ${above} / (`], terms, tail: [defined ? ') = ' : ') → ', result],
    });
  }

  sum(made, row, col) {
    const line = lineOf(this.views.get(made.of), made.over, row, col);
    if (!line.length) return null;
    const terms = line.map((cell) => this.factor(cell));
    return (head, result) => ({ lead: [...head, ' = '], terms, tail: [' = ', result] });
  }

  copy(made, row, col) {
    const block = blockOf(made, col);
    const of = block && this.views.get(block.of);
    if (!of) return null;
    const source = placeOf(of, row, col - block.start);
    return (head, result) => ({ lead: [...head, ' = ', ...source, ' = ', result], terms: [], tail: [] });
  }

  difference(made, row, col) {
    const [a, b] = made.of.map((of) => [of, row, col]);
    const text = `${this.factor(a)} − ${this.factor(b)}`;
    return (head, result) => ({ lead: [...head, ` = ${text} = `, result], terms: [], tail: [] });
  }

  add(made, row, col) {
    const terms = made.of.map((of) => this.factor([of, row, col]));
    return (head, result) => ({ lead: [...head, ' = '], terms, tail: [' = ', result] });
  }

  rotate(made, row, col) {
    if (!this.views.get(made.of)) return null;
    const partner = partnerOf(made, col);
    const own = this.factor([made.of, row, col]);
    if (partner === null) return (head, result) => ({ lead: [...head, ` = ${own} = `, result], terms: [], tail: [] });
    const angle = shortText(made.angles[row][Math.min(col, partner) - made.start]);
    const text = `${own} · cos ${angle} ${col < partner ? '−' : '+'} ${this.factor([made.of, row, partner])} · sin ${angle}`;
    return (head, result) => ({ lead: [...head, ` = ${text} = `, result], terms: [], tail: [] });
  }

  written(made, row, col, view) {
    const text = made.texts[row]?.[col - view.offset];
    return text && (() => ({ lead: [text], terms: [], tail: [] }));
  }
}

function joined(pieces) {
  return pieces.map((piece) => piece.result ?? (piece.symbol ? withoutMarkup(piece.symbol) : piece)).join('');
}

/** The whole line as plain text. */
function fullLine({ lead, terms, tail }) {
  return joined([...lead, terms.join(' + '), ...tail]);
}

/** The pieces with only the first terms and “…”, so that `fits` is true of their plain text, if it can be. */
function cutLine({ lead, terms, tail }, fits) {
  for (let count = terms.length; count > 1; count -= 1) {
    const kept = terms.slice(0, count).join(' + ') + (count < terms.length ? ' + …' : '');
    if (fits(joined([...lead, kept, ...tail]))) return [...lead, kept, ...tail];
  }
  return [...lead, terms.length > 1 ? `${terms[0]} + …` : terms.join(''), ...tail];
}
