import { describe, expect, test } from 'vitest';
import { mirrorCondition, mirrorConditionOf } from '../../../../../packages/cluster-api/conditions/mirror.ts';
import { aCondition, anObject, t0 } from './builders.ts';

const ready = aCondition({ type: 'Ready', status: 'False', reason: 'Broken', message: 'm', observedGeneration: 7 });
const fallback = { status: 'True', reason: 'Fine' } as const;

describe('mirroring a condition', () => {
  test.each([
    { source: [ready], options: { targetType: 'InfrastructureReady', fallback }, reason: 'reported: fallback unused' },
    { source: [ready], options: { targetType: 'InfrastructureReady' }, reason: 'reported' },
  ])('copies all but observedGeneration ($reason)', ({ source, options }) => {
    expect(mirrorCondition(source, 'Ready', options)).toEqual({
      type: 'InfrastructureReady',
      status: 'False',
      reason: 'Broken',
      message: 'm',
      lastTransitionTime: t0,
    });
  });

  test('uses the fallback, without a time, when the source does not report it', () => {
    expect(mirrorCondition([], 'Ready', { targetType: 'Target', fallback })).toEqual({
      type: 'Target',
      status: 'True',
      reason: 'Fine',
      message: '',
    });
    const spoken = { ...fallback, message: 'because' };
    expect(mirrorCondition([], 'Ready', { fallback: spoken })).toEqual({ type: 'Ready', ...spoken });
  });

  test('is Unknown without a fallback and names the source type', () => {
    expect(mirrorCondition(undefined, 'Ready', { targetType: 'Target' })).toEqual({
      type: 'Target',
      status: 'Unknown',
      reason: 'NotYetReported',
      message: 'Condition Ready not yet reported',
    });
  });

  test('keeps the type where no other is given', () => {
    expect(mirrorCondition([ready], 'Ready').type).toBe('Ready');
  });

  test('from an object reads its conditions', () => {
    const object = anObject({ status: { conditions: [ready] } });
    expect(mirrorConditionOf(object, 'Ready', { targetType: 'Target' })).toMatchObject({
      ok: true,
      value: { type: 'Target', reason: 'Broken' },
    });
    expect(mirrorConditionOf(object, 'Other')).toMatchObject({ ok: true, value: { reason: 'NotYetReported' } });
  });

  test('from an object with a bad condition fails, and nothing is mirrored', () => {
    expect(mirrorConditionOf(anObject({ status: { conditions: [ready, { type: 'Bad' }] } }), 'Ready')).toEqual({
      ok: false,
      error:
        'failed to convert status.conditions from FooCluster to []metav1.Condition: status must be set for the Bad condition',
    });
  });
});
