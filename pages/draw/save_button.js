// A button that asks the server for a file, and saves the file when it arrives (see saving.py).

import { askFor, saveFile } from './saving.js';

export default function render({ data, parentElement, setTriggerValue }) {
  const row = parentElement.querySelector('.save-pictures') ?? parentElement.appendChild(document.createElement('div'));
  row.className = 'save-pictures';
  row.toggleAttribute('data-quiet', data.quiet);
  const button = row.querySelector('button') ?? row.appendChild(document.createElement('button'));
  Object.assign(button, { type: 'button', textContent: data.label, onclick: () => askFor(setTriggerValue) });
  saveFile(data.file);
}
