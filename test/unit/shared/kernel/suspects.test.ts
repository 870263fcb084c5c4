import { describe, expect, it } from 'vitest';
import type { KeyWork } from '../../../../shared/kernel/coalesce.ts';
import { divide } from '../../../../shared/kernel/suspects.ts';

function aWork(name: string, change: Partial<KeyWork> = {}): KeyWork {
  return {
    key: { managementCluster: 'mc', group: 'g', kind: 'Widget', namespace: 'ns', name },
    messageIds: [name],
    attempt: 0,
    deaths: 0,
    receiveCount: 1,
    trial: undefined,
    latestDue: undefined,
    causes: ['event'],
    traces: ['t'],
    ...change,
  };
}

/** Each object with what happens to it. */
function divided(...work: readonly KeyWork[]): readonly string[] {
  const { usual, alone, resent, exhausted } = divide(work);
  const nameOf = ({ key }: KeyWork): string => key.name;
  return [
    ...usual.map(one => `${nameOf(one)}: usual`),
    ...(alone === undefined ? [] : [`${nameOf(alone.work)}: alone, ${alone.trial}`]),
    ...resent.map(({ work: one, trial = 'as before' }) => `${nameOf(one)}: sent again, ${trial}`),
    ...exhausted.map(one => `${nameOf(one)}: exhausted`),
  ].toSorted();
}

describe('the objects of a batch', () => {
  it.each([
    { work: [aWork('a'), aWork('b')], expected: ['a: usual', 'b: usual'], reason: 'nothing is known' },
    {
      work: [aWork('a', { deaths: 1 }), aWork('b', { deaths: 1 }), aWork('c')],
      expected: ['a: alone, half', 'b: sent again, half', 'c: usual'],
      reason: 'one of two ended a process',
    },
    {
      work: [aWork('a', { trial: 'half' }), aWork('b', { trial: 'full' })],
      expected: ['a: alone, half', 'b: sent again, full'],
      reason: 'two are tried',
    },
    {
      work: [aWork('a', { trial: 'full' })],
      expected: ['a: alone, full'],
      reason: 'half of the limits was too little',
    },
    {
      work: [
        aWork('a', { trial: 'half', deaths: 1 }),
        aWork('b', { trial: 'full', deaths: 1 }),
        aWork('c', { deaths: 2 }),
      ],
      expected: ['a: exhausted', 'b: exhausted', 'c: exhausted'],
      reason: 'each ended two processes',
    },
    {
      work: [
        aWork('a', { receiveCount: 5 }),
        aWork('b', { receiveCount: 5, trial: 'full' }),
        aWork('c', { receiveCount: 4 }),
      ],
      expected: ['a: sent again, as before', 'b: sent again, full', 'c: usual'],
      reason: 'the next delivery would be a dead letter',
    },
  ])('are divided: $reason', ({ work, expected }) => {
    expect(divided(...work)).toEqual(expected);
  });
});
