// What a test that presses every control asks of the page: which controls there are, and what the pictures show.

globalThis.everyControl = (() => {
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getBoundingClientRect().width > 0;
  /** A phone has the sidebar next to the screen. */
  const isBeside = (node) => node.closest('[data-testid="stSidebar"]')?.getBoundingClientRect().right <= 0;
  const keyOf = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const key = [...at.classList].find((name) => name.startsWith('st-key-'));
      if (key) return key.slice(7).replace(/^(set_.*)-\d+$/, '$1'); // the same where it was made again
    }
    return '';
  };
  const textOf = (node) => (node.getAttribute('aria-label') || node.innerText || '').trim().slice(0, 60);

  // Streamlit's widgets: selector → kind. Links and downloads are not pressed; the sidebar's own button neither.
  const WIDGETS = {
    '.stPopover button': 'popover',
    '.stButton button, .stFormSubmitButton button': 'button',
    '[data-testid="stNumberInputStepUp"]': 'plus',
    '[data-testid="stNumberInputStepDown"]': 'minus',
    '.stSelectbox [role="combobox"]': 'select',
    '.stButtonGroup button[data-variant]': 'option',
    '.stCheckbox label': 'check',
    '.stRadio label[data-baseweb], .stRadio [role="radiogroup"] > label': 'radio',
    '.stTextInput input': 'text',
    '.stExpander summary': 'expander',
  };

  /** The place of a node among the like ones of its widget. */
  const placeOf = (node, selector) => {
    const home = node.closest('[class*="st-key-"]') || document.body;
    return [...home.querySelectorAll(selector)].filter(isShown).indexOf(node);
  };

  function widgets() {
    const found = [];
    for (const [selector, kind] of Object.entries(WIDGETS)) {
      for (const node of document.querySelectorAll(selector)) {
        if (!isShown(node) || node.closest('.pic') || isBeside(node)) continue;
        const key = keyOf(node);
        const input = node.querySelector('input') || node;
        const disabled = input.disabled || node.getAttribute('aria-disabled') === 'true';
        found.push({ id: `${kind} ${key} ${placeOf(node, selector)}`, kind, key, node, disabled });
      }
    }
    return found;
  }

  // ---- the picture's own controls

  const first = (nodes, matters = () => true) => [...nodes].filter(isShown).filter(matters).slice(0, 1);

  function ofBox(box) {
    const id = box.dataset.matrixBox;
    const found = [];
    const add = (kind, nodes, name = '') => {
      for (const node of nodes) found.push({ id: `${kind} ${id}${name && ` ${name}`}`, kind, key: id, node, disabled: node.disabled });
    };
    add('title', box.querySelectorAll('button.pic-title'));
    add('menu', first(box.querySelectorAll('.pic-menu')));
    [...box.querySelectorAll('.pic-grow')].forEach((node, i) => add(node.textContent === '+' ? 'grow' : 'shrink', [node], i));
    add('name', first(box.querySelectorAll('.pic-name')));
    add('remove', first(box.querySelectorAll('.pic-remove')));
    add('type', first(box.querySelectorAll('input.pic-cell')));
    [...box.querySelectorAll('button.pic-cell')].slice(0, 4).forEach((node, i) => add('cell', [node], i));
    add('slider', box.querySelectorAll('.pic-slider'));
    if (box.getAttribute('role') === 'button') add('thumbnail', [box]);
    add('pin', first(box.querySelectorAll('div.pic-cell[role="gridcell"]')));
    return found;
  }

  function ofPicture(pic) {
    const found = [...pic.querySelectorAll('[data-matrix-box]')].flatMap(ofBox);
    const walks = [...pic.querySelectorAll('.pic-walk')].map((node, i) =>
      ({ id: `walk ${i ? 'on' : 'back'}`, kind: 'walk', key: '', node, disabled: node.disabled }));
    const begins = [...pic.querySelectorAll('.pic-first')].map((node) =>
      ({ id: 'begin', kind: 'begin', key: '', node, disabled: node.disabled }));
    const follows = [...pic.querySelectorAll('.pic-follow label')].map((node, i) =>
      ({ id: `follow ${i}`, kind: 'follow', key: '', node, disabled: false }));
    return [...found, ...begins, ...walks, ...follows].map((one) =>
      ({ ...one, id: `${pic.dataset.picture} ${one.id}`, picture: pic.dataset.picture }));
  }

  function controls() {
    const found = [...widgets(), ...[...document.querySelectorAll('.pic')].flatMap(ofPicture)];
    return found.filter(({ node }) => isShown(node)).sort((a, b) =>
      (a.node.compareDocumentPosition(b.node) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }

  // ---- what the page shows

  function opacities(pic) {
    const known = new Map([[pic, 1]]);
    const of = (node) => {
      if (!known.has(node)) known.set(node, Number(getComputedStyle(node).opacity) * of(node.parentElement));
      return known.get(node);
    };
    return of;
  }

  function boxShown(box, opacity) {
    const cells = [...box.querySelectorAll('[data-row][data-col]')];
    const { width, height } = box.getBoundingClientRect();
    return {
      id: box.dataset.matrixBox,
      // Presented, a large picture has its bands on several pages.
      room: (width > 0 && height > 0) || Boolean(box.closest('.pic-band[data-aside]')),
      wordless: box.hasAttribute('data-colours') || box.dataset.size === 'thumbnail',
      cells: cells.map((cell) => [
        Number(cell.dataset.row), Number(cell.dataset.col), cell.dataset.value ?? null,
        cell.tagName === 'INPUT' ? cell.value : cell.textContent, opacity(cell),
      ]),
    };
  }

  function pictureShown(pic) {
    const opacity = opacities(pic);
    const chosen = [...pic.querySelectorAll('.pic-step[data-chosen]')];
    return {
      key: pic.dataset.picture,
      shown: pic.checkVisibility(),
      top: pic.getBoundingClientRect().top,
      boxes: [...pic.querySelectorAll('[data-matrix-box]')].map((box) => boxShown(box, opacity)),
      count: pic.querySelector('.pic-count')?.textContent,
      titles: chosen.map((step) => step.querySelector('strong').textContent),
      looked: Boolean(pic.querySelector('[data-lit="self"]')), // the panel tells the step of this cell
    };
  }

  function shown() {
    const main = document.querySelector('[data-testid="stMain"]');
    const cards = [...document.querySelectorAll('[class*="st-key-ask-"]')].map((card) => {
      const { top, height } = card.getBoundingClientRect();
      const verdict = card.querySelector('[class*="st-key-verdict-"]')?.getBoundingClientRect();
      return [keyOf(card), { top, height, ends: verdict?.bottom ?? top }];
    });
    return {
      query: location.search.slice(1),
      pictures: [...document.querySelectorAll('.pic[data-picture]')].map(pictureShown),
      wrong: [...document.querySelectorAll('.stException, [data-testid="stAlertContentError"], [data-testid="stErrorElement"]')]
        .map((node) => node.innerText.slice(0, 300)),
      missing: [...document.querySelectorAll('[role="dialog"]')].map((node) => node.innerText).filter((text) => /page not found/i.test(text)),
      window: innerHeight,
      scrolled: main.scrollTop,
      height: main.scrollHeight,
      // Sentences below a picture that are replaced make the page shorter for a moment, by up to 100 px.
      atEnd: main.scrollTop + main.clientHeight >= main.scrollHeight - 100,
      cards: Object.fromEntries(cards),
    };
  }

  const told = ({ node, ...one }) => ({ ...one, text: textOf(node), inPopover: Boolean(node.closest('[data-testid="stPopoverBody"]')),
    shared: Boolean(node.closest('.st-key-toolbar, .st-key-history, .st-key-about, .st-key-handout, [data-testid="stSidebar"]')),
  });

  /** What lies on a control, in the way of the hand, or that the control is out of sight; '' if nothing. */
  function over(node) {
    const { left, top, width, height } = node.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const label = node.closest('label');
    if (!hit) return 'out of sight';
    return node.contains(hit) || label?.contains(hit) ? '' : `${hit.className || hit.tagName} “${hit.innerText?.slice(0, 60)}”`;
  }

  return { over, list: () => controls().map(told), find: (id) => controls().find((one) => one.id === id)?.node, shown };
})();
