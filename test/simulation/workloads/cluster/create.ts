// A Cluster with infrastructure and control plane is provisioned.
import { aSimulatedCluster, home, namespaceNamed, untilReady, type Workload } from '../workload.ts';

export const create: Workload = {
  name: 'create',
  about: 'A Cluster with infrastructure and control plane is created and becomes available',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
  },
};
