// The keys of a presentation. They press the buttons that are on the page, and turn the pages of the stage.
//
// Keys in a text field are left to it, and so are those in an open menu. Arrows are left to a cell or another control
// only if the focus got there by Tab: after a drag or a click they go on. PageUp and PageDown are the keys of a clicker.

import { CARD, isOpenCard, nameOf, Stage } from './stage.js';

const WAYS = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 };
const FOLLOW = { ArrowUp: -1, ArrowDown: 1 };
const TYPED = 'textarea, select, [contenteditable=true], .pic-typing, .pic-cell[data-open],'
  + ' input:not(.pic-cell, [type=radio], [type=checkbox], [type=range], [role=combobox][aria-expanded=false])';
const MOVING = '.pic-cell, .pic-box[role=button], [role=radio], [role=slider], [type=radio], [type=range], [role=combobox]';
const OPEN = 'dialog[open], [role=dialog], [role=listbox], [data-testid=stPopoverBody], :popover-open';
// Of a computation that has buttons for its steps.
const OTHER_STEP = { '-1': '.st-key-row_back button:enabled', 1: '.st-key-row_next button:enabled' };
const OTHER_STOP = {
  '-1': '.st-key-handout_back a, .st-key-way_back :is(a, button)',
  1: '.st-key-handout_next a, .st-key-way_next :is(a, button)',
};

const OTHER_TOPIC = { '-1': '.st-key-topic_back button', 1: '.st-key-topic_next button' };
const AWAY = [OTHER_STOP, OTHER_TOPIC].flatMap(Object.values).join();

let byTab = false; // the focus was moved by Tab
let covered = false; // a dialog or menu was open over the page when a key was pressed
let ofTeacher = /** @type {Window | null} */ (null); // a window with the teacher's notes, which stays from page to page

const isInSight = (node) => {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};
const visible = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
const inSight = (selector) => visible(selector).find(isInSight);
const OPENS_ROOM = '.st-key-class_lead-present button';
const AGAIN = '[class*="st-key-vote_first_again-"]'; // the buttons of a closed vote, see ask/vote/card.py
const voteButton = (name) => inSight(`[class*="st-key-vote_${name}-"] button:enabled`);

/** Handles the keys of one presentation. */
class Keys {
  constructor(parent) {
    this.bar = Object.assign(document.createElement('p'), { className: 'present-keys' });
    this.blank = Object.assign(document.createElement('div'), { className: 'present-blank', hidden: true });
    this.blank.addEventListener('click', () => { this.blank.hidden = true; });
    parent.append(this.bar, this.blank);
    this.walked = new WeakSet(); // the pictures whose walk has begun
    this.asked = ''; // the question whose answer the next → shows
    this.blocked = false; // the browser has refused the window with the notes
    this.texts = {};
    this.send = /** @type {(name: string, value: unknown) => void} */ (() => {});
    this.stage = new Stage(() => this.tell());
  }

  update(texts, send) {
    this.texts = texts;
    this.send = send;
    this.write();
    this.tell();
  }

  close() {
    this.stage.close();
    this.bar.remove();
    this.blank.remove();
  }

  // ---- what the keys do

  /** The picture in sight that has a walk through its steps. */
  get picture() {
    return inSight('.pic:has(.pic-panel-top:not([hidden]))');
  }

  /** The button of the walk; it begins at the first step, if all steps were shown at once. */
  stepButton(way) {
    const { picture } = this;
    const button = picture?.querySelectorAll('.pic-walk')[way < 0 ? 0 : 1];
    if (button && !button.disabled) return button;
    const other = document.querySelector(OTHER_STEP[way]);
    return other ?? (picture && way > 0 && !this.walked.has(picture) ? picture.querySelector('.pic-first') : null);
  }

  walk(way) {
    const { picture } = this;
    const button = this.stepButton(way);
    if (!button) return false;
    if (picture) this.walked.add(picture);
    button.click();
    if (button.matches(OTHER_STEP[way])) this.stage.lead(button);
    else this.stage.follow();
    return true;
  }

  /** The question in sight whose answer is not shown. */
  get open() {
    const card = visible(CARD).find((node) => isOpenCard(node) && isInSight(node)) ?? visible(CARD).find(isOpenCard);
    return card && nameOf(card);
  }

  reveal() {
    const { open } = this;
    if (open) this.send('reveal', open);
    return Boolean(open);
  }

  /** A first → asks for the answer, and the line says so; another one shows it. */
  ask() {
    const { open } = this;
    if (this.asked === open) return this.reveal();
    this.asked = open ?? '';
    return Boolean(open);
  }

  goOn(way) {
    const isOther = () => {
      const place = visible(OTHER_TOPIC[way])[0] ?? visible(OTHER_STOP[way])[0];
      place?.click();
      return Boolean(place);
    };
    return this.walk(way) || (way > 0 && (this.voteOn() || this.ask())) || this.stage.turn(way) || isOther();
  }

  /** The next step of the vote in sight: opened, if there is a room; closed; again, where that pays; with its bars. */
  get nextOfVote() {
    const steps = ['close', inSight(AGAIN) ? 'again' : 'bars'];
    if (document.querySelector('.st-key-class_way')) steps.unshift('open');
    return this.open && steps.find(voteButton);
  }

  voteOn(step = this.nextOfVote) {
    if (!step) return false;
    this.stage.stay(); // with its vote a question may need a page of its own
    voteButton(step)?.click();
    return true;
  }

  get rows() {
    return [...this.picture?.querySelectorAll('.pic-follow:not([hidden]) input') ?? []];
  }

  follow(way) {
    const { rows } = this;
    const present = rows.findIndex((row) => row.checked);
    rows[Math.min(Math.max(present + way, 0), rows.length - 1)]?.click();
    return rows.length > 0;
  }

  /** What the key V does here. */
  get voting() {
    return ['close', 'open', 'again'].find(voteButton);
  }

  /** Leaves the second vote out where it is the next step. */
  skip() {
    return this.nextOfVote === 'again' && this.voteOn('bars');
  }

  /** Opens the window with the notes, which a class does not see, or closes it. */
  notes() {
    if (!this.texts.lines?.length) return false;
    if (ofTeacher && !ofTeacher.closed) ofTeacher.close();
    else ofTeacher = window.open('', 'attention-notes', 'popup,width=560,height=360');
    this.blocked = !ofTeacher;
    this.write();
    return true;
  }

  write() {
    if (!ofTeacher || ofTeacher.closed) return;
    const { document: page } = ofTeacher;
    const [title = '', note = ''] = this.texts.lines ?? [];
    page.title = title;
    page.body.style.cssText = 'font: 1.5rem/1.5 system-ui, sans-serif; white-space: pre-wrap; overflow-wrap: anywhere';
    page.body.textContent = `${title}\n${note}`;
  }

  /** Opens a room, or enlarges the way into it to the whole window, or makes it small again. */
  room() {
    const code = document.getElementById('code-room');
    if (code) code.togglePopover();
    else /** @type {HTMLElement | null} */ (document.querySelector(OPENS_ROOM))?.click();
    return true;
  }

  /** Does what the key says; true if it has a meaning here. */
  act({ key, target }) {
    this.stage.stay();
    if (WAYS[key] !== 1) this.asked = '';
    const arrow = !(byTab && target.closest?.(MOVING));
    if (key in WAYS) return arrow && this.goOn(WAYS[key]);
    if (key in FOLLOW) return arrow && this.follow(FOLLOW[key]);
    if (key.toLowerCase() === 'b') this.blank.hidden = false;
    else if (key.toLowerCase() === 'm') this.stage.toggle();
    else if (key.toLowerCase() === 'a') return this.reveal();
    else if (key.toLowerCase() === 'v') return this.voteOn(this.voting ?? '');
    else if (key.toLowerCase() === 's') return this.skip();
    else if (key.toLowerCase() === 'n') return this.notes();
    else if (key.toLowerCase() === 'r') return this.room();
    else return false;
    return true;
  }

  // ---- what is said about them

  /** Names the keys that do something here. */
  tell() {
    const { open, stage } = this;
    const { voting, nextOfVote } = this;
    const onward = (this.stepButton(1) && 'step') || (nextOfVote && `next_${nextOfVote}`)
      || (open && (this.asked === open ? 'answer' : 'ask')) || ((stage.hasNext || visible(OTHER_TOPIC[1])[0]) && 'page')
      || (visible(OTHER_STOP[1])[0] && 'next');
    const names = [
      onward,
      nextOfVote === 'again' && 'skip',
      open && voting !== 'close' && 'reveal',
      nextOfVote === 'again' ? '' : voting,
      this.rows.length && 'follow',
      this.texts.lines?.length && (this.blocked ? 'blocked' : 'notes'),
      document.querySelector(`#code-room, ${OPENS_ROOM}`) && 'room',
      stage.whole ? 'less' : stage.aside.size && 'rest',
      'end', 'blank',
    ].filter(Boolean);
    const said = names.map((name) => this.texts[name] ?? '');
    if (this.bar.title === said.join(' · ')) return;
    this.bar.replaceChildren(...said.map((text) => Object.assign(document.createElement('span'), { textContent: text })));
    this.bar.toggleAttribute('data-asked', onward === 'answer');
    this.bar.title = said.join(' · ');
  }

  // ---- the keyboard

  /** While the screen is blank, no key reaches the hidden page, except the browser's own keys. */
  unblank({ key }) {
    if (['b', 'escape'].includes(key.toLowerCase())) this.blank.hidden = true;
    return !/^F\d/.test(key);
  }

  pressed(event) {
    const { target, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (event.key === 'Tab') byTab = true;
    if (event.isComposing || altKey || ctrlKey || metaKey) return;
    covered = Boolean(document.querySelector(OPEN));
    const enlarged = document.querySelector('#code-room:popover-open');
    const ours = !this.blank.hidden ? this.unblank(event)
      : enlarged && (event.key in WAYS || event.key.toLowerCase() === 'r') ? this.room()
      : !shiftKey && !covered && !target.closest?.(TYPED) && this.act(event);
    if (!ours) return;
    event.preventDefault();
    event.stopPropagation();
    requestAnimationFrame(() => this.tell());
  }
}

export default function render({ data, parentElement, setTriggerValue }) {
  const keys = parentElement.presenting ??= new Keys(parentElement);
  keys.update(data, setTriggerValue);
  const ending = new AbortController();
  const on = (type, handle, capture) => document.addEventListener(type, handle, { capture, signal: ending.signal });
  on('pointerdown', () => { byTab = false; }, true);
  on('click', ({ target }) => {
    if (target.closest(AWAY)) keys.stage.from = null; // another part begins with its first page
    else keys.stage.stay();
  }, true);
  on('keydown', (event) => keys.pressed(event), true);
  // In the bubbling phase: an entry, a cell and a menu use Escape first.
  on('keydown', (event) => {
    if (event.key === 'Escape' && !covered && !event.defaultPrevented) setTriggerValue('end', true);
  }, false);
  return () => {
    ending.abort();
    queueMicrotask(() => {
      if (parentElement.isConnected) return; // another run of the page
      keys.close();
      delete parentElement.presenting;
    });
  };
}
