// A Cluster without a control plane object: the kubeconfig is generated once.
import {
  aSecret,
  aSimulatedCluster,
  clusterRef,
  conditionOf,
  home,
  namespaceNamed,
  secretRef,
  type Workload,
} from '../workload.ts';

export const kubeconfig: Workload = {
  name: 'kubeconfig',
  about: 'A Cluster without control plane object gets its kubeconfig Secret from its certificate authority',
  async script(user) {
    const [, cluster, infrastructure] = aSimulatedCluster();
    if (cluster === undefined || infrastructure === undefined) {
      throw new Error('A simulated Cluster consists of less than it should');
    }
    await user.create(namespaceNamed(home), aSecret('c1-ca', 'tls.crt'));
    await user.create({ ...cluster, spec: { infrastructureRef: infrastructureRef() } }, infrastructure);
    await user.until('a kubeconfig', secretRef('c1-kubeconfig'), secret => secret !== undefined);
    await user.until('a connection', clusterRef(), it => conditionOf(it, 'RemoteConnectionProbe') === 'True');
  },
};

function infrastructureRef() {
  return { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name: 'c1' };
}
