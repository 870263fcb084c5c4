// A Cluster without a control plane object: the kubeconfig is generated once.
import {
  aClusterWithoutControlPlane,
  aSecret,
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
    await user.create(namespaceNamed(home), aSecret('c1-ca', 'tls.crt'));
    await user.create(...aClusterWithoutControlPlane());
    await user.until('a kubeconfig', secretRef('c1-kubeconfig'), secret => secret !== undefined);
    await user.until('a connection', clusterRef(), it => conditionOf(it, 'RemoteConnectionProbe') === 'True');
  },
};
