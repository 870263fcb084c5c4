import { describe, expect, test } from 'vitest';
import {
  mirrorV1Beta1Ready,
  readV1Beta1Conditions,
  setV1Beta1Condition,
  setV1Beta1Conditions,
  storedV1Beta1Conditions,
  v1Beta1False,
  v1Beta1True,
  v1Beta1Unknown,
} from '../../../../../packages/cluster-api/conditions/v1beta1.ts';
import { anObject, aV1Beta1Condition, now, nowText, t0, t1 } from './builders.ts';

const cause = { reason: 'Waiting', severity: 'Info', message: 'for it' } as const;

describe('making a condition', () => {
  test.each([
    { made: v1Beta1True('A'), is: { type: 'A', status: 'True' } },
    { made: v1Beta1False('A', cause), is: { type: 'A', status: 'False', ...cause } },
    {
      made: v1Beta1False('A', { reason: 'Deleted', severity: 'Info', message: '' }),
      is: { type: 'A', status: 'False', reason: 'Deleted', severity: 'Info' },
    },
    {
      made: v1Beta1Unknown('A', { reason: 'Dunno', message: 'm' }),
      is: { type: 'A', status: 'Unknown', reason: 'Dunno', message: 'm' },
    },
    { made: v1Beta1Unknown('A', { reason: 'Dunno' }), is: { type: 'A', status: 'Unknown', reason: 'Dunno' } },
  ])('$is', ({ made, is }) => {
    expect(made).toEqual(is);
  });
});

describe('setting a condition', () => {
  const ready = aV1Beta1Condition({ type: 'Ready', status: 'False', severity: 'Info', reason: 'R', message: 'm' });

  test('takes the time of the input for a new one, else now', () => {
    expect(setV1Beta1Condition(undefined, { ...v1Beta1True('A'), lastTransitionTime: t1 }, { now })).toEqual([
      { type: 'A', status: 'True', lastTransitionTime: t1 },
    ]);
    expect(setV1Beta1Condition([], v1Beta1True('A'), { now })).toEqual([
      { type: 'A', status: 'True', lastTransitionTime: nowText },
    ]);
  });

  test('several are set in order, and an undefined one changes nothing', () => {
    const drafts = [v1Beta1True('A'), undefined, v1Beta1False('A', cause)];
    expect(setV1Beta1Conditions([], drafts, { now })).toEqual([
      { type: 'A', status: 'False', ...cause, lastTransitionTime: nowText },
    ]);
  });

  test('returns the same element and list when the state is equal', () => {
    const list = [aV1Beta1Condition({ type: 'Z' }), ready];
    expect(setV1Beta1Condition(list, { ...ready, lastTransitionTime: t1 }, { now })).toBe(list);
  });

  test.each([{ status: 'Unknown' }, { reason: 'Other' }, { severity: 'Error' }, { message: 'other' }])(
    'moves the time to now for a new %j, whatever time the input has',
    change => {
      expect(setV1Beta1Condition([ready], { ...ready, ...change, lastTransitionTime: t1 }, { now })).toEqual([
        { ...ready, ...change, lastTransitionTime: nowText },
      ]);
    },
  );

  test('sorts Ready first, the rest by name', () => {
    const list = [aV1Beta1Condition({ type: 'C' }), aV1Beta1Condition({ type: 'A' }), ready];
    const set = setV1Beta1Condition(list, v1Beta1True('B'), { now });
    expect(set.map(({ type }) => type)).toEqual(['Ready', 'A', 'B', 'C']);
  });

  test('does nothing for no condition', () => {
    const list = [aV1Beta1Condition({ type: 'B' }), ready];
    expect(setV1Beta1Condition(list, undefined, { now })).toBe(list);
  });
});

describe('reading an object', () => {
  const item = { type: 'Ready', status: 'False', severity: 'Error', reason: 'R', message: 'm', lastTransitionTime: t0 };
  test.each([
    { status: { conditions: [{ ...item, extra: 1 }] }, read: [item], reason: 'unknown keys are ignored' },
    {
      status: { conditions: [{ type: 'Ready' }] },
      read: [{ type: 'Ready', status: '' }],
      reason: 'nothing is checked',
    },
    { status: { conditions: [{ status: 'True' }] }, read: [{ type: '', status: 'True' }], reason: 'not even the type' },
    {
      status: { conditions: [{ type: 'Ready', status: 'True', reason: null, lastTransitionTime: null }] },
      read: [{ type: 'Ready', status: 'True' }],
      reason: 'null is absent',
    },
    { status: { v1beta2: { conditions: [item] } }, read: [], reason: 'no other path is read' },
    { status: { deprecated: { v1beta1: { conditions: [item] } } }, read: [], reason: 'no other path is read' },
    { status: { conditions: 'x' }, read: [], reason: 'not a list' },
    { status: { conditions: [item, { type: 5 }] }, read: [], reason: 'one item that cannot be decoded fails the read' },
    { status: { conditions: [{ ...item, lastTransitionTime: 'soon' }] }, read: [], reason: 'so does a bad time' },
    { status: undefined, read: [], reason: 'no status' },
  ])('$reason', ({ status, read }) => {
    expect(readV1Beta1Conditions(anObject({ status }))).toEqual(read);
  });
});

describe('a stored list', () => {
  test('keeps well-formed values', () => {
    const stored = aV1Beta1Condition({ type: 'Ready', status: 'False', severity: 'Info', reason: 'R' });
    const bare = { type: 'A', status: 'True' };
    expect(storedV1Beta1Conditions([stored, bare, { type: '' }, { type: 5 }, null])).toEqual([
      stored,
      { ...bare, lastTransitionTime: '' },
    ]);
  });

  test('is empty for anything else', () => {
    expect(storedV1Beta1Conditions(undefined)).toEqual([]);
  });
});

describe('mirroring Ready', () => {
  const ready = aV1Beta1Condition({ type: 'Ready', status: 'False', severity: 'Error', reason: 'R', message: 'm' });
  test.each([
    { source: [ready], fallback: { value: true }, mirrored: { ...ready, type: 'Target' }, reason: 'it is reported' },
    { source: [], fallback: { value: true }, mirrored: v1Beta1True('Target'), reason: 'the fallback is true' },
    {
      source: [aV1Beta1Condition({ type: 'Other' })],
      fallback: { value: false, ...cause },
      mirrored: v1Beta1False('Target', cause),
      reason: 'the fallback is false',
    },
    { source: [], fallback: undefined, mirrored: undefined, reason: 'there is no fallback' },
  ] as const)('$reason', ({ source, fallback, mirrored }) => {
    expect(mirrorV1Beta1Ready(source, 'Target', fallback)).toEqual(mirrored);
  });
});
