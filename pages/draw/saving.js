// Files that the server makes: a press asks for the file, and the answer to the press contains it (see saving.py).

const KEPT = 60_000; // ms: a browser may ask where to put the file
const waiting = new Set(); // what was asked for and has not arrived: each file is saved once

/** Asks the server, with the component's own function, for the file. */
export function askFor(setTriggerValue) {
  const asked = `${Date.now()}-${Math.random()}`;
  waiting.add(asked);
  setTriggerValue('asked', asked);
}

/** Saves a file that was asked for; file: null, or what the server has answered. */
export function saveFile(file) {
  if (!waiting.delete(file?.asked)) return;
  const bytes = Uint8Array.from(atob(file.content), (letter) => letter.charCodeAt(0));
  const link = Object.assign(document.createElement('a'), { download: file.name });
  link.href = URL.createObjectURL(new Blob([bytes], { type: file.mime }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
