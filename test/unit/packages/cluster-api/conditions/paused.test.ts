import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../../packages/cluster-api/conditions/condition.ts';
import { pausedCondition, pauseGate } from '../../../../../packages/cluster-api/conditions/paused.ts';

const annotated = { 'cluster.x-k8s.io/paused': '' };

describe('the Paused condition', () => {
  it.each([
    { annotations: {}, message: '', status: 'False', because: 'NotPaused', reason: 'no switch is on' },
    {
      annotations: annotated,
      message: 'Foo has the cluster.x-k8s.io/paused annotation',
      status: 'True',
      because: 'Paused',
      reason: 'the annotation counts with any value',
    },
    {
      annotations: {},
      isClusterPaused: true,
      message: 'Cluster spec.paused is set to true',
      status: 'True',
      because: 'Paused',
      reason: 'the field',
    },
    {
      annotations: annotated,
      isClusterPaused: true,
      message: 'Cluster spec.paused is set to true, Foo has the cluster.x-k8s.io/paused annotation',
      status: 'True',
      because: 'Paused',
      reason: 'both are reported',
    },
  ])('names the switch: $reason', ({ message, status, because, reason: _, ...pausable }) => {
    expect(pausedCondition({ kind: 'Foo', ...pausable })).toEqual({ type: 'Paused', status, reason: because, message });
  });
});

describe('the pause gate of a pass', () => {
  const off = pausedCondition({ kind: 'Foo', annotations: {} });
  const on = pausedCondition({ kind: 'Foo', annotations: annotated });
  const stored = (condition: typeof on, observedGeneration: number): readonly Condition[] => [
    { ...condition, observedGeneration, lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];

  it.each([
    { before: [], wanted: off, gate: 'write', reason: 'the first pass writes that it is not paused' },
    { before: [], wanted: on, gate: 'write', reason: 'the first pass writes that it is paused' },
    { before: stored(on, 2), wanted: off, gate: 'write', reason: 'it was paused' },
    { before: stored(off, 2), wanted: on, gate: 'write', reason: 'it was not paused' },
    { before: stored(off, 2), wanted: off, gate: 'open', reason: 'nothing changed' },
    { before: stored(off, 1), wanted: off, gate: 'open', reason: 'observedGeneration is written with the status' },
    { before: stored(on, 2), wanted: on, gate: 'paused', reason: 'the condition is stored' },
    { before: stored(on, 1), wanted: on, gate: 'write', reason: 'no other write updates observedGeneration' },
  ])('$gate: $reason', ({ before, wanted, gate }) => {
    expect(pauseGate(before, wanted, 2)).toBe(gate);
  });
});
