import { expect, it } from 'vitest';
import { isDueIn, toRun } from '../../../../functions/resync/slots.ts';

const keys = Array.from({ length: 600 }, (_, index) => ({
  managementCluster: 'mgmt',
  group: 'g',
  kind: 'Widget',
  namespace: 'ns',
  name: `w${index}`,
}));
const periods = { periodSeconds: 600, fullPeriodSeconds: 6000 };

function dueIn(previous: number | undefined, run: number, of = periods): readonly string[] {
  const isDue = isDueIn(of, { previous, run });
  return keys.filter(isDue).map(({ name }) => name);
}

it('numbers the runs by their period', () => {
  expect([0, 599_999, 600_000, 1_800_000].map(now => toRun(periods, now))).toEqual([0, 0, 1, 3]);
});

it.each([
  { previous: undefined, run: 100, reason: 'no run is known' },
  { previous: 90, run: 100, reason: 'the last run was a full period ago' },
  { previous: 5, run: 100, reason: 'the last run was long ago' },
  { previous: 102, run: 100, reason: 'the number of runs has decreased' },
])('every object is due: $reason', ({ previous, run }) => {
  expect(dueIn(previous, run)).toHaveLength(keys.length);
});

it.each([
  { previous: 100, run: 100, reason: 'another run had this number' },
  { previous: 101, run: 100, reason: 'another run had the next number, by a faster clock' },
])('no object is due: $reason', ({ previous, run }) => {
  expect(dueIn(previous, run)).toEqual([]);
});

it('each object is due once in ten runs, in parts of similar size', () => {
  const parts = Array.from({ length: 10 }, (_, index) => dueIn(99 + index, 100 + index));
  expect(parts.flat().toSorted()).toEqual(keys.map(({ name }) => name).toSorted());
  expect(Math.max(...parts.map(part => part.length))).toBeLessThan(90);
  expect(Math.min(...parts.map(part => part.length))).toBeGreaterThan(35);
});

it('runs that did not happen are made up for', () => {
  const missed = [dueIn(99, 100), dueIn(100, 101), dueIn(101, 102)].flat();
  expect(dueIn(99, 102).toSorted()).toEqual(missed.toSorted());
});

it('every object is due in each run if both periods are equal', () => {
  expect(dueIn(99, 100, { periodSeconds: 600, fullPeriodSeconds: 600 })).toHaveLength(keys.length);
});
