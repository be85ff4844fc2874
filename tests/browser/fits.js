// What does not fit on a page: rows that are too low for their digits, texts that are cut, that lie over one another, that
// something covers or a line goes through, or that are outside of the window; thumbnails that are too small, cells that
// read alike in two sizes, and drawings without a legend; what is wrong with its charts, and with the way it opens.
(() => {
  const LEAST = 24; // px: a row of a matrix that shows digits
  const MOST = 8; // rows and columns; a larger matrix may be lower
  const LETTERS = 3; // of a name that is cut; a Chinese one reads as a syllable
  const SLACK = 2; // px
  const PIXEL = 4; // px: a cell of a thumbnail with few columns,
  const SHARE = 1 / 240; // or that of the height of a window, where it is less: 3 px of 720
  const PIXELS = 16;
  const WAYS = '.st-key-ways, [data-testid=stLayoutWrapper]:has(> .st-key-ways)'; // beneath which a page is scrolled
  const COLUMNS = 36; // of a matrix; more do not fit a phone
  const FAINT = 0.1; // what is fainter only keeps room
  const LEADING = 2; // px: above and below the letters of a line; next to those of one that is turned
  const canvas = document.createElement('canvas').getContext('2d');
  const styles = new Map();
  const box = (node) => node.getBoundingClientRect();

  function style(node) {
    if (!styles.has(node)) styles.set(node, getComputedStyle(node));
    return styles.get(node);
  }

  function width(text, node) {
    const { fontStyle, fontWeight, fontSize, fontFamily } = style(node);
    canvas.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
    return canvas.measureText(text).width;
  }

  function place(node) {
    const key = [...(node.closest('[class*=st-key-]')?.classList ?? [])].find((name) => name.startsWith('st-key-'));
    return [key, node.closest('[data-matrix-box]')?.dataset.matrixBox, node.closest('[class]')?.getAttribute('class')?.split(' ')[0]]
      .filter(Boolean).join(' ');
  }

  const tell = (kind, { node, text }, more = '') => `${kind}: ${place(node)} “${text.slice(0, 40)}” ${more}`.trim();

  /** Whether the whole name is in a tooltip, and enough of it is read. */
  function isNamed(node, text) {
    const title = node.title || node.closest('[title]')?.getAttribute('title') || '';
    const letters = [...text].slice(0, /\p{Script=Han}/u.test(text) ? 1 : LETTERS).join('');
    return title.includes(text) && (letters === text || width(`${letters}…`, node) <= node.clientWidth);
  }

  /** The visible texts, each with the boxes of its lines. */
  function textsIn(root) {
    const SKIP = 'style, script, noscript, .katex-mathml, [data-testid=stIconMaterial], .pic-spoken, [data-size=thumbnail]';
    const texts = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.data.trim();
      const node = walker.currentNode.parentElement;
      if (!text || !node || node.closest(SKIP)) continue;
      if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || style(node).opacity < FAINT) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const lines = [...range.getClientRects()].filter((line) => line.width > 1 && line.height > 1);
      if (lines.length) texts.push({ node, text, lines });
    }
    return texts;
  }

  /** What is left of a line in the boxes around it, which is null outside of them; cut: what cuts it. */
  function clipped(node, line) {
    let { left, right, top, bottom } = line;
    let [cut, scrolls] = [null, false];
    for (let around = node; around && around !== document.documentElement; around = around.parentElement) {
      const { overflowX, overflowY, clipPath, position, display } = style(around);
      if (clipPath !== 'none') return { hidden: true };
      if (position === 'fixed') break;
      if (display === 'inline' || (overflowX === 'visible' && overflowY === 'visible')) continue;
      const edge = box(around);
      const isScrolled = /auto|scroll/.test(overflowX + overflowY);
      scrolls ||= isScrolled && (around.scrollWidth > around.clientWidth + 1 || around.scrollHeight > around.clientHeight + 1);
      const isTurned = style(node).writingMode !== 'horizontal-tb';
      const across = Math.max(edge.left - left, right - edge.right) - (isTurned ? LEADING : 0);
      const down = Math.max(edge.top - top, bottom - edge.bottom) - (isTurned ? 0 : LEADING);
      const slack = node.matches('.pic-cell') ? 1 : SLACK; // a minus sign is narrow
      if (Math.max(across, down) > slack && !isScrolled && !cut && !scrolls) cut = { node: around, ends: down <= SLACK };
      [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    return { hidden: right - left < 1 || bottom - top < 1, left, right, top, bottom, cut, scrolls };
  }

  /** The block that the text flows in: what is in one block keeps apart by itself. */
  function blockOf(node) {
    const whole = node.closest('.katex, table');
    if (whole) return whole;
    for (let around = node; around; around = around.parentElement) if (!/^(inline|contents)/.test(style(around).display)) return around;
    return document.body;
  }

  function low() {
    return [...document.querySelectorAll('.pic-figure [data-matrix-box]:not([data-size=thumbnail], [data-colours], [data-empty])')].flatMap((matrix) => {
      const rows = [...matrix.querySelectorAll('.pic-row')];
      const cells = matrix.querySelectorAll('.pic-cell');
      const shown = [...cells].some((cell) => (cell.value ?? cell.textContent) !== '');
      if (!shown || !matrix.checkVisibility() || rows.length > MOST || cells.length / rows.length > MOST) return [];
      const height = Math.min(...rows.map((row) => box(row).height));
      return height < LEAST - 0.5 ? [tell('low', { node: matrix, text: `${rows.length} rows` }, `${height} px`)] : [];
    });
  }

  function typed() {
    return [...document.querySelectorAll('.pic input.pic-cell, .pic input.pic-name')].flatMap((node) => {
      if (!node.checkVisibility() || !node.value || node.closest('[data-colours]')) return [];
      const { paddingLeft, paddingRight } = style(node);
      const room = node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      if (width(node.value, node) <= room + 1) return [];
      if (node.matches('.pic-name') && isNamed(node, node.value)) return [];
      return [tell('cut', { node, text: node.value }, `${Math.round(width(node.value, node))} in ${Math.round(room)} px`)];
    });
  }

  /** Whether what is at the point belongs to the text. */
  function isSeen(node, x, y) {
    const top = document.elementFromPoint(x, y);
    // The line of a formula is higher than what is written in it, which is compared with other texts.
    if (!top || top.contains(node) || node.contains(top) || top.closest('.katex')) return true;
    const whole = node.closest('.katex, svg, button, label, a, [role=row]');
    if (whole && (whole.contains(top) || top === whole.parentElement)) return true;
    // What stays at the foot of the window.
    return Boolean(top.closest(WAYS) || (innerWidth <= 640 && top.closest('.pic-panel')));
  }

  /** The points of a line in the window, and how wide it is drawn. */
  function drawn(path) {
    const [matrix, length] = [path.getScreenCTM(), path.getTotalLength()];
    const count = Math.ceil(length / 2);
    const at = (i) => path.getPointAtLength((length * i) / count).matrixTransform(matrix);
    return { points: Array.from({ length: count + 1 }, (_, i) => at(i)), half: parseFloat(style(path).strokeWidth) / 2 };
  }

  /** Numbers and names in a drawing through which a line goes; an axis may. */
  function crossed() {
    return [...document.querySelectorAll('.pic-arcs-strip, .pic-plot svg')].filter((node) => node.checkVisibility()).flatMap((drawing) => {
      const lines = [...drawing.querySelectorAll('path, line, polyline')]
        .filter((line) => (line.getAttribute('opacity') ?? 1) >= 1).map(drawn);
      return textsIn(drawing).filter(({ node }) => !node.matches('text:not([font-weight])')).flatMap((text) => {
        const { left, right, top, bottom } = text.lines[0];
        const [middle, near] = [(top + bottom) / 2, (bottom - top) / 4]; // where the letters are
        const isIn = ({ points, half }) => points.some(({ x, y }) => x + half > left + SLACK && x - half < right - SLACK && Math.abs(y - middle) < near + half);
        return lines.some(isIn) ? [tell('crossed', text)] : [];
      });
    });
  }

  function small() {
    return [...document.querySelectorAll('.pic-figure [data-size=thumbnail]')].flatMap((matrix) => {
      const { w, cols } = { w: parseFloat(matrix.style.getPropertyValue('--w')), cols: matrix.querySelector('.pic-row').children.length - 1 };
      return matrix.checkVisibility() && cols <= PIXELS && w < Math.min(PIXEL, SHARE * innerHeight) ? [tell('small', { node: matrix, text: matrix.ariaLabel ?? '' }, `${w} px`)] : [];
    });
  }

  /** Cells of one matrix that read alike are written alike. */
  function unlike() {
    return [...document.querySelectorAll('.pic-figure [data-matrix-box]:not([data-size=thumbnail], [data-colours])')].flatMap((matrix) => {
      const sizes = new Map();
      for (const cell of matrix.querySelectorAll('.pic-cell')) {
        const text = cell.value ?? cell.textContent;
        sizes.set(text, (sizes.get(text) ?? new Set()).add(style(cell).fontSize));
      }
      return [...sizes].filter(([, all]) => all.size > 1).map(([text, all]) => tell('unlike', { node: matrix, text }, [...all].join(' and ')));
    });
  }

  /** Colours, dashed lines and areas of which no legend says what they are. */
  function unsaid() {
    const keys = [...document.querySelectorAll('.pic-key')].filter((key) => key.checkVisibility() && !key.querySelector('.pic-key-name')?.textContent);
    const plots = [...document.querySelectorAll('.pic-plot')].filter((plot) =>
      [['[stroke-dasharray]', 'path'], ['[fill-opacity="0.12"]', 'hull']].some(([shape, mark]) =>
        plot.querySelector(`svg ${shape}`) && !plot.querySelector(`[data-mark=${mark}]`)?.textContent));
    return [...keys, ...plots].map((node) => tell('unsaid', { node, text: node.textContent }));
  }

  window.fits = () => {
    styles.clear();
    const root = document.querySelector('[data-testid=stMain]');
    const faults = [...low(), ...typed(), ...crossed(), ...small(), ...unlike(), ...unsaid()];
    const seen = [];
    for (const text of textsIn(root)) {
      const { node } = text;
      for (const line of text.lines) {
        const part = clipped(node, line);
        const { cut } = part;
        if (cut && !(cut.ends && style(cut.node).textOverflow === 'ellipsis' && isNamed(cut.node, text.text))) {
          faults.push(tell('cut', text, `by ${cut.node.getAttribute('class')?.split(' ')[0] ?? cut.node.tagName}`));
        }
        if (part.hidden) continue;
        if (!part.scrolls && (line.left < -1 || line.right > innerWidth + 1)) faults.push(tell('outside', text));
        seen.push({ ...text, ...part, foot: node.closest(`.pic-panel, ${WAYS}`) });
        const [y, inner] = [(part.top + part.bottom) / 2, part.right - part.left];
        if (y < 0 || y > innerHeight) continue;
        const points = [part.left + Math.min(3, inner / 2), part.left + inner / 2, part.right - Math.min(3, inner / 2)];
        if (!points.every((x) => isSeen(node, x, y))) {
          const top = points.map((x) => document.elementFromPoint(x, y)).find((one) => one && !one.contains(node) && !node.contains(one));
          faults.push(tell('covered', text, `by ${place(top)}`));
        }
      }
    }
    seen.sort((a, b) => a.top - b.top);
    seen.forEach((a, i) => {
      for (let j = i + 1; j < seen.length && seen[j].top < a.bottom; j += 1) {
        const b = seen[j];
        if (a.foot !== b.foot) continue; // one of them is scrolled beneath the other: see isSeen
        const [across, down] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - b.top];
        if (across <= SLACK || down <= 0.35 * Math.min(a.bottom - a.top, b.bottom - b.top) || a.node === b.node) continue;
        if (blockOf(a.node) !== blockOf(b.node) && !a.node.closest('.pic-arrow')?.contains(b.node)) faults.push(tell('over', a, `and “${b.text.slice(0, 30)}” ${place(b.node)}`));
      }
    });
    for (const cell of document.querySelectorAll('.pic-box:not([data-size=thumbnail]) .pic-row:last-child .pic-cell:last-child')) {
      if (!cell.checkVisibility()) continue;
      const part = clipped(cell, box(cell));
      const matrix = cell.closest('.pic-box');
      const isRead = matrix.dataset.kind === 'weights' && !matrix.querySelector('[data-editable]') && cell.parentElement.children.length <= COLUMNS;
      if (part.scrolls && isRead && box(cell).right > box(matrix).right + SLACK) faults.push(tell('scrolled', { node: cell, text: cell.ariaLabel ?? '' }));
      if (part.scrolls || part.hidden) continue;
      if (box(cell).right > Math.min(innerWidth, box(cell.closest('.pic')).right + 1)) faults.push(tell('outside', { node: cell, text: cell.getAttribute('aria-label') ?? '' }));
    }
    // The names of parts may be scrolled to.
    for (const node of document.querySelectorAll('.stMain [role=radiogroup]:not(.st-key-parts *)')) {
      if (node.scrollWidth > node.clientWidth + 1) faults.push(tell('outside', { node, text: node.ariaLabel ?? '' }));
    }
    for (const node of [document.documentElement, root]) {
      if (node.scrollWidth > innerWidth) faults.push(`wide: the page has ${node.scrollWidth} px`);
    }
    // An index that is an item of a row of its own is not below its line.
    for (const node of root.querySelectorAll('sub, sup')) {
      if (/flex|grid/.test(style(node.parentElement).display)) faults.push(tell('raised', { node, text: node.textContent ?? '' }));
    }
    for (const node of document.querySelectorAll('[data-testid=stException]')) faults.push(`exception: ${node.innerText.slice(0, 200)}`);
    return [...new Set(faults)];
  };

  /** Charts that leave room, that have no names, or texts that are not read. */
  window.charts = () => [...document.querySelectorAll('[class*=st-key-plot-]')].flatMap((plot) => {
    const body = parseFloat(getComputedStyle(document.querySelector('[data-testid=stMain]')).fontSize);
    const NAMES = '[class*=role-title] text, [class*=role-axis-title] text, [class*=role-legend-label] text';
    const faults = [];
    const charts = [...plot.querySelectorAll('.stVegaLiteChart svg.marks')];
    const key = place(plot);
    if (!charts.length) faults.push(`missing: ${key}`);
    const row = (Math.max(...charts.map((svg) => box(svg).right)) - box(plot).left) / box(plot).width;
    for (const svg of charts) {
      const own = box(svg);
      const share = own.width / box(svg.closest('[data-testid=stVerticalBlock]')).width;
      if (share < 0.85 || share >= 1.01 || row < 0.85) faults.push(`width: ${key} ${share.toFixed(2)}, all ${row.toFixed(2)}`);
      if (!svg.closest('[aria-label]') || !svg.querySelector('[class*=role-axis-title] text')) faults.push(`unnamed: ${key}`);
      const names = [...svg.querySelectorAll(NAMES)];
      const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
      for (const text of svg.querySelectorAll('text')) {
        const { left, right, top, bottom, width: wide } = box(text);
        if (!text.textContent || !wide) continue;
        const isOut = left < own.left - 1 || right > own.right + 1 || top < own.top - 2 || bottom > own.bottom + 2;
        const isShort = text.textContent.includes('…') || /\d(?:\.\d+)?e[+−-]?\d/.test(text.textContent);
        const isOver = names.includes(text) && names.some((name) => name !== text && overlap(box(name), box(text)));
        const size = parseFloat(getComputedStyle(text).fontSize);
        if (isOut || isShort || isOver || Math.abs(size - body) > 2) faults.push(`unread: ${key} “${text.textContent}” ${size} px`);
      }
    }
    return faults;
  });

  /** What leads on from the first page is in sight, and matrices that are compared are, with the readout below them. */
  window.inSight = () => {
    const below = (node) => box(node).bottom > innerHeight;
    const way = document.querySelector('.st-key-ways a');
    const compared = [...document.querySelectorAll('.pic')].slice(0, innerWidth > 640 ? 1 : 0)
      .filter((pic) => !pic.querySelector('[data-editable]') && pic.querySelectorAll('.pic-figure .pic-box[data-kind=weights]:not([data-size=thumbnail])').length > 1);
    return [...(way && below(way) ? [tell('below', { node: way, text: way.textContent })] : []),
      ...compared.map((pic) => pic.querySelector('.pic-panel')).filter(below).map((node) => tell('below', { node, text: node.textContent }))];
  };

  /** A part opens with half of a window empty, or with a panel over the last row of its picture. */
  window.opened = () => {
    const bottom = (node) => box(node).bottom;
    const blocks = [...document.querySelectorAll('[data-testid=stMain] .stElementContainer')].filter((one) => one.clientHeight);
    const filled = Math.max(...blocks.map(bottom)) / innerHeight;
    const panels = [...document.querySelectorAll('.pic-panel:not([data-bare])')].filter((panel) =>
      [...panel.closest('.pic').querySelectorAll('.pic-figure [data-matrix]')].some((cell) => bottom(cell) > box(panel).top));
    return [...(filled > 0.5 ? [] : [`empty: the page ends at ${filled.toFixed(2)} of the window`]), ...panels.map(() => 'covered: a row by the panel')];
  };
})();
