// Whether this browser has never been led through a picture. Where its storage is closed to us, nobody is led.

import { browser } from './storage.js';

const TOUR = 'attention-tour';

export const isNewcomer = () => !browser.has(TOUR) && browser.keep(TOUR, 'led');
