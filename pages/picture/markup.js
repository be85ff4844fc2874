// The DOM's small change: elements, texts, and subscripts.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Lines of text, one node each. */
export function writeLines(node, lines) {
  while (node.children.length > lines.length) node.lastChild.remove();
  lines.forEach((line, i) => {
    if (!node.children[i]) node.append(element('p'));
    setText(node.children[i], line);
  });
}

export function setFlag(node, name, on) {
  if (node.hasAttribute(name) !== Boolean(on)) node.toggleAttribute(name, Boolean(on));
}

export function fill(template, facts) {
  return template.replace(/\{(\w+)\}/g, (all, name) => (name in facts ? facts[name] : all));
}

const SCRIPTS = /([_^])(?:\{([^{}]*)\}|([\p{L}\p{N}]))/gu;

/**
 * `W_Q`, `K^T`, `W_{Q,1}`: subscripts and superscripts; all the rest is plain text.
 * @returns {[text: string, script: '' | 'sub' | 'sup'][]}
 */
export function scripts(text) {
  /** @type {[string, '' | 'sub' | 'sup'][]} */
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(SCRIPTS)) {
    pieces.push([text.slice(end, match.index), ''], [match[2] ?? match[3], match[1] === '_' ? 'sub' : 'sup']);
    end = match.index + match[0].length;
  }
  pieces.push([text.slice(end), '']);
  return pieces.filter(([piece]) => piece !== '');
}

export function markup(text) {
  return scripts(text).map(([piece, script]) => (script ? element(script, {}, piece) : piece));
}

export function setMarkup(node, text) {
  if (node.markup === text) return;
  node.markup = text;
  node.replaceChildren(...markup(text));
}

/** A sentence: its names are text, and only a weight matrix has a subscript. */
export function setSentence(node, text) {
  if (node.markup === text) return;
  node.markup = text;
  node.replaceChildren(...text.split(/\b(W_[QKVO])\b/u).flatMap((piece, i) => (i % 2 ? markup(piece) : piece)));
}

/** A symbol as a screen reader should say it, and as a plain attribute shows it. */
export function withoutMarkup(text) {
  return text.replace(SCRIPTS, (all, mark, braced, single) => (mark === '_' ? '_' : '') + (braced ?? single));
}

/** Labels are cut at the first space where they stay distinct: "猫" for "猫 cats". */
export function shortLabels(labels) {
  const first = labels.map((label) => label.split(' ')[0]);
  return new Set(first).size === new Set(labels).size ? first : labels;
}

/** The name of an axis where there is little room: “query” for “query (attending)”. */
export function shortName(name) {
  return name.split(/ ?[(（:：]/u)[0];
}
