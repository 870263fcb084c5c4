// A managed Cluster is deleted when a hook allows it.
import { topologyReconcilers } from '../system/reconcilers.ts';
import {
  aClass,
  aManagedCluster,
  anExtension,
  answerHook,
  classTemplates,
  untilReason,
  untilReconciled,
} from './topology.ts';
import { clusterRef, home, isGone, namespaceNamed, type Workload } from './workload.ts';

const hook = 'BeforeClusterDelete';

export const topologyDelete: Workload = {
  name: 'topology-delete',
  about: 'A managed Cluster is deleted, a hook holds that up for a while, and everything of it goes',
  reconcilers: topologyReconcilers,
  async script(user) {
    await user.create(namespaceNamed(home), anExtension(user, [hook]), ...classTemplates(), aClass('class'));
    await user.create(...aManagedCluster([{ name: 'a', replicas: 1 }]));
    await untilReconciled(user);
    answerHook(user, hook, 10);
    await user.delete(clusterRef());
    await untilReason(user, 'Deleting');
    answerHook(user, hook);
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};
