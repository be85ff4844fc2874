// What a class cannot see of a presented page: cells and charts that are cut, covered or outside of the window, type that is
// not read from the last row, and a subject that leaves most of the window empty.
(() => {
  const READ = 0.02; // of the window's height: the smallest type
  const WIDE = 0.5; // of the window: the subject's width,
  const HIGH = 0.72; // or its height
  const HEAVY = 1.6; // times the numbers: the largest title of a matrix whose numbers are small
  const ALONE = 1.5; // times the smallest type: a question without a figure,
  const HALF = 0.5; // unless it fills so much of the window
  const MANY = 16; // rows and columns of a matrix whose labels may be smaller
  const box = (node) => node.getBoundingClientRect();
  const isShown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const main = () => document.querySelector('[data-testid=stMain]');
  const figures = () => [...main().querySelectorAll('.pic, .stVegaLiteChart')].filter(isShown);
  const cards = () => [...main().querySelectorAll('[class*="st-key-ask-"]')].filter(isShown);

  function sizeOf(node) {
    let zoom = 1;
    for (let around = node; around; around = around.parentElement) zoom *= Number(getComputedStyle(around).zoom) || 1;
    const drawing = node.closest('svg[viewBox]');
    if (drawing && !drawing.closest('.katex')) zoom *= box(drawing).width / (drawing.viewBox.baseVal.width || box(drawing).width);
    if (node.closest('svg.marks')) zoom = box(node.closest('svg')).width / (node.closest('svg').viewBox.baseVal.width || box(node.closest('svg')).width);
    return zoom * parseFloat(getComputedStyle(node).fontSize);
  }

  /** The texts whose type is smaller than that. */
  window.small = (least, roots = [main()]) => {
    const faults = [];
    for (const root of roots) {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { parentElement: node, data } = texts.currentNode;
        if (!data.trim() || node.closest('.katex-mathml, style, .pic-spoken, [data-size=thumbnail], [aria-hidden=true]:not(.pic-arcs-shares, svg)')) continue;
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        const { width, height } = range.getBoundingClientRect();
        if (width <= 2 || height <= 2 || !isShown(node)) continue;
        const size = sizeOf(node);
        if (size < least) faults.push(`small: “${data.trim().slice(0, 30)}” ${size.toFixed(1)} px`);
      }
      for (const node of root.querySelectorAll('.pic-box:not([data-colours]) input.pic-cell, .pic input.pic-name')) {
        if (isShown(node) && sizeOf(node) < least) faults.push(`small: “${node.value}” ${sizeOf(node).toFixed(1)} px`);
      }
    }
    return faults;
  };

  /** What is outside of the window or beneath something else. */
  function hidden() {
    const faults = [];
    const look = (node, name) => {
      const { left, right, top, bottom, width, height } = box(node);
      if (!width || !isShown(node)) return;
      if (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1) faults.push(`outside: ${name} ${Math.round(right)}, ${Math.round(bottom)}`);
      else {
        const above = document.elementFromPoint(left + width / 2, top + height / 2);
        const figure = node.closest('.pic, .stVegaLiteChart, [class*="st-key-ask-"]');
        if (above && !figure.contains(above) && !above.contains(node)) faults.push(`covered: ${name} by ${above.className}`);
        if (above?.closest('.pic-panel') && !node.closest('.pic-panel') && !node.contains(above)) faults.push(`covered: ${name} by the panel`);
      }
    };
    for (const matrix of main().querySelectorAll('.pic-box')) {
      const cells = matrix.querySelectorAll('.pic-cell');
      if (cells.length) [cells[0], cells[cells.length - 1]].forEach((cell) => look(cell, matrix.dataset.matrixBox));
    }
    for (const chart of main().querySelectorAll('.stVegaLiteChart svg, .pic-plot svg, .pic-arcs-strip')) look(chart, 'chart');
    for (const card of cards()) look(card, 'question');
    return faults;
  }

  /** A subject that could be larger. */
  function smaller() {
    const all = [...figures(), ...cards()];
    const inUnits = [...main().querySelectorAll('[class*="st-key-unit-"] [data-testid=stElementContainer]')];
    if (inUnits.length && !inUnits.some(isShown)) return ['little: an empty page'];
    if (!figures().length) return cards().filter((card) => sizeOf(card.querySelector('p') ?? card) < ALONE * READ * innerHeight && box(card).bottom < HALF * innerHeight).map(() => 'little: a question alone');
    const parts = figures().flatMap((figure) => [...figure.querySelectorAll('.pic-box, .pic-plot svg, .pic-arcs-strip, svg.marks')]).filter(isShown).map(box);
    const width = Math.max(...parts.map(({ right }) => right)) - Math.min(...parts.map(({ left }) => left));
    const bottom = Math.max(...all.map((node) => box(node).bottom));
    return width < WIDE * innerWidth && bottom < HIGH * innerHeight ? [`little: ${Math.round(width)} wide, to ${Math.round(bottom)}`] : [];
  }

  /** Titles of matrices that take the room of their numbers. */
  function heavy() {
    const matrices = [...main().querySelectorAll('.pic-box:not([data-colours]):has(.pic-cell)')].filter(isShown);
    return matrices.flatMap((matrix) => {
      const [title, cell] = ['.pic-title', '.pic-cell'].map((part) => sizeOf(matrix.querySelector(part)));
      return cell < 1.2 * READ * innerHeight && title > HEAVY * cell ? [`heavy: ${matrix.dataset.matrixBox} ${title.toFixed(0)} and ${cell.toFixed(0)} px`] : [];
    });
  }

  /** Matrices with many rows are seen by their colours. */
  const dense = (node) => Boolean(node.querySelector('[data-colours]')) || [...node.querySelectorAll('.pic-box')].some((matrix) => matrix.querySelectorAll('.pic-row').length > MANY);

  window.presented = () => [...new Set([
    ...hidden(),
    ...window.small(READ * innerHeight - 0.1, [...figures().filter((node) => !dense(node)), ...cards()]),
    ...smaller(),
    ...heavy(),
    ...window.fits().filter((fault) => !/^(low|outside)|“[−∞\d.e]+” by pic-cell/.test(fault)),
  ])];
})();
