// Puts the code on the page, once: what comes with every update is mount.js alone.

globalThis.attentionPicture ??= render;
document.dispatchEvent(new Event('attention-picture'));

export default () => undefined;
