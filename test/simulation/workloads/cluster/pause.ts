// A Cluster is paused during provisioning, changed, and resumed.
import {
  aSimulatedCluster,
  clusterRef,
  conditionOf,
  controlPlaneRef,
  home,
  namespaceNamed,
  untilReady,
  type Workload,
} from '../workload.ts';

export const pause: Workload = {
  name: 'pause',
  about: 'A Cluster is paused while it is provisioned, its control plane is changed meanwhile, and it is resumed',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await user.pause(2);
    await user.patch(clusterRef(), { spec: { paused: true } });
    await user.until('a paused Cluster', clusterRef(), cluster => conditionOf(cluster, 'Paused') === 'True');
    await user.patch(controlPlaneRef(), { spec: { replicas: 3 } });
    await user.pause(20);
    await user.patch(clusterRef(), { spec: { paused: false } });
    await untilReady(user);
  },
};
