// A button that saves the pictures of the page; the code of the pictures draws them (see pages/ui/picture/save.js).
export default function render({ data, parentElement }) {
  let button = parentElement.querySelector('button');
  if (!button) {
    button = document.createElement('button');
    button.type = 'button';
    parentElement.append(button);
  }
  button.textContent = data.label;
  button.onclick = () => globalThis.attentionPicture.savePage(data.format, data.title, data.name);
}
