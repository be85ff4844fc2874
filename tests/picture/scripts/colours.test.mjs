// The colours of cells: those of Python's palette, readable, centred at 0, dark on a dark page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cellStyle, DARK_STYLES, DIVERGING, LIGHT_STYLES, MASKED, ON_DARK, SEQUENTIAL, STRETCH, useBackground,
} from './colours.mjs';
import tables from './tables.mjs';

function luminance(colour) {
  const [r, g, b] = colour.match(/\d+/g).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const background = (...cell) => cellStyle(...cell, false).background;

test('the colours are those of the palette', () => {
  assert.deepEqual([DIVERGING, ON_DARK.diverging, SEQUENTIAL, MASKED, STRETCH], tables.palette);
});

test('ink is readable on every colour', () => {
  const styles = [LIGHT_STYLES, DARK_STYLES].flatMap((scales) => Object.values(scales).flat());
  assert.ok(styles.length > 1000);
  for (const { background: colour, ink } of styles) {
    const [light, dark] = [luminance(colour), ink === '#fff' ? 1 : 0].sort().reverse();
    assert.ok((light + 0.05) / (dark + 0.05) >= 4.5, `${ink} on ${colour}`);
  }
});

test('on a dark page a cell without weight is dark', () => {
  for (const [colour, glares] of [['#ffffff', true], ['#0e1117', false], ['', true]]) {
    useBackground(colour);
    for (const cell of [['weights', 0, 1], ['signed', 0, 1], ['mask', true, 1]]) {
      assert.equal(luminance(background(...cell)) > 0.5, glares, `${colour} ${cell}`);
    }
  }
});

test('signed colours are centred, and weights go from 0 to 1', () => {
  useBackground('#ffffff');
  assert.deepEqual([-2, 0, 2, 99].map((value) => background('signed', value, 2)),
    ['rgb(33,102,172)', 'rgb(247,247,247)', 'rgb(179,88,6)', 'rgb(179,88,6)']);
  assert.deepEqual([0, 1].map((value) => background('weights', value, 2)), ['rgb(252,251,253)', 'rgb(63,0,125)']);
});
