import { describe, expect, it } from 'vitest';
import { describeRotation, itemsOf, outOfTurn, rotationOf } from '../../support/rotation.ts';

const items = ['a', 'b', 'c', 'd', 'e'];

describe('the part of a suite that a commit runs', () => {
  it.each([
    { wish: '0', part: ['a', 'c', 'e'], reason: 'the first part' },
    { wish: '1', part: ['b', 'd'], reason: 'the second part' },
    { wish: '7', part: ['b', 'd'], reason: 'a number beyond the parts' },
    { wish: 'all', part: items, reason: 'no division' },
  ])('is chosen by CAPI_TEST_PART=$wish: $reason', ({ wish, part }) => {
    expect(itemsOf(items, rotationOf(2, wish))).toEqual(part);
  });

  it('is one of the parts without a wish, and the parts together are everything', () => {
    expect(['0', '1']).toContain(String(rotationOf(2, '').part));
    expect([0, 1, 2].flatMap(part => itemsOf(items, { parts: 3, part })).toSorted()).toEqual(items);
  });

  it('leaves out the files of other commits, and none with all', () => {
    expect(outOfTurn(items, { parts: 2, part: 1 })).toEqual(['a', 'c', 'e']);
    expect(outOfTurn(items, rotationOf(2, 'all'))).toEqual([]);
  });

  it('is described with the way to run all', () => {
    expect(describeRotation('Parity', { parts: 2, part: 1 })).toBe(
      'Parity: part 1 of 2, as the commit chose; CAPI_TEST_PART=all takes all',
    );
    expect(describeRotation('Parity', { parts: 1, part: 0 })).toBe('Parity: all');
  });

  it('is refused if it is no number', () => {
    expect(() => rotationOf(2, 'half')).toThrow('CAPI_TEST_PART is a whole number or all, not "half"');
  });
});
