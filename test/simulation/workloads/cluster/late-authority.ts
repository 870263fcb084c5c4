// A Cluster without control plane object whose certificate authority is created late. No event reports the Secret.
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

/** After this time, no event of the creation is under way. */
const quietSeconds = 60;

export const lateAuthority: Workload = {
  name: 'late-authority',
  about: 'A Cluster without control plane object gets its kubeconfig after its certificate authority was created late',
  notInCampaigns: 'its invocations are those of the workload kubeconfig, repeated by timers',
  async script(user) {
    await user.create(namespaceNamed(home), ...aClusterWithoutControlPlane());
    await user.until('ready infrastructure', clusterRef(), it => conditionOf(it, 'InfrastructureReady') === 'True');
    await user.pause(quietSeconds);
    await user.create(aSecret('c1-ca', 'tls.crt'));
    await user.until('a kubeconfig', secretRef('c1-kubeconfig'), secret => secret !== undefined);
    await user.until('a connection', clusterRef(), it => conditionOf(it, 'RemoteConnectionProbe') === 'True');
  },
};
