import { describe, expect, test } from 'vitest';
import {
  getCondition,
  hasCondition,
  isFalse,
  isTrue,
  reasonOf,
} from '../../../../../packages/cluster-api/conditions/get.ts';
import { aCondition } from './builders.ts';

const yes = aCondition({ type: 'Yes', status: 'True', reason: 'Good', message: 'fine' });
const no = aCondition({ type: 'No', status: 'False' });
const dunno = aCondition({ type: 'Dunno', status: 'Unknown' });
const list = [yes, no, dunno, aCondition({ type: 'Yes', status: 'False' })];

describe('looking a condition up', () => {
  test.each([
    { type: 'Yes', found: yes, reason: 'the first of that type' },
    { type: 'No', found: no, reason: 'by type' },
    { type: 'Other', found: undefined, reason: 'not there' },
  ])('$type: $reason', ({ type, found }) => {
    expect(getCondition(list, type)).toBe(found);
    expect(hasCondition(list, type)).toBe(found !== undefined);
  });

  test.each([
    { type: 'Yes', is: { true: true, false: false } },
    { type: 'No', is: { true: false, false: true } },
    { type: 'Dunno', is: { true: false, false: false } },
    { type: 'Other', is: { true: false, false: false } },
  ])('$type is true or false: $is', ({ type, is }) => {
    expect({ true: isTrue(list, type), false: isFalse(list, type) }).toEqual(is);
  });

  test('the reason of a missing condition is empty', () => {
    expect(reasonOf(list, 'Yes')).toBe('Good');
    expect(reasonOf(list, 'Other')).toBe('');
  });

  test('an object without a list has no conditions', () => {
    expect(getCondition(undefined, 'Yes')).toBeUndefined();
    expect(isTrue(undefined, 'Yes')).toBe(false);
  });
});
