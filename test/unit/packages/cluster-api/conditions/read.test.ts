import { describe, expect, test } from 'vitest';
import { readConditions, storedConditions } from '../../../../../packages/cluster-api/conditions/read.ts';
import { aCondition, anObject, t0 } from './builders.ts';

const ready = { type: 'Ready', status: 'True', reason: 'Fine', message: 'm', lastTransitionTime: t0 };

describe('where conditions are read from', () => {
  const other = { ...ready, type: 'Other' };
  test.each([
    {
      status: { v1beta2: { conditions: [ready] }, conditions: [other] },
      types: ['Ready'],
      reason: 'the first hit wins',
    },
    { status: { v1beta2: { conditions: [] }, conditions: [other] }, types: [], reason: 'an empty list counts' },
    { status: { v1beta2: {}, conditions: [other] }, types: ['Other'], reason: 'no list there: the next path' },
    { status: { v1beta2: { conditions: 'x' }, conditions: [other] }, types: ['Other'], reason: 'not a list: next' },
    { status: { v1beta2: 'x', conditions: [other] }, types: ['Other'], reason: 'not an object: next' },
    { status: { conditions: { type: 'Ready' } }, types: [], reason: 'of a wrong type: none' },
    { status: {}, types: [], reason: 'no list at all' },
    { status: 'x', types: [], reason: 'a status of a wrong type' },
    { status: undefined, types: [], reason: 'no status' },
    { status: { conditions: [null, 'x', ready] }, types: ['Ready'], reason: 'items that are not objects are skipped' },
  ])('$reason', ({ status, types }) => {
    const read = readConditions(anObject({ status }));
    expect(read.ok && read.value.map(({ type }) => type)).toEqual(types);
  });
});

describe('what is read of a condition', () => {
  test.each([
    { item: ready, read: ready, reason: 'all fields' },
    {
      item: { ...ready, observedGeneration: 4, severity: 'Info', extra: 1 },
      read: { ...ready, observedGeneration: 4 },
      reason: 'the generation, but neither severity nor unknown keys',
    },
    { item: { ...ready, status: 'Unknown' }, read: { ...ready, status: 'Unknown' }, reason: 'Unknown as a status' },
    { item: { ...ready, observedGeneration: 'x' }, read: ready, reason: 'no generation that is not a number' },
    {
      item: { type: 'Ready', status: 'False' },
      read: { type: 'Ready', status: 'False', reason: 'NoReasonReported', message: '' },
      reason: 'a substitute for a missing reason',
    },
    {
      item: { ...ready, reason: '', message: null, lastTransitionTime: null },
      read: { type: 'Ready', status: 'True', reason: 'NoReasonReported', message: '' },
      reason: 'empty and null as missing',
    },
    {
      item: { ...ready, lastTransitionTime: '' },
      read: { type: 'Ready', status: 'True', reason: 'Fine', message: 'm' },
      reason: 'an empty time as none',
    },
  ])('$reason', ({ item, read }) => {
    expect(readConditions(anObject({ status: { conditions: [item] } }))).toEqual({ ok: true, value: [read] });
  });
});

describe('a bad item fails the whole read', () => {
  test.each([
    { item: { status: 'True' }, error: 'type must be set for all conditions' },
    { item: { type: '', status: 'True' }, error: 'type must be set for all conditions' },
    { item: { type: 5, status: 'True' }, error: 'type must be set for all conditions' },
    { item: { type: 'Ready' }, error: 'status must be set for the Ready condition' },
    { item: { type: 'Ready', status: null }, error: 'status must be set for the Ready condition' },
    { item: { type: 'Ready', status: '' }, error: 'status must be set for the Ready condition' },
    {
      item: { type: 'Ready', status: 'Yes' },
      error: 'status for the Ready condition must be one of True, False, Unknown',
    },
    { item: { type: 'Ready', status: 5 }, error: 'status for the Ready condition must be one of True, False, Unknown' },
    {
      item: { ...ready, lastTransitionTime: 'soon' },
      error:
        'failed to unmarshal lastTransitionTime value: soon: parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
    },
    {
      item: { ...ready, lastTransitionTime: 5 },
      error:
        'failed to unmarshal lastTransitionTime value: 5: parsing time "5" as "2006-01-02T15:04:05Z07:00": cannot parse "5" as "2006"',
    },
  ])('$item', ({ item, error }) => {
    const conditions = [aCondition({ type: 'Good' }), item];
    const current = readConditions(anObject({ status: { conditions } }));
    expect(current).toEqual({
      ok: false,
      error: `failed to convert status.conditions from FooCluster to []metav1.Condition: ${error}`,
    });
    const transitional = readConditions(anObject({ status: { v1beta2: { conditions } } }));
    expect(transitional).toEqual({
      ok: false,
      error: `failed to convert status.v1beta2.conditions from FooCluster to []metav1.Condition: ${error}`,
    });
  });
});

describe('a stored list', () => {
  test('keeps well-formed values', () => {
    const stored = aCondition({ type: 'Ready', observedGeneration: 3 });
    expect(storedConditions([stored, { type: 'Bad' }, null])).toEqual([stored]);
  });

  test('has an empty time where none is stored', () => {
    expect(storedConditions([{ type: 'A', status: 'True', reason: 'R', message: '' }])).toEqual([
      aCondition({ type: 'A', reason: 'R', lastTransitionTime: '' }),
    ]);
  });

  test.each([undefined, null, {}, 'x'])('is empty for %j', value => {
    expect(storedConditions(value)).toEqual([]);
  });
});
