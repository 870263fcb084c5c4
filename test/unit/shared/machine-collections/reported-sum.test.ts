import { expect, it } from 'vitest';
import { sumOfReported } from '../../../../shared/machine-collections/reported-sum.ts';

it.each([
  { counters: [], sum: undefined, reason: 'there are no objects' },
  { counters: [undefined, undefined], sum: undefined, reason: 'no object reports the counter' },
  { counters: [undefined, 0], sum: 0, reason: 'a reported 0 is not absent' },
  { counters: [1, undefined, 2], sum: 3, reason: 'other objects do not count' },
])('the sum of $counters is $sum: $reason', ({ counters, sum }) => {
  expect(sumOfReported(counters)).toBe(sum);
});
