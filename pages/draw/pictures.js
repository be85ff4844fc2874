// Buttons that save pictures; the code of the pictures draws them (see pages/draw/picture/save.js).

function press({ target }, format, { title, name, figure }) {
  const { saveFigure, savePage } = globalThis.attentionPicture;
  if (figure) saveFigure(target, format, title, name);
  else savePage(format, title, name);
}

export default function render({ data: [data], parentElement }) {
  const row = parentElement.querySelector('.save-pictures') ?? parentElement.appendChild(document.createElement('div'));
  row.className = 'save-pictures';
  row.toggleAttribute('data-figure', Boolean(data.figure));
  Object.entries(data.labels).forEach(([format, label], i) => {
    const button = row.children[i] ?? row.appendChild(document.createElement('button'));
    Object.assign(button, { type: 'button', textContent: label, onclick: (event) => press(event, format, data) });
  });
}
