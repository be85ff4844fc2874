// Charts for print. On the page they are SVG already (see charts/theme.py); those of a dark page get light colours.

import { isDark, lightened } from './colours.js';
/** @import { Drawing } from './types.js' */

export const FIGURE = '[class*="st-key-plot-"]'; // see plots.py
const COLOURED = ['fill', 'stroke'];
const THEMED = /^light-dark\(([^,]+),/; // see palette.py

/**
 * A chart's drawing of its own. In a file the letters are of another font than on the page, so each text is given the
 * width that it has there.
 * @param {SVGSVGElement} chart
 */
function copyOf(chart) {
  const copy = /** @type {SVGSVGElement} */ (chart.cloneNode(true));
  const dark = isDark(chart.style.backgroundColor);
  const texts = chart.querySelectorAll('text');
  copy.querySelectorAll('text').forEach((text, i) => {
    const width = texts[i].getComputedTextLength();
    text.removeAttribute('font-family');
    if (width && !text.children.length) {
      text.setAttribute('textLength', width.toFixed(1));
      text.setAttribute('lengthAdjust', 'spacingAndGlyphs');
    }
  });
  for (const name of dark ? COLOURED : []) {
    for (const node of copy.querySelectorAll(`[${name}^="#"], [${name}^="rgb"]`)) {
      node.setAttribute(name, lightened(node.getAttribute(name)));
    }
  }
  for (const name of COLOURED) {
    for (const node of copy.querySelectorAll(`[${name}^="light-dark"]`)) {
      node.setAttribute(name, THEMED.exec(node.getAttribute(name) ?? '')?.[1] ?? '#000');
    }
  }
  copy.removeAttribute('style');
  return copy;
}

/** As SVG at a place. What it refers to by name, such as a gradient, is its own: names are of one file, not of a page. */
function placed(chart, x, y) {
  chart.setAttribute('x', String(x));
  chart.setAttribute('y', String(y));
  const own = `at-${Math.round(x)}-${Math.round(y)}-`;
  return new XMLSerializer().serializeToString(chart)
    .replace(/ id="/g, ` id="${own}`).replace(/="url\([^")]*#/g, `="url(#${own}`);
}

/**
 * The charts of a figure, where they are on the page.
 * @param {Element} figure
 * @returns {Drawing}
 */
export function chartsDrawing(figure) {
  const charts = /** @type {NodeListOf<SVGSVGElement>} */ (figure.querySelectorAll('svg.marks'));
  const boxes = [...charts].map((chart) => chart.getBoundingClientRect());
  const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
  const copies = [...charts].map(copyOf);
  return {
    width: Math.max(...boxes.map((box) => box.right)) - left,
    height: Math.max(...boxes.map((box) => box.bottom)) - top,
    draw: (x, y) => copies.map((copy, i) => placed(copy, x + boxes[i].left - left, y + boxes[i].top - top)).join(''),
  };
}

/** @returns {Element[]} the figures with charts that are in sight */
export function figuresWithCharts() {
  const figures = [...document.querySelectorAll(FIGURE)];
  return figures.filter((figure) => figure.checkVisibility() && figure.querySelector('svg.marks'));
}
