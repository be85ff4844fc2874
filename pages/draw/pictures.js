// Buttons that save pictures; the code of the pictures draws them (see pages/draw/picture/save.js).

export default function render({ data: [data], parentElement }) {
  const row = parentElement.querySelector('.save-pictures') ?? parentElement.appendChild(document.createElement('div'));
  row.className = 'save-pictures';
  Object.entries(data.labels).forEach(([format, label], i) => {
    const button = row.children[i] ?? row.appendChild(document.createElement('button'));
    const press = () => globalThis.attentionPicture.savePage(format, data.title, data.name);
    Object.assign(button, { type: 'button', textContent: label, onclick: press });
  });
}
