// Infrastructure with a slow deletion. Only the removal of the object reports the end of the deletion.
import {
  clusterRef,
  conditionOf,
  home,
  infraRef,
  isGone,
  namespaceNamed,
  toIntent,
  type Workload,
} from '../workload.ts';

const deletionSeconds = 60;

export const deleteSlowly: Workload = {
  name: 'delete-slowly',
  about: 'A Cluster without control plane is deleted, whose infrastructure takes a minute to go',
  async script(user) {
    const { kind, name } = infraRef();
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind, name };
    await user.create(
      namespaceNamed(home),
      { ...toIntent(clusterRef()), spec: { infrastructureRef } },
      { ...toIntent(infraRef()), spec: { deletionSeconds } },
    );
    await user.until('a ready infrastructure', infraRef(), it => conditionOf(it, 'Ready') === 'True');
    await user.pause(20);
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
  },
};
