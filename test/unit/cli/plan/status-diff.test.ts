import { describe, expect, it } from 'vitest';
import { differencesOf } from '../../../../cli/plan/status-diff.ts';

const ready = { type: 'Ready', status: 'True' };
const failing = { type: 'Ready', status: 'False' };
const other = { type: 'Other', status: 'True' };

describe('the differences between two values', () => {
  it.each([
    { reason: 'equal values', before: { a: [1, { b: 2 }] }, after: { a: [1, { b: 2 }] }, differences: [] },
    { reason: 'a changed field', before: { a: { b: 1 } }, after: { a: { b: 2 } }, differences: [['status.a.b', 1, 2]] },
    { reason: 'an added field', before: { a: 1 }, after: { a: 1, b: 2 }, differences: [['status.b', undefined, 2]] },
    { reason: 'a removed field', before: { a: 1 }, after: {}, differences: [['status.a', 1, undefined]] },
    {
      reason: 'an added object is reported field by field',
      before: undefined,
      after: { a: { b: 1 }, c: {} },
      differences: [
        ['status.a.b', undefined, 1],
        ['status.c', undefined, {}],
      ],
    },
    {
      reason: 'conditions are matched by type, in any order',
      before: { conditions: [ready, other] },
      after: { conditions: [other, failing] },
      differences: [['status.conditions[Ready].status', 'True', 'False']],
    },
    {
      reason: 'a condition is added and removed as a whole',
      before: { conditions: [ready] },
      after: { conditions: [other] },
      differences: [
        ['status.conditions[Ready]', ready, undefined],
        ['status.conditions[Other]', undefined, other],
      ],
    },
    {
      reason: 'a first list of conditions',
      before: {},
      after: { conditions: [ready] },
      differences: [['status.conditions[Ready]', undefined, ready]],
    },
    {
      reason: 'members with a name',
      before: [{ name: 'a', zone: 1 }],
      after: [{ name: 'a', zone: 2 }],
      differences: [['status[a].zone', 1, 2]],
    },
    {
      reason: 'two conditions of one type cannot be distinguished',
      before: [ready, failing],
      after: [ready],
      differences: [['status', [ready, failing], [ready]]],
    },
    {
      reason: 'a value that becomes an object',
      before: 'x',
      after: { a: 1 },
      differences: [['status', 'x', { a: 1 }]],
    },
    { reason: 'a list of texts', before: ['a'], after: ['b'], differences: [['status', ['a'], ['b']]] },
  ])('names paths and both values: $reason', ({ before, after, differences }) => {
    expect(differencesOf(before, after, 'status')).toEqual(
      differences.map(([path, was, is]) => ({ path, before: was, after: is })),
    );
  });
});
