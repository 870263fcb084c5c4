import { expect, it } from 'vitest';
import { gateOf } from '../../../../functions/clusterclass/plan.ts';
import { readClusterClass } from '../../../../shared/api/cluster-class/reader.ts';
import { aPlainClusterClass } from '../../../support/cluster-class.ts';

const message = 'ClusterClass has the cluster.x-k8s.io/paused annotation';
const paused = { status: 'True', reason: 'Paused', message, observedGeneration: 1 } as const;
const notPaused = { status: 'False', reason: 'NotPaused', observedGeneration: 1 } as const;
const fresh = aPlainClusterClass();

it.each([
  { clusterClass: fresh, gate: 'pausedCondition', reason: 'the condition is missing' },
  { clusterClass: fresh.withCondition('Paused', notPaused), gate: 'open', reason: 'it is not paused' },
  {
    clusterClass: fresh.paused().withCondition('Paused', paused),
    gate: 'paused',
    reason: 'it is paused, and the condition is current',
  },
  {
    clusterClass: fresh.paused().withCondition('Paused', notPaused),
    gate: 'pausedCondition',
    reason: 'it was paused since',
  },
  { clusterClass: fresh.withCondition('Paused', paused), gate: 'pausedCondition', reason: 'it was resumed since' },
  {
    clusterClass: fresh.paused().withCondition('Paused', paused).atGeneration(2),
    gate: 'pausedCondition',
    reason: 'the spec changed while it is paused',
  },
  {
    clusterClass: fresh.withCondition('Paused', notPaused).deleting(),
    gate: 'deleting',
    reason: 'its deletion has begun',
  },
  { clusterClass: fresh.deleting(), gate: 'pausedCondition', reason: 'pause comes before deletion' },
])('$gate: $reason', ({ clusterClass, gate }) => {
  const early = gateOf(readClusterClass(clusterClass.build()));
  expect(early === undefined ? 'open' : 'stop' in early ? early.stop : early.end).toBe(gate);
});
