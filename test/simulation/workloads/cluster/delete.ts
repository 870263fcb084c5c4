// A Cluster is deleted with all its objects.

import { aMachine, aMachineDeployment } from '../members.ts';
import { aSimulatedCluster, clusterRef, home, isGone, namespaceNamed, untilReady, type Workload } from '../workload.ts';

export const remove: Workload = {
  name: 'delete',
  about: 'A Cluster with workers that it owns is created and deleted: workers, control plane, infrastructure, Cluster',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    const owner = user.read(clusterRef());
    await user.create(aMachineDeployment('md1', owner), aMachine('m1', owner), aMachine('m2', owner));
    // A deletion before that creates no MachineSet.
    await user.untilAll('the MachineSet', 'MachineSet', ({ length }) => length === 1);
    await user.pause(2);
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};
