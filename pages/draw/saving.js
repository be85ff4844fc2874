// Saves files: one button, or the menu of a chart. The server makes a file on demand, and the answer to the press
// contains it (see saving.py); pictures are drawn by the browser (see picture/save.js).

import { drawMenu } from './chart_menu.js';

const KEPT = 60_000; // ms for the browser's question where to save the file
const waiting = new Set(); // requests without an answer yet: each file is saved once

/** Asks the server, with the component's own function, for the file. */
function askFor(setTriggerValue) {
  const asked = `${Date.now()}-${Math.random()}`;
  waiting.add(asked);
  setTriggerValue('asked', asked);
}

/** Saves a requested file. file: the server's answer, or null. */
function saveFile(file) {
  if (!waiting.delete(file?.asked)) return;
  const bytes = Uint8Array.from(atob(file.content), (letter) => letter.charCodeAt(0));
  const link = Object.assign(document.createElement('a'), { download: file.name });
  link.href = URL.createObjectURL(new Blob([bytes], { type: file.mime }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

function drawButton(data, parent, press) {
  const row = parent.querySelector('.save') ?? parent.appendChild(document.createElement('div'));
  row.className = 'save';
  row.toggleAttribute('data-quiet', data.quiet);
  const button = row.querySelector('button') ?? row.appendChild(document.createElement('button'));
  Object.assign(button, { type: 'button', textContent: data.label, onclick: press });
}

export default function render({ data: [data], parentElement, setTriggerValue }) {
  const ask = () => askFor(setTriggerValue);
  const savePage = () => globalThis.attentionPicture.savePage(data.format, data.title, data.name);
  if (data.items) drawMenu(data, parentElement, ask);
  else drawButton(data, parentElement, data.format ? savePage : ask);
  saveFile(data.file);
}
