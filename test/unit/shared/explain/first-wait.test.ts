import { describe, expect, it } from 'vitest';
import { firstWaitOf } from '../../../../shared/explain/conditions.ts';

const awaited = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Ready', fine: 'True' },
];

function anObject(conditions: Readonly<Record<string, string>>, phase?: string) {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    status: {
      ...(phase === undefined ? {} : { phase }),
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
    },
  };
}

describe('what an object waits for', () => {
  it.each([
    { given: {}, phase: undefined, until: 'its first reconcile', type: undefined, reason: 'it has no phase' },
    {
      given: { Paused: 'False' },
      phase: undefined,
      until: 'its first reconcile',
      type: undefined,
      reason: 'not paused',
    },
    {
      given: { Ready: 'False' },
      phase: undefined,
      until: 'Ready',
      type: 'Ready',
      reason: 'another reconciler reports',
    },
    { given: { Paused: 'True' }, phase: undefined, until: 'its pause to end', type: 'Paused', reason: 'paused before' },
    {
      given: { Ready: 'False', Paused: 'True' },
      phase: 'P',
      until: 'its pause to end',
      type: 'Paused',
      reason: 'in order',
    },
    {
      given: { Paused: 'False', Ready: 'Unknown' },
      phase: 'P',
      until: 'Ready',
      type: 'Ready',
      reason: 'without a text',
    },
    { given: { Paused: 'False', Ready: 'True' }, phase: 'P', until: undefined, type: undefined, reason: 'all fine' },
    { given: {}, phase: 'P', until: undefined, type: undefined, reason: 'an absent condition is no cause' },
  ])('is $until: $reason', ({ given, phase, until, type }) => {
    const wait = firstWaitOf(anObject(given, phase), awaited);
    expect([wait?.until, wait?.condition?.type]).toEqual([until, type]);
  });
});
