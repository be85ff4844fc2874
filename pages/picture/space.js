// The room that a picture has: its width, how far it is above the foot of the window, and the theme of the page.

import { useBackground } from './colours.js';
import { footOf, largest, PHONE } from './sizes.js';
/** @import { PictureView } from './picture.js' */

const BESIDE_FORMULA = 0.56; // of the width, for a class
const RECOLOUR_AFTER = 500; // ms: Streamlit writes its colours again a moment after the browser's theme has changed

export class Space {
  /**
   * @param {Pick<PictureView, 'root' | 'figure' | 'data' | 'outbox' | 'layout' | 'panel' | 'menu' | 'arcs' | 'build' | 'draw'
   *   | 'look' | 'choice' | 'steps'>} picture
   */
  constructor(picture) {
    this.picture = picture;
    this.foot = 0; // how high the panel is, in px
    this.observer = new ResizeObserver(() => this.fit());
  }

  listen(root, signal) {
    window.addEventListener('resize', () => this.fit(), { signal });
    root.addEventListener('room', () => this.fit(), { signal }); // a presentation gives another height: see stage.js
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

  /**
   * [width, height or null where that is free, how many times as large as on a laptop, the bands that a presentation
   * shows, the size of the page's type: the styles of a presentation may go after its picture, and leave a higher panel].
   * The font is noted as well.
   * @returns {[number, number | null, number, string, string]}
   */
  measure() {
    const { root, data, figure, layout } = this.picture;
    layout.family = getComputedStyle(root).fontFamily;
    const height = this.room ?? (data.fit ? window.innerHeight - this.pageTop() : null);
    const width = (data.plots_left ? figure : root).clientWidth;
    const isBeside = data.front && this.room !== null; // a class sees X next to the formula
    const type = getComputedStyle(document.documentElement).fontSize;
    return [isBeside ? Math.round(BESIDE_FORMULA * width) : width, height, largest(), figure.dataset.bands ?? '', type];
  }

  /** The height that a presentation gives to the picture, or null. */
  get room() {
    const { room } = this.picture.root.dataset;
    return room === undefined ? null : Number(room);
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

  /**
   * Draws all in a room. First everything is written and then everything is measured: what is measured after
   * something was written lays the page out again.
   */
  resize(room = this.measure()) {
    const { picture } = this;
    const { root, layout, data } = picture;
    const [width, height, screen] = room;
    if (!width) picture.draw();
    else {
      this.key = String(room);
      // Sentences need to grow less than numbers do, except the sentences that a class is to read.
      root.style.setProperty('--screen', String(data.large ? screen : Math.sqrt(screen)));
      picture.arcs.fit();
      this.foot = 0;
      layout.size(width, height === null ? null : () => height - this.footDrawn(), data.fit || this.room !== null, data.large);
      if (!this.foot) this.footDrawn();
      this.setFoot(this.foot);
      picture.menu.sizeEnlarged(layout);
      picture.draw();
    }
    picture.look(false);
  }

  /** How high the panel is, and what is free below it, once everything is drawn; in a presentation all but the matrices. */
  footDrawn() {
    const { picture } = this;
    const { panel, layout, data, root, figure } = picture;
    picture.draw();
    panel.measure(layout.phone ? 2 : 1);
    this.foot = panel.node.offsetHeight;
    if (this.room !== null && !data.plots_left) return root.offsetHeight - figure.offsetHeight;
    return this.foot + footOf(data.large);
  }

  /** The panel covers the foot of the window: what is scrolled into sight ends above it. */
  setFoot(px = this.picture.panel.node.offsetHeight) {
    this.picture.root.style.setProperty('--foot', `${px}px`);
  }

  // ---- the theme

  /** Takes the colours of the page's theme. */
  lookAtTheme() {
    useBackground(getComputedStyle(this.picture.root).getPropertyValue('--st-background-color'));
  }

  recolour() {
    if (!this.picture.root.isConnected || !this.picture.data) return;
    this.lookAtTheme();
    this.picture.draw();
  }

  close() {
    this.observer.disconnect();
  }
}
