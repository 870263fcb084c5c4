// A managed Cluster is deleted: after a hook allows the deletion, and during an upgrade.
import { answerHook, nextVersion, patchTopology, untilReason } from '../topology.ts';
import { deletable, oneWorker } from '../topology-given.ts';
import { clusterRef, isGone, type Workload } from '../workload.ts';

const hook = 'BeforeClusterDelete';

export const topologyDelete: Workload = {
  name: 'topology-delete',
  about: 'A managed Cluster is deleted, a hook holds that up for a while, and everything of it goes',
  given: deletable,
  managed: true,
  async script(user) {
    answerHook(user, hook, 10);
    await user.delete(clusterRef());
    await untilReason(user, 'Deleting');
    answerHook(user, hook);
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};

export const topologyDeleteEarly: Workload = {
  name: 'topology-delete-early',
  about:
    'A managed Cluster is deleted at any moment of an upgrade; the progress of the upgrade differs, the remaining objects do not',
  countsVary: true,
  given: oneWorker,
  managed: true,
  async script(user) {
    await patchTopology(user, { version: nextVersion });
    await user.pause(5);
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};
