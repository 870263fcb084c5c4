// Infrastructure is deleted by another client, finalizers included.
import {
  aSimulatedCluster,
  clusterRef,
  conditionOf,
  home,
  infraRef,
  isGone,
  namespaceNamed,
  untilReady,
  type Workload,
} from '../workload.ts';

export const lose: Workload = {
  name: 'lose',
  about: 'The infrastructure object of a running Cluster is removed with its finalizer. Then the Cluster is deleted',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    await user.patch(infraRef(), { metadata: { annotations: { 'simulated.capi-serverless.dev/lose': '' } } });
    await user.until('the infrastructure to be removed', infraRef(), isGone);
    await user.until('a Cluster that says so', clusterRef(), it => conditionOf(it, 'InfrastructureReady') !== 'True');
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};
