import { describe, expect, test } from 'vitest';
import {
  getCondition,
  hasCondition,
  isFalse,
  isTrue,
  isUnknown,
  messageOf,
  reasonOf,
} from '../../../../shared/conditions/get.ts';
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
    { type: 'Yes', is: { true: true, false: false, unknown: false } },
    { type: 'No', is: { true: false, false: true, unknown: false } },
    { type: 'Dunno', is: { true: false, false: false, unknown: true } },
    { type: 'Other', is: { true: false, false: false, unknown: true } },
  ])('$type is true, false or unknown: $is', ({ type, is }) => {
    expect({ true: isTrue(list, type), false: isFalse(list, type), unknown: isUnknown(list, type) }).toEqual(is);
  });

  test('reason and message of a missing condition are empty', () => {
    expect([reasonOf(list, 'Yes'), messageOf(list, 'Yes')]).toEqual(['Good', 'fine']);
    expect([reasonOf(list, 'Other'), messageOf(list, 'Other')]).toEqual(['', '']);
  });

  test('an object without a list has no conditions', () => {
    expect(getCondition(undefined, 'Yes')).toBeUndefined();
    expect(isUnknown(undefined, 'Yes')).toBe(true);
  });
});
