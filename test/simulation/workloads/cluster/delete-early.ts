// A Cluster is deleted before it is provisioned.
import {
  aSimulatedCluster,
  clusterRef,
  controlPlaneRef,
  home,
  infraRef,
  isGone,
  namespaceNamed,
  type Workload,
} from '../workload.ts';

export const deleteEarly: Workload = {
  name: 'delete-early',
  about:
    'A Cluster is deleted at any moment of its provisioning; what it had not marked as its own is the user’s to delete',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await user.pause(3);
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
    for (const ref of [infraRef(), controlPlaneRef()]) {
      if (user.read(ref) !== undefined) {
        await user.delete(ref);
        await user.until(`${ref.kind} to be gone`, ref, isGone);
      }
    }
  },
};
