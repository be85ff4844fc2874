// The slider of a number that stands alone. It is logarithmic where the number's steps multiply: then four stops
// double it.

const STOPS_TO_DOUBLE = 4;
const STOPS_MOST = 400;

/** How many stops lie between the ends; an even number, so that the middle is one. */
function stopsOf({ low, high, log, step }) {
  const count = log ? STOPS_TO_DOUBLE * Math.log2(high / low) : Math.min(STOPS_MOST, (high - low) / step);
  return Math.max(2, 2 * Math.round(count / 2));
}

/** Where a value lies: 0 is the left end, 1 the right one. */
function shareOf({ low, high, log }, value) {
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(Math.max(share, 0), 1);
}

/** The value at the stop that is nearest to that place. */
function valueOn(spec, share) {
  const { low, high, log, integer } = spec;
  const at = Math.round(Math.min(Math.max(share, 0), 1) * stopsOf(spec)) / stopsOf(spec);
  const value = Number((log ? low * (high / low) ** at : low + (high - low) * at).toPrecision(4));
  return integer ? Math.round(value) : value;
}

/** The next other value in that direction. */
function valueBeside(spec, value, direction) {
  const stops = stopsOf(spec);
  const from = Math.round(shareOf(spec, value) * stops);
  for (let stop = from; stop >= 0 && stop <= stops; stop += direction) {
    const found = valueOn(spec, stop / stops);
    if ((found - value) * direction > 0) return found;
  }
  return value;
}

function makeSlider(spec) {
  const thumb = element('div', { class: 'pic-thumb' });
  const track = element('div', {
    class: 'pic-slider', role: 'slider', tabindex: 0, 'data-slider': spec.id,
    'aria-valuemin': spec.low, 'aria-valuemax': spec.high,
  }, thumb);
  return { track, thumb };
}

function showSlider({ track, thumb }, spec, value, name) {
  thumb.style.left = `${100 * shareOf(spec, value)}%`;
  track.setAttribute('aria-valuenow', value);
  track.setAttribute('aria-label', name);
}

class Slider {
  constructor(picture) {
    this.picture = picture;
    this.now = null; // {id, name, start}: the pointer that moves the slider of that matrix
  }

  listen(root, signal) {
    root.addEventListener('pointerdown', (event) => this.pressed(event), { signal });
    root.addEventListener('keydown', (event) => this.key(event), { signal });
    root.addEventListener('keyup', (event) => { if (this.nameAt(event.target)) this.rest(); }, { signal });
    root.addEventListener('focusout', (event) => { if (this.nameAt(event.target)) this.rest(); }, { signal });
    // It goes on wherever the pointer is, and also if the picture is off the page for a moment.
    document.addEventListener('pointermove', (event) => this.follow(event), { signal });
    document.addEventListener('pointerup', (event) => this.released(event), { signal });
    document.addEventListener('pointercancel', (event) => this.released(event), { signal });
    document.addEventListener('keydown', (event) => this.escape(event), { signal, capture: true });
  }

  nameAt(node) {
    return node.closest?.('.pic-slider')?.dataset.slider;
  }

  cell(name) {
    return this.picture.views.get(name)?.cells[0][0];
  }

  pressed(event) {
    const name = this.nameAt(event.target);
    if (!name || this.now || event.button !== 0 || !event.isPrimary) return;
    event.preventDefault();
    event.target.closest('.pic-slider').focus({ preventScroll: true });
    this.picture.gestures.commitOpen();
    const { view } = this.cell(name);
    this.now = { id: event.pointerId, name, start: view.valueAt(0, 0) };
    this.picture.outbox.hold();
    this.follow(event);
  }

  follow(event) {
    if (event.pointerId !== this.now?.id) return;
    const cell = this.cell(this.now.name);
    const box = cell?.view.slider.track.getBoundingClientRect();
    if (box?.width) this.put(cell, valueOn(cell.view.spec, (event.clientX - box.left) / box.width));
  }

  put(cell, value) {
    this.picture.put(cell, value);
    this.picture.outbox.flush();
  }

  released(event) {
    if (event.pointerId !== this.now?.id) return;
    this.now = null;
    this.picture.outbox.release();
  }

  escape(event) {
    if (event.key !== 'Escape' || !this.now) return;
    event.preventDefault();
    event.stopPropagation();
    this.put(this.cell(this.now.name), this.now.start);
    this.now = null;
    this.picture.outbox.release();
  }

  key(event) {
    const name = this.nameAt(event.target);
    if (!name || this.now || event.altKey || event.ctrlKey || event.metaKey) return;
    const { spec } = this.cell(name).view;
    const value = this.cell(name).view.valueAt(0, 0);
    const next = {
      ArrowRight: () => valueBeside(spec, value, 1),
      ArrowUp: () => valueBeside(spec, value, 1),
      ArrowLeft: () => valueBeside(spec, value, -1),
      ArrowDown: () => valueBeside(spec, value, -1),
      Home: () => spec.low,
      End: () => spec.high,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    if (!this.picture.outbox.busy) this.picture.outbox.hold(); // until the key is up
    this.put(this.cell(name), next());
  }

  rest() {
    if (!this.now && !this.picture.drag.active) this.picture.outbox.release();
  }

  /** The server's state replaced everything. */
  cancel() {
    this.now = null;
  }
}
