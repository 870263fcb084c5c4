import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../../../cli/ui/fragments.ts';

const of = (...parts: readonly (readonly [string, string])[]) => new Map(parts);

describe('the changes of a page', () => {
  it.each([
    { now: of(['a', '1'], ['b', '1']), changes: [], reason: 'the same' },
    { now: of(['a', '2'], ['b', '1']), changes: [{ id: 'a', html: '2' }], reason: 'a part that differs' },
    { now: of(['b', '1']), changes: [{ id: 'a', gone: true }], reason: 'a part that is gone' },
    {
      now: of(['a', '1'], ['c', '3'], ['b', '1']),
      changes: [{ id: 'c', html: '3', after: 'a' }],
      reason: 'a new part, with its place',
    },
    {
      now: of(['0', '3'], ['a', '1'], ['b', '1']),
      changes: [{ id: '0', html: '3' }],
      reason: 'a new first part',
    },
  ])('are $reason', ({ now, changes }) => {
    expect(changesBetween(of(['a', '1'], ['b', '1']), now)).toEqual(changes);
  });
});
