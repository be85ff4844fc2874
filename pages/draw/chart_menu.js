// The menu of a figure with charts: save its charts, save their numbers, enlarge the figure. It looks and works like the
// menu of a matrix.

const LARGEST = 3; // largest factor of the size on the page
const NARROWEST = 640; // px, the least width of a figure before it is enlarged

/** The largest factor of the charts' size with which all of the figure is in sight (see page.css). */
function enlargement(figure) {
  const present = Number(getComputedStyle(figure).getPropertyValue('--chart')) || 1;
  const most = Math.min(LARGEST, innerWidth / NARROWEST, (0.94 * innerHeight * present) / figure.offsetHeight);
  return Math.max(present, most);
}

function enlarge(figure) {
  const by = enlargement(figure);
  const change = () => {
    if (document.fullscreenElement === figure) return figure.style.setProperty('--chart', by);
    figure.style.removeProperty('--chart');
    return document.removeEventListener('fullscreenchange', change);
  };
  document.addEventListener('fullscreenchange', change);
  figure.requestFullscreen();
}

function build(parent) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'pic-menu', textContent: '▾' });
  const list = Object.assign(document.createElement('div'), { className: 'pic-menu-list', popover: 'auto', role: 'menu' });
  button.setAttribute('aria-haspopup', 'menu');
  button.onclick = () => globalThis.attentionPicture.openList(list, button);
  list.onkeydown = (event) => globalThis.attentionPicture.moveInList(list, event);
  parent.append(button, list);
  return [button, list];
}

/** askForNumbers: asks the server for the numbers' file. */
export function drawMenu(data, parent, askForNumbers) {
  const menu = parent.querySelector('.chart-menu') ?? parent.appendChild(document.createElement('div'));
  menu.className = 'chart-menu';
  const [button, list] = menu.children.length ? menu.children : build(menu);
  const press = {
    enlarge: () => enlarge(menu.closest('[class*="st-key-plot-"]')),
    csv: askForNumbers,
  };
  button.setAttribute('aria-label', data.label);
  button.title = data.label;
  list.setAttribute('aria-label', data.label);
  list.replaceChildren(...data.items.map(([name, text]) => {
    const item = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
    item.setAttribute('role', 'menuitem');
    item.dataset.item = name;
    item.hidden = name === 'enlarge' && !document.fullscreenEnabled;
    item.onclick = () => {
      list.hidePopover();
      button.focus();
      const act = press[name] ?? (() => globalThis.attentionPicture.saveFigure(menu, name, data.title, data.name));
      act();
    };
    return item;
  }));
}
