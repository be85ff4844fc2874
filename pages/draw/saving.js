// A button that asks the server for a file, and saves it when it arrives (see saving.py).

const KEPT = 60_000; // ms: a browser may ask where to put the file
const waiting = new Set(); // what was asked for and has not arrived: each file is saved once

function save({ asked, name, mime, content }) {
  if (!waiting.delete(asked)) return;
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const link = Object.assign(document.createElement('a'), { download: name });
  link.href = URL.createObjectURL(new Blob([bytes], { type: mime }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

export default function render({ data, parentElement, setTriggerValue }) {
  const row = parentElement.querySelector('.save-pictures') ?? parentElement.appendChild(document.createElement('div'));
  row.className = 'save-pictures';
  row.toggleAttribute('data-figure', data.quiet);
  const button = row.querySelector('button') ?? row.appendChild(document.createElement('button'));
  const ask = () => {
    const asked = `${Date.now()}-${Math.random()}`;
    waiting.add(asked);
    setTriggerValue('asked', asked);
  };
  Object.assign(button, { type: 'button', textContent: data.label, onclick: ask });
  if (data.file) save(data.file);
}
