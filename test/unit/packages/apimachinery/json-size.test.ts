import { expect, it } from 'vitest';
import { jsonSize } from '../../../../packages/apimachinery/json-size.ts';

it.each([
  { reason: 'a text', value: 'abc', size: 3 },
  { reason: 'a number', value: 5, size: 4 },
  { reason: 'null', value: null, size: 4 },
  { reason: 'nothing', value: undefined, size: 0 },
  { reason: 'items', value: ['a', 'bc', true], size: 10 },
  { reason: 'empty objects', value: [{}, {}, {}], size: 3 },
  { reason: 'members', value: { ab: 'c', d: [{ e: 'f' }] }, size: 19 },
])('counts $size characters for $reason', ({ value, size }) => {
  expect(jsonSize(value)).toBe(size);
});

it('is about the number of characters of the text', () => {
  const value = { spec: { replicas: 3, names: ['one', 'two'], template: { metadata: { labels: { a: 'b' } } } } };
  const { length } = JSON.stringify(value);
  expect(jsonSize(value)).toBeGreaterThan(0.7 * length);
  expect(jsonSize(value)).toBeLessThan(1.1 * length);
});

it('reads values of any depth', () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 100_000; level += 1) {
    deep = [deep];
  }
  expect(jsonSize(deep)).toBe(100_001);
});
