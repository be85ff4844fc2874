// Whether this browser has never been led through a picture. Where its storage is closed to us, nobody is led.

const KEY = 'attention-tour';

export function isNewcomer() {
  try {
    if (localStorage.getItem(KEY)) return false;
    localStorage.setItem(KEY, 'led');
    return true;
  } catch {
    return false;
  }
}
