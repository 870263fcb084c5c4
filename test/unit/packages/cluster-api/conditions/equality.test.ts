import { describe, expect, test } from 'vitest';
import {
  hasSameState,
  hasSameStateExceptGeneration,
  hasSameV1Beta1State,
} from '../../../../../packages/cluster-api/conditions/equality.ts';
import { aCondition, aV1Beta1Condition, t1 } from './builders.ts';

const base = aCondition({ type: 'A', observedGeneration: 1 });

describe('two conditions', () => {
  test.each([
    { change: { lastTransitionTime: t1 }, same: true, exceptGeneration: true },
    { change: { type: 'B' }, same: false, exceptGeneration: false },
    { change: { status: 'False' as const }, same: false, exceptGeneration: false },
    { change: { reason: 'Other' }, same: false, exceptGeneration: false },
    { change: { message: 'other' }, same: false, exceptGeneration: false },
    { change: { observedGeneration: 2 }, same: false, exceptGeneration: true },
  ])('that differ in $change', ({ change, same, exceptGeneration }) => {
    expect(hasSameState(base, { ...base, ...change })).toBe(same);
    expect(hasSameStateExceptGeneration(base, { ...base, ...change })).toBe(exceptGeneration);
  });

  test('no observedGeneration is generation 0', () => {
    expect(hasSameState(aCondition({ type: 'A' }), aCondition({ type: 'A', observedGeneration: 0 }))).toBe(true);
    expect(hasSameState(aCondition({ type: 'A', observedGeneration: 0 }), aCondition({ type: 'A' }))).toBe(true);
  });
});

const old = aV1Beta1Condition({ type: 'A', status: 'False', severity: 'Info', reason: 'R', message: 'm' });

describe('two conditions of the deprecated family', () => {
  test.each([
    { change: { lastTransitionTime: t1 }, same: true },
    { change: { type: 'B' }, same: false },
    { change: { status: 'True' }, same: false },
    { change: { severity: 'Error' }, same: false },
    { change: { reason: 'Other' }, same: false },
    { change: { message: 'other' }, same: false },
  ])('that differ in $change', ({ change, same }) => {
    expect(hasSameV1Beta1State(old, { ...old, ...change })).toBe(same);
  });

  test('absent is the same as empty', () => {
    const bare = { type: 'A', status: 'True' };
    const empty = { ...bare, severity: '', reason: '', message: '' };
    expect(hasSameV1Beta1State(bare, empty) && hasSameV1Beta1State(empty, bare)).toBe(true);
  });
});
