import { describe, expect, it } from 'vitest';
import { mergeDeep, mergeDiff, nest, valueAt } from '../../../../packages/apimachinery/merge-diff.ts';

describe('mergeDiff', () => {
  it.each([
    { reason: 'equal objects need no patch', before: { a: 1 }, after: { a: 1 }, patch: undefined },
    { reason: 'a new field is set', before: {}, after: { a: 1 }, patch: { a: 1 } },
    { reason: 'a removed field becomes null', before: { a: 1 }, after: {}, patch: { a: null } },
    { reason: 'an undefined field counts as removed', before: { a: 1 }, after: { a: undefined }, patch: { a: null } },
    {
      reason: 'a field that was undefined already is not a change',
      before: { a: undefined },
      after: {},
      patch: undefined,
    },
    {
      reason: 'objects are compared field by field',
      before: { a: { b: 1, c: 2 } },
      after: { a: { b: 1, c: 3 } },
      patch: { a: { c: 3 } },
    },
    { reason: 'lists are replaced whole', before: { a: [1, 2] }, after: { a: [1, 3] }, patch: { a: [1, 3] } },
    { reason: 'equal lists are not a change', before: { a: [{ b: 1 }] }, after: { a: [{ b: 1 }] }, patch: undefined },
    { reason: 'an empty object is a value', before: {}, after: { a: {} }, patch: { a: {} } },
    { reason: 'an object may replace a scalar', before: { a: 1 }, after: { a: { b: 1 } }, patch: { a: { b: 1 } } },
  ])('$reason', ({ before, after, patch }) => {
    expect(mergeDiff(before, after)).toEqual(patch);
  });
});

describe('paths', () => {
  it('reads through objects and stops where they end', () => {
    expect(valueAt({ a: { b: 1 } }, 'a.b')).toBe(1);
    expect(valueAt({ a: 1 }, 'a.b')).toBeUndefined();
    expect(valueAt(undefined, 'a')).toBeUndefined();
  });

  it('nests a value below its path', () => {
    expect(nest('a.b', 1)).toEqual({ a: { b: 1 } });
  });

  it('merges objects deeply, the second winning elsewhere', () => {
    expect(mergeDeep({ a: { b: 1 }, c: 1 }, { a: { d: 2 }, c: 2 })).toEqual({ a: { b: 1, d: 2 }, c: 2 });
    expect(mergeDeep({ a: 1 }, { a: { b: 2 } })).toEqual({ a: { b: 2 } });
    expect(mergeDeep({ a: { b: 2 } }, { a: 1 })).toEqual({ a: 1 });
  });
});
