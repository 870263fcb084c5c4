import { expect, it } from 'vitest';
import { waitOfTopology } from '../../../../shared/explain/topology-waits.ts';
import { aCluster } from '../../../support/builders.ts';

it.each([
  { reason: 'Paused', status: 'False', until: 'its pause to end' },
  { reason: 'ClusterCreating', status: 'False', until: 'a hook to let its objects be made' },
  { reason: 'ClusterUpgrading', status: 'False', until: 'its upgrade' },
  { reason: 'ClusterClassNotReconciled', status: 'False', until: 'its ClusterClass to be reconciled' },
  { reason: 'SomethingNewer', status: 'Unknown', until: 'its topology' },
  { reason: 'ReconcileSucceeded', status: 'True', until: undefined },
] as const)('a topology whose condition is $status ($reason) waits for $until', ({ reason, status, until }) => {
  const cluster = aCluster().withCondition('TopologyReconciled', { status, reason, message: 'why' }).build();
  const wait = waitOfTopology(cluster);
  expect(wait?.until).toBe(until);
  expect(wait?.condition?.message).toBe(until === undefined ? undefined : 'why');
});

it('a topology that has not been reconciled has no explanation of what it waits for', () => {
  expect(waitOfTopology(aCluster().build())).toBeUndefined();
});
