import { describe, expect, it } from 'vitest';
import type { ReportedCondition } from '../../../../packages/cluster-api/conditions/condition.ts';
import {
  addFinalizerId,
  blocked,
  type EarlyEnd,
  finalizerGate,
  isEarlyEnd,
  type Primary,
  pausedGate,
  reportEarlyEnd,
} from '../../../../packages/reconciler/early-end.ts';
import { noOutcomes } from '../../../../packages/reconciler/outcomes.ts';
import type { Outcomes } from '../../../../packages/reconciler/types.ts';
import { aWidget } from '../../../support/kernel.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const ours = 'example.com/ours';
const isPaused: ReportedCondition = { type: 'Paused', status: 'True', reason: 'Paused', message: 'why' };
const isOpen: ReportedCondition = { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' };
const lastTransitionTime = '2026-01-01T00:00:00Z';
const refused: Outcomes = new Map([
  [addFinalizerId, { state: 'failed', failure: { reason: 'Forbidden', message: 'no' } }],
]);

function primaryWith(metadata: object, ...conditions: Primary['status']['conditions']): Primary {
  const object = aWidget({ metadata: { resourceVersion: '7', ...metadata }, status: { extra: 1, conditions } });
  return { object, metadata: { generation: 3 }, status: { conditions } };
}

describe('the finalizer', () => {
  it.each([
    { metadata: { finalizers: ['a/b', ours] }, reason: 'it is there' },
    { metadata: { deletionTimestamp: lastTransitionTime }, reason: 'the object is being deleted' },
  ])('is not written if $reason', ({ metadata }) => {
    expect(finalizerGate(primaryWith(metadata), ours)).toBeUndefined();
  });

  it.each([
    { metadata: {}, finalizers: [ours], reason: 'there is none' },
    { metadata: { finalizers: ['a/b'] }, finalizers: ['a/b', ours], reason: 'another one is kept' },
  ])('is the only write of the pass if it is missing: $reason', ({ metadata, finalizers }) => {
    const early = finalizerGate(primaryWith(metadata), ours);
    expect(early?.actions).toMatchObject([
      { id: 'finalizer:add', do: 'patch', onError: 'stop', body: { metadata: { finalizers } }, resourceVersion: '7' },
    ]);
  });

  it('is followed by another pass', () => {
    const early = finalizerGate(primaryWith({}), ours);
    expect(early && reportEarlyEnd(early, noOutcomes, now)).toEqual({ events: [], result: { kind: 'again' } });
  });

  it.each([
    { problem: undefined, text: 'failed to patch Widget ns/w: no', reason: 'the usual error' },
    { problem: 'sorry', text: 'sorry: no', reason: 'the error of the reconciler' },
  ])('fails the pass if it is refused: $reason', ({ problem, text }) => {
    const early = finalizerGate(primaryWith({ name: 'w', namespace: 'ns' }), ours, problem);
    expect(early && reportEarlyEnd(early, refused, now)).toEqual({
      events: [],
      result: { kind: 'failed', error: new Error(text), terminal: false },
    });
  });
});

describe('the condition Paused', () => {
  const stored = (condition: ReportedCondition, observedGeneration = 3) => ({
    ...condition,
    message: condition.message ?? '',
    observedGeneration,
    lastTransitionTime,
  });

  it.each([
    { primary: primaryWith({}, stored(isPaused)), wanted: isPaused, gate: { stop: 'paused' }, reason: 'it is stored' },
    {
      primary: primaryWith({}, stored(isOpen, 2)),
      wanted: isOpen,
      gate: undefined,
      reason: 'the object is not paused',
    },
  ])('is not written: $reason', ({ primary, wanted, gate }) => {
    expect(pausedGate(primary, wanted)).toEqual(gate);
  });

  it.each([
    { wanted: isPaused, result: 'done', reason: 'a paused object waits for an event' },
    { wanted: isOpen, result: 'again', reason: 'another pass runs the phases' },
  ])('is the only write of the pass: $reason', ({ wanted, result }) => {
    const early = pausedGate(primaryWith({}), wanted) as EarlyEnd; // true: the condition is missing
    expect(early.actions).toEqual([]);
    expect(reportEarlyEnd(early, noOutcomes, now)).toEqual({
      status: {
        status: {
          extra: 1,
          conditions: [{ ...wanted, observedGeneration: 3, lastTransitionTime: '2026-01-01T01:00:00Z' }],
        },
      },
      events: [],
      result: { kind: result },
    });
  });
});

it('a blocked pass writes nothing and fails', () => {
  const early = blocked('no Cluster');
  expect(early.actions).toEqual([]);
  expect(reportEarlyEnd(early, noOutcomes, now)).toEqual({
    events: [],
    result: { kind: 'failed', error: new Error('no Cluster'), terminal: false },
  });
});

it('an early end differs from a plan', () => {
  expect([isEarlyEnd(blocked('e')), isEarlyEnd({ actions: [] })]).toEqual([true, false]);
});
