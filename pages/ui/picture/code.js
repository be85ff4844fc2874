// Puts the code on the page, once: what comes with every update is mount.js alone.

if (!globalThis.attentionPicture) {
  globalThis.attentionPicture = render;
  document.addEventListener('click', holdLink, { capture: true });
}
document.dispatchEvent(new Event('attention-picture'));

export default () => undefined;
