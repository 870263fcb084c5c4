import { describe, expect, test } from 'vitest';
import { largest, median, quantile, type Row, ratiosOf } from '../../../bench/section.ts';

const aRow = (...values: (number | null)[]): Row => ({ figure: 'a figure', unit: 's', values });

describe('the ratio of our figure to each other one', () => {
  test.each([
    { reason: 'ours takes half of the time', row: aRow(1, 2), ratios: [0.5] },
    { reason: 'each other subject has its own', row: aRow(3, 2, 6), ratios: [1.5, 0.5] },
    { reason: 'we have no figure', row: aRow(null, 2), ratios: [null] },
    { reason: 'the other has none', row: aRow(1, null), ratios: [null] },
    { reason: 'a ratio to zero is undefined', row: aRow(1, 0), ratios: [null] },
    { reason: 'there is no other subject', row: aRow(1), ratios: [] },
  ])('is $ratios: $reason', ({ row, ratios }) => {
    expect(ratiosOf(row)).toEqual(ratios);
  });
});

describe('the median', () => {
  test.each([
    { reason: 'an odd number has a middle, whatever the order', values: [9, 1, 5], middle: 5 },
    { reason: 'numbers are not compared as text', values: [10, 9, 100], middle: 10 },
    { reason: 'an even number has two', values: [4, 1, 2, 9], middle: 3 },
    { reason: 'an empty list has none', values: [], middle: null },
  ])('of $values is $middle: $reason', ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });
});

describe('the quantile', () => {
  test.each([
    { values: [30, 10, 20], share: 0.5, value: 20, reason: 'half of them are not above it' },
    { values: [10, 9, 100], share: 1, value: 100, reason: 'all of them are not above the largest' },
    { values: [3, 1, 2], share: 0, value: 1, reason: 'the smallest value' },
    {
      values: Array.from({ length: 300 }, (_, index) => index + 1),
      share: 0.99,
      value: 297,
      reason: 'three are above it',
    },
    { values: [], share: 0.5, value: null, reason: 'an empty list has none' },
  ])('of $values.length values at $share is $value: $reason', ({ values, share, value }) => {
    expect(quantile(values, share)).toBe(value);
  });
});

test('the largest value of an empty list is null', () => {
  expect(largest([])).toBeNull();
  expect(largest([2, 7, 3])).toBe(7);
});
