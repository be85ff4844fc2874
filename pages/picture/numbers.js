// Reading an entry as a number, and writing a number. Python has the same rules (pages/model/entries.py,
// pages/draw/numbers.py); the cases for both languages are in tests/support/number_entries.py.

const DIGITS = 12; // significant digits that are kept: binary arithmetic's 0.30000000000000004 is 0.3

export const MAX_ENTRY = 40; // characters of a number; a longer text is not read

/** Takes off what binary arithmetic adds, and the sign of −0. */
export function clean(value) {
  return Number(value.toPrecision(DIGITS)) + 0;
}

// A number, a square root, a product of both, or a quotient of two such terms. The decimal mark is a point or a comma.
const DECIMAL = '((?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[+-]?[0-9]+)?)';
const TERM = `${DECIMAL}?(?:√${DECIMAL})?`;
const NUMBER = new RegExp(`^([+-]?)(?=[^ /])${TERM}(?: */ *(?=.)${TERM})?$`);
const ROOT = new RegExp(`√\\(${DECIMAL}\\)`, 'g');

/** The number an entry means, or NaN: 0.58, 0,58, 2/3, 1/√3. Full-width characters and all kinds of dashes are fine. */
export function parseNumber(entry) {
  const typed = entry.trim();
  if (typed.length > MAX_ENTRY) return NaN;
  const text = typed
    .replace(/[\uff0b\uff0d-\uff19\uff25\uff45]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace(/[\u2010-\u2015\u2212\ufe63]/g, '-')
    .toLowerCase().replaceAll('sqrt', '√').replace(ROOT, '√$1');
  const match = NUMBER.exec(text);
  if (!match) return NaN;
  const [a, b, c, d] = match.slice(2).map((one) => Number((one ?? '1').replace(',', '.')));
  const below = c * Math.sqrt(d);
  return below ? clean((match[1] === '-' ? -a : a) * Math.sqrt(b) / below) : NaN;
}

/** Exactly half way between two numbers of so many decimals: Python rounds it to the even digit. */
function isTie(size, decimals) {
  const scaled = size * 2 ** (decimals + 1);
  return Number.isInteger(scaled) && scaled % 2 === 1;
}

function fixed(size, decimals) {
  if (!isTie(size, decimals)) return size.toFixed(decimals);
  const below = Math.floor(size * 10 ** decimals);
  return ((below + (below % 2)) / 10 ** decimals).toFixed(decimals);
}

export function exponential(size) {
  const exponent = Number(size.toExponential().split('e')[1]);
  const unit = 10 ** (exponent - 1);
  const tie = size % unit === unit / 2;
  const below = Math.floor(size / unit);
  const rounded = tie ? (below + (below % 2)) * unit : size;
  const [mantissa, power] = rounded.toExponential(1).split('e');
  return `${mantissa}e${Number(power)}`;
}

/** A number's text as a factor or behind a sign: a negative one in parentheses. */
export function inParentheses(text) {
  return text.startsWith('−') ? `(${text})` : text;
}

/** A number for which a cell has little room: 4e-3, or 1.2e6. */
export function shortest(size) {
  return size < 1 ? size.toExponential(0) : exponential(size);
}

/** The number without its sign, written by `write`; −∞, ∞ and NaN are written out, −0 has no sign. */
export function signedText(value, write) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞';
  const text = write(Math.abs(value)).replace('-', '−');
  return value < 0 && Number(text.replace('−', '-')) !== 0 ? `−${text}` : text;
}

/** At most six characters: a computed cell. */
export function shortText(value, decimals = 2) {
  return signedText(value, (size) => {
    if (size >= 99999.5) return exponential(size);
    return fixed(size, size < 99.995 ? decimals : size < 999.95 ? 1 : 0);
  });
}

/** A result, with four decimals. */
export function preciseText(value) {
  return signedText(value, (size) => (size >= 99999.5 ? exponential(size) : fixed(size, 4)));
}

/** A number in a line of arithmetic: with so many decimals at most, and no zeros at its end. */
export function decimalText(value, decimals) {
  return signedText(value, (size) => {
    if (size >= 1e15) return String(size);
    const text = Number(size.toPrecision(15)).toFixed(decimals);
    return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
  });
}

/** How wide a written number is, in digits: a decimal point takes half of one. */
export function widthOf(text) {
  return text.length - (text.includes('.') ? 0.5 : 0);
}

/** An editable cell: at most so many significant digits, but never less than the whole part. */
export function entryText(value, integer, digits = 4) {
  return signedText(value, (size) => {
    if (size >= 99999.5) return exponential(size);
    const kept = Math.max(digits, String(Math.trunc(size)).length);
    const text = String(size >= 1000 ? Math.round(size) : Number(size.toPrecision(kept)));
    if (text.length > 6 || text.includes('e')) return size.toExponential(1);
    return integer || text.includes('.') || size >= 1000 ? text : `${text}.0`;
  });
}

/** The number in full, as a person types it: without the last digits of a double, as in 0.9099999999999999. */
export function fullText(value) {
  return signedText(value, (size) => String(Number(size.toPrecision(12))));
}

/** data-value: the number in full, in ASCII. */
export function plainText(value) {
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  return Number.isNaN(value) ? 'nan' : String(value);
}

const NOT_FINITE = { inf: Infinity, '-inf': -Infinity, nan: NaN };

/** A number as it comes from the server. */
export function numberOf(value) {
  return typeof value === 'string' ? NOT_FINITE[value] : value;
}

// Around the brackets of a print: tensor([[…]], dtype=torch.float64), Out[3]:, and a name with =
const BEFORE = /^\s*(?:Out\[\d+\]:\s*)?(?:\w+\s*=\s*)?(?:[a-z]+\.)?(?:tensor|array|Array)?\(?(?=\[)/;
const AFTER = /\](?:,\s*(?:dtype|device|requires_grad|grad_fn)=[\w.:'"<>]+)*\)?\s*;?\s*$/;

/** A pasted block as rows of entries: from a spreadsheet, a CSV file, a printed array, or Matlab. */
export function splitBlock(text) {
  const inner = text.replace(BEFORE, '').replace(AFTER, ']');
  const listed = inner.startsWith('[') ? inner.replace(/;\s*/g, '\n') : text;
  const plain = listed.replace(/\][\s,]*\[/g, '\n').replace(/[[\]]/g, '');
  const lines = plain.replace(/^\s*\n/, '').trimEnd().split(/\r\n|\n|\r/);
  const words = plain.trim().split(/\s+/);
  const decimal = words.length > lines.length && words.every((word) => !word.endsWith(',') && !Number.isNaN(parseNumber(word)));
  const separator = [/\t/, /;/, decimal ? /\s+/ : /,/].find((mark) => mark.test(plain)) || /\s+/;
  return lines.map((line) => line.trim().replace(/[,;]$/, '').split(separator).map((entry) => entry.trim()));
}
