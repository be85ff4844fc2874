// Numbers as they are read and written in the browser, against the tables that Python is tested with as well.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryText, numberOf, OPERATIONS, parseNumber, shortText, splitBlock } from './script.mjs';
import tables from './tables.mjs';

test('entries are read as the table says', () => {
  for (const [entry, value] of tables.accepted) assert.equal(parseNumber(entry), value, entry);
});

test('zero is read without a sign', () => {
  for (const [entry, value] of tables.accepted) if (value === 0) assert.ok(Object.is(parseNumber(entry), 0), entry);
});

test('an entry that is no number, or too long for one, is refused', () => {
  assert.deepEqual(tables.refused.filter((entry) => !Number.isNaN(parseNumber(entry))), []);
});

test('a number that is too large is read, and is above the limit', () => {
  for (const entry of tables.tooLarge) assert.ok(Math.abs(parseNumber(entry)) > tables.limit, entry);
});

test('a block is divided before its entries are read', () => {
  const blocks = [
    ['0,5 0,3', [['0,5', '0,3']]], // decimal commas, where spaces divide
    ['0.5,0.3\n1/2,√2', [['0.5', '0.3'], ['1/2', '√2']]],
    ['0,5\t1/3\n0,25\t2', [['0,5', '1/3'], ['0,25', '2']]],
    ['0,5; 0,3', [['0,5', '0,3']]],
  ];
  for (const [block, entries] of blocks) assert.deepEqual(splitBlock(block), entries);
});

test('numbers are written as Python writes them', () => {
  for (const [value, decimals, text] of tables.short) assert.equal(shortText(numberOf(value), decimals ?? undefined), text);
});

test('an editable cell shows the digits that Python shows', () => {
  for (const [value, text] of tables.entered) assert.equal(entryText(value, false), text);
});

test('Python and the browser know the same ways to make a cell', () => {
  assert.deepEqual(Object.keys(OPERATIONS).sort(), tables.operations);
});
