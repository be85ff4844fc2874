// A button that copies a link, and says so. Without HTTPS browsers offer no clipboard: there a selected text is copied.

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.body.appendChild(Object.assign(document.createElement('textarea'), { value: text }));
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    return copied;
  }
}

export default function render({ data: [{ label, copied, link }], parentElement }) {
  const row = parentElement.querySelector('.save') ?? parentElement.appendChild(document.createElement('div'));
  row.className = 'save';
  const button = row.querySelector('button') ?? row.appendChild(document.createElement('button'));
  const status = row.querySelector('output') ?? row.appendChild(document.createElement('output'));
  if (row.dataset.link !== link) status.textContent = ''; // the copied link is another one
  row.dataset.link = link;
  Object.assign(button, { type: 'button', textContent: label });
  button.onclick = async () => {
    if (await copy(link)) status.textContent = copied;
    button.focus();
  };
}
