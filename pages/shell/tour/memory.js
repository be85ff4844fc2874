// Whether this browser has been offered the tour. Where its storage is closed to us, it is not offered.
const KEY = 'attention-tour';

export default function render({ setTriggerValue }) {
  try {
    if (localStorage.getItem(KEY)) return;
    localStorage.setItem(KEY, 'offered');
  } catch {
    return;
  }
  setTriggerValue('new', true);
}
