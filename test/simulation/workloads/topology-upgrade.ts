// A managed topology gets another version of Kubernetes.
import { deferUpgradeAnnotation } from '../../../shared/topology/model/keys.ts';
import { topologyReconcilers } from '../system/reconcilers.ts';
import {
  aClass,
  aManagedCluster,
  anExtension,
  answerHook,
  classTemplates,
  nextVersion,
  patchTopology,
  untilReason,
  untilReconciled,
  workersOf,
} from './topology.ts';
import { home, namespaceNamed, type Workload } from './workload.ts';

const hooks = ['BeforeClusterUpgrade', 'AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade', 'AfterClusterUpgrade'];
const deferred = { metadata: { annotations: { [deferUpgradeAnnotation]: '' } } };

export const topologyUpgrade: Workload = {
  name: 'topology-upgrade',
  about:
    'An upgrade is held up by a hook, goes on to the control plane and one MachineDeployment, and later to the other',
  reconcilers: topologyReconcilers,
  async script(user) {
    const [a, b] = [
      { name: 'a', replicas: 1 },
      { name: 'b', replicas: 1 },
    ] as const;
    await user.create(namespaceNamed(home), anExtension(user, hooks), ...classTemplates(), aClass('class'));
    await user.create(...aManagedCluster([a, { ...b, ...deferred }]));
    await untilReconciled(user);
    answerHook(user, 'BeforeClusterUpgrade', 10);
    await patchTopology(user, { version: nextVersion });
    await untilReason(user, 'ClusterUpgrading');
    answerHook(user, 'BeforeClusterUpgrade');
    await user.untilAll(
      'Machines of both versions',
      'Machine',
      machines => machines.length === 2 && machines.some(({ spec }) => JSON.stringify(spec).includes(nextVersion)),
    );
    await patchTopology(user, workersOf([a, b]));
    await untilReconciled(user);
  },
};
