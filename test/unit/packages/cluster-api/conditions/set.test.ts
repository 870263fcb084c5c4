import { describe, expect, test } from 'vitest';
import { deleteCondition, setCondition, setConditions } from '../../../../../packages/cluster-api/conditions/set.ts';
import { aCondition, now, nowText, t0, t1 } from './builders.ts';

const ready = aCondition({ type: 'Ready', status: 'True', reason: 'Ready', observedGeneration: 2 });
const options = { generation: 2, now };

describe('setting a condition', () => {
  test('appends a new one with the time of now, in whole seconds, and the generation of the object', () => {
    expect(setCondition(undefined, { type: 'Ready', status: 'True', reason: 'Ready' }, options)).toEqual([
      {
        type: 'Ready',
        status: 'True',
        observedGeneration: 2,
        lastTransitionTime: nowText,
        reason: 'Ready',
        message: '',
      },
    ]);
  });

  test('leaves observedGeneration out for an object without a generation', () => {
    const [set] = setCondition([], { type: 'Ready', status: 'True', reason: 'Ready' }, { generation: undefined, now });
    expect(set).not.toHaveProperty('observedGeneration');
  });

  test.each([
    { given: '2026-01-01T00:00:01.999Z', kept: t1, reason: 'truncated to the second' },
    { given: '2026-01-01T02:00:01+02:00', kept: t1, reason: 'in UTC' },
    { given: '', kept: nowText, reason: 'empty counts as none' },
    { given: 'yesterday', kept: nowText, reason: 'what is not a time counts as none' },
  ])('a new one keeps the time it brings: $reason', ({ given, kept }) => {
    const draft = { type: 'Ready', status: 'True', reason: 'Ready', lastTransitionTime: given } as const;
    expect(setCondition([], draft, options)[0]?.lastTransitionTime).toBe(kept);
  });

  test.each([
    { change: { status: 'False' as const }, time: t1, reason: 'status: takes the time of the input' },
    { change: { reason: 'Other' }, time: t0, reason: 'reason: keeps its time' },
    { change: { message: 'other' }, time: t0, reason: 'message: keeps its time' },
  ])('a changed $reason', ({ change, time }) => {
    const [set] = setCondition([ready], { ...ready, ...change, lastTransitionTime: t1 }, options);
    expect(set).toEqual({ ...ready, ...change, lastTransitionTime: time });
  });

  test('a new generation is a change without a new time', () => {
    const [set] = setCondition([ready], ready, { generation: 3, now });
    expect(set).toEqual({ ...ready, observedGeneration: 3 });
  });

  test('a changed status without a time gets the current time', () => {
    const [set] = setCondition([ready], { type: 'Ready', status: 'False', reason: 'Broken' }, options);
    expect(set?.lastTransitionTime).toBe(nowText);
  });

  test('returns the same list, unsorted, when nothing changed', () => {
    const list = [aCondition({ type: 'Deleting' }), ready];
    expect(setCondition(list, { ...ready, lastTransitionTime: t1 }, options)).toBe(list);
  });

  test('sorts the list after a change', () => {
    const list = [aCondition({ type: 'Deleting' }), ready];
    const set = setCondition(list, { type: 'Available', status: 'True', reason: 'Available' }, options);
    expect(set.map(({ type }) => type)).toEqual(['Available', 'Ready', 'Deleting']);
  });
});

describe('deleting a condition', () => {
  const list = [aCondition({ type: 'B' }), ready, aCondition({ type: 'A' })];

  test('keeps the rest in its order', () => {
    expect(deleteCondition(list, 'Ready').map(({ type }) => type)).toEqual(['B', 'A']);
  });

  test('returns the same list when the type is absent', () => {
    expect(deleteCondition(list, 'C')).toBe(list);
  });
});

test('several conditions are set in order, and an undefined one changes nothing', () => {
  const drafts = [{ ...ready, reason: 'First' }, undefined, { ...ready, reason: 'Last' }];
  expect(setConditions([ready], drafts, options)).toEqual([{ ...ready, reason: 'Last' }]);
});
