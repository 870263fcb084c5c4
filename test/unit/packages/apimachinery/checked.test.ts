// Combinators of Checked results.
import { describe, expect, it } from 'vitest';
import {
  all,
  allInOrder,
  andThen,
  type Checked,
  invalid,
  mapChecked,
  prefixed,
  valid,
} from '../../../../packages/apimachinery/checked.ts';

describe('mapChecked', () => {
  it('maps the value and keeps the failure', () => {
    const increment = (value: number): number => value + 1;
    expect(mapChecked(valid(1), increment)).toEqual(valid(2));
    expect(mapChecked(invalid<number>('no number'), increment)).toEqual(invalid('no number'));
  });
});

describe('andThen', () => {
  const positive = (value: number): Checked<number> => (value > 0 ? valid(value) : invalid('not positive'));

  it.each([
    { reason: 'both checks pass', first: valid<number, string>(1), result: valid(1) },
    { reason: 'the second fails', first: valid<number, string>(-1), result: invalid('not positive') },
    { reason: 'the first fails', first: invalid<number>('no number'), result: invalid('no number') },
  ])('returns the value or the first failure: $reason', ({ first, result }) => {
    expect(andThen(first, positive)).toEqual(result);
  });
});

describe('prefixed', () => {
  it('prefixes the failure and keeps the value', () => {
    expect(prefixed(invalid('not found'), 'failed to read')).toEqual(invalid('failed to read: not found'));
    expect(prefixed(valid(1), 'failed to read')).toEqual(valid(1));
  });
});

describe('allInOrder', () => {
  it.each<{ reason: string; list: readonly Checked<number>[]; result: Checked<readonly number[]> }>([
    { reason: 'no part', list: [], result: valid([]) },
    { reason: 'all valid', list: [valid(1), valid(2)], result: valid([1, 2]) },
    { reason: 'one invalid', list: [valid(1), invalid('second')], result: invalid('second') },
    { reason: 'two invalid', list: [invalid('first'), invalid('second')], result: invalid('first') },
  ])('returns the values in order or the first failure: $reason', ({ list, result }) => {
    expect(allInOrder(list)).toEqual(result);
  });
});

describe('all', () => {
  it('returns the values by name', () => {
    expect(all({ name: valid('a'), replicas: valid(3) })).toEqual(valid({ name: 'a', replicas: 3 }));
  });

  it('returns the first failure in the order of the names', () => {
    expect(all({ name: valid('a'), size: invalid('first'), replicas: invalid('second') })).toEqual(invalid('first'));
  });
});
