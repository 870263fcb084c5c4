import { expect, it } from 'vitest';
import { setNewest } from '../../../shared/bounded-map.ts';

it('keeps the entries that were set last, and returns the one that it drops', () => {
  const map = new Map<string, number>();
  const dropped = ['a', 'b', 'a', 'c', 'd'].map((key, value) => setNewest(map, key, value, 3));
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
    ['d', 4],
  ]);
  expect(dropped).toEqual([undefined, undefined, undefined, undefined, 1]);
});
