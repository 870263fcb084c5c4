// A deletion waits for a child whose finalizer is removed late.

import { aMachine, aStuckMachine, machineRef } from '../members.ts';
import {
  aSimulatedCluster,
  clusterRef,
  conditionOf,
  home,
  isGone,
  namespaceNamed,
  untilReady,
  type Workload,
} from '../workload.ts';

export const deleteStuck: Workload = {
  name: 'delete-stuck',
  about: 'A Cluster is deleted whose Machine is held by a foreign finalizer for minutes',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    const owner = user.read(clusterRef());
    await user.create(aStuckMachine('m1', owner), aMachine('m2', owner));
    await user.delete(clusterRef());
    await user.until('a Cluster that is being deleted', clusterRef(), it => conditionOf(it, 'Deleting') === 'True');
    await user.until('Machine m2 to be gone', machineRef('m2'), isGone);
    await user.pause(60);
    await user.patch(machineRef('m1'), { metadata: { finalizers: null } });
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};
