// What a calculator gives for a printed line of arithmetic.

const TOKEN = /\s*([0-9]+(?:\.[0-9]+)?(?:e[−+]?[0-9]+)?|∞|exp|cos|sin|tanh|[+−·/()√²])/y;
const FUNCTIONS = { exp: Math.exp, cos: Math.cos, sin: Math.sin, tanh: Math.tanh, '√': Math.sqrt };

/** The parts of the line, or null where it has anything that is not arithmetic. */
function tokensOf(text) {
  const tokens = /** @type {string[]} */ ([]);
  let at = 0;
  while (at < text.trimEnd().length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return null;
    tokens.push(match[1]);
    at = TOKEN.lastIndex;
  }
  return tokens;
}

class Calculator {
  /** @param {string[]} tokens */
  constructor(tokens) {
    this.tokens = tokens;
    this.at = 0;
  }

  take(...wanted) {
    const token = this.tokens[this.at];
    if (!wanted.includes(token)) return null;
    this.at += 1;
    return token;
  }

  sum() {
    let value = this.product();
    for (let sign = this.take('+', '−'); sign; sign = this.take('+', '−')) {
      value += (sign === '+' ? 1 : -1) * this.product();
    }
    return value;
  }

  product() {
    let value = this.factor();
    for (let sign = this.take('·', '/'); sign; sign = this.take('·', '/')) {
      const next = this.factor();
      value = sign === '·' ? value * next : value / next;
    }
    return value;
  }

  factor() {
    if (this.take('−')) return -this.factor();
    const value = this.atom();
    return this.take('²') ? value ** 2 : value;
  }

  atom() {
    const name = this.take(...Object.keys(FUNCTIONS));
    if (name) return FUNCTIONS[name](this.atom());
    if (this.take('(')) {
      const value = this.sum();
      return this.take(')') ? value : NaN;
    }
    const token = this.tokens[this.at] ?? '';
    this.at += 1;
    return token === '∞' ? Infinity : Number(token.replace('−', '-') || NaN);
  }
}

/** The value of the line; NaN where it is no arithmetic. */
export function calculate(text) {
  const tokens = tokensOf(text);
  if (!tokens?.length) return NaN;
  const calculator = new Calculator(tokens);
  const value = calculator.sum();
  return calculator.at === tokens.length ? value : NaN;
}
