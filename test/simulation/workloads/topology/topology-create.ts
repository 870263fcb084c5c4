// A managed topology is created, and a hook blocks the creation for some time.
import {
  aClass,
  aManagedCluster,
  anExtension,
  answerHook,
  classTemplates,
  untilReason,
  untilReconciled,
} from '../topology.ts';
import { a } from '../topology-given.ts';
import { home, namespaceNamed, type Workload } from '../workload.ts';

const hook = 'BeforeClusterCreate';

export const topologyCreate: Workload = {
  name: 'topology-create',
  about: 'A Cluster is made of a class as soon as a hook allows it',
  managed: true,
  async script(user) {
    const hooks = anExtension(user, [hook, 'AfterControlPlaneInitialized']);
    answerHook(user, hook, 10);
    await user.create(namespaceNamed(home), hooks, ...classTemplates(), aClass('class'));
    await user.create(...aManagedCluster([a]));
    await untilReason(user, 'ClusterCreating');
    answerHook(user, hook);
    await untilReconciled(user);
  },
};
