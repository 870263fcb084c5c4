// A ready Cluster with a simulated control plane, as the initial state of workloads.
import { aSimulatedCluster, home, type InitialState, namespaceNamed, untilReady } from './workload.ts';

export const settledCluster: InitialState = {
  name: 'a ready Cluster',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
  },
};
