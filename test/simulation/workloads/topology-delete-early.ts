// A managed Cluster is deleted in the middle of an upgrade.
import { topologyReconcilers } from '../system/reconcilers.ts';
import { aClass, aManagedCluster, classTemplates, nextVersion, patchTopology, untilReconciled } from './topology.ts';
import { clusterRef, home, isGone, namespaceNamed, type Workload } from './workload.ts';

export const topologyDeleteEarly: Workload = {
  name: 'topology-delete-early',
  about:
    'A managed Cluster is deleted at any moment of an upgrade; how far the upgrade came differs, what is left does not',
  countsVary: true,
  reconcilers: topologyReconcilers,
  async script(user) {
    await user.create(namespaceNamed(home), ...classTemplates(), aClass('class'));
    await user.create(...aManagedCluster([{ name: 'a', replicas: 1 }]));
    await untilReconciled(user);
    await patchTopology(user, { version: nextVersion });
    await user.pause(5);
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};
