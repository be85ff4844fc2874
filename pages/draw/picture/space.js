// The room that a picture has: its width, how far it is above the foot of the window, and the theme of the page.

import { useBackground } from './colours.js';
import { footOf, largest, PHONE } from './sizes.js';
/** @import { Picture } from './picture.js' */

const RECOLOUR_AFTER = 500; // ms: Streamlit writes its colours again a moment after the browser's theme has changed

export class Space {
  /**
   * @param {Pick<Picture, 'root' | 'data' | 'outbox' | 'layout' | 'panel' | 'menu' | 'build' | 'draw'
   *   | 'look' | 'choice' | 'steps'>} picture
   */
  constructor(picture) {
    this.picture = picture;
    this.observer = new ResizeObserver(() => this.fit());
  }

  listen(root, signal) {
    window.addEventListener('resize', () => this.fit(), { signal });
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      setTimeout(() => this.recolour(), RECOLOUR_AFTER);
    }, { signal });
  }

  /** What comes above the picture later, such as the toolbar, moves it: then what it is in grows. */
  watch() {
    this.observer.disconnect();
    for (let node = this.picture.root; node; node = node.parentElement) this.observer.observe(node);
  }

  /** New sizes if the room is another than before; not while the hand moves a number. */
  fit() {
    const { data, outbox, root, layout } = this.picture;
    if (!data || outbox.busy || !root.isConnected) return;
    if (layout.phone !== window.matchMedia(PHONE).matches) this.picture.build();
    else if (!this.isAnother(this.measure())) return;
    this.resize();
  }

  /** [width, height or null where that is free, how many times as large as on a laptop]. */
  measure() {
    const { root, data } = this.picture;
    return [root.clientWidth, data.fit ? window.innerHeight - this.pageTop() : null, largest()];
  }

  isAnother(room) {
    return String(room) !== this.key;
  }

  /** How far the picture is below the top of the page, whatever has been scrolled. */
  pageTop() {
    const { root } = this.picture;
    let top = root.getBoundingClientRect().top;
    for (let node = root.parentElement; node; node = node.parentElement) top += node.scrollTop;
    return Math.round(top);
  }

  resize() {
    const { picture } = this;
    const { root, panel, layout, data } = picture;
    if (!data || !root.clientWidth) return;
    const room = this.measure();
    const [width, height, screen] = room;
    this.key = String(room);
    // Sentences need to grow less than numbers do, but not those that a class is to read.
    root.style.setProperty('--screen', data.large ? screen : Math.sqrt(screen));
    const foot = panel.node.offsetHeight + footOf(data.large);
    layout.size(width, height === null ? null : height - foot, data.fit, data.large);
    picture.menu.sizeEnlarged(layout);
    this.setFoot();
    panel.measure(layout.phone ? 2 : 1);
    picture.draw();
    picture.look(false);
    if (picture.choice.led) picture.steps.scroll(); // what comes above the picture moves it
  }

  /** The panel covers the foot of the window: what is scrolled into sight ends above it. */
  setFoot() {
    const { root, panel } = this.picture;
    root.style.setProperty('--foot', `${panel.node.offsetHeight}px`);
  }

  // ---- the theme

  /** Takes the colours of the page's theme; true if it is another than before. */
  lookAtTheme() {
    return useBackground(getComputedStyle(this.picture.root).getPropertyValue('--st-background-color'));
  }

  recolour() {
    if (this.picture.root.isConnected && this.picture.data && this.lookAtTheme()) this.picture.draw();
  }

  close() {
    this.observer.disconnect();
  }
}
