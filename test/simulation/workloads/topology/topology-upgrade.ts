// A managed topology gets another Kubernetes version.
import { deferUpgradeAnnotation } from '../../../../shared/topology/model/keys.ts';
import { answerHook, nextVersion, patchTopology, untilReason, untilReconciled, workersOf } from '../topology.ts';
import { a, b, twoWorkers, upgradable } from '../topology-given.ts';
import type { Workload } from '../workload.ts';

const deferred = { metadata: { annotations: { [deferUpgradeAnnotation]: '' } } };

export const topologyUpgrade: Workload = {
  name: 'topology-upgrade',
  about: 'A hook blocks an upgrade, and the upgrade continues when the hook allows it',
  given: upgradable,
  managed: true,
  async script(user) {
    answerHook(user, 'BeforeClusterUpgrade', 10);
    await patchTopology(user, { version: nextVersion });
    await untilReason(user, 'ClusterUpgrading');
    answerHook(user, 'BeforeClusterUpgrade');
    await untilReconciled(user);
  },
};

export const topologyDefer: Workload = {
  name: 'topology-defer',
  about: 'An upgrade leaves out a MachineDeployment that puts it off, until it no longer does',
  given: twoWorkers,
  managed: true,
  async script(user) {
    await patchTopology(user, { version: nextVersion, ...workersOf([a, { ...b, ...deferred }]) });
    await user.untilAll(
      'Machines of both versions',
      'Machine',
      machines => machines.length === 2 && machines.some(({ spec }) => JSON.stringify(spec).includes(nextVersion)),
    );
    await patchTopology(user, workersOf([a, b]));
    await untilReconciled(user);
  },
};
