// Several Clusters at the same time: batches with several objects, lists of several pages.
import { aSimulatedCluster, clusterRef, home, isGone, namespaceNamed, untilReady, type Workload } from '../workload.ts';

const names = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

export const several: Workload = {
  name: 'several',
  about: 'Six Clusters are created together and become available; then half of them are deleted',
  notInCampaigns: 'a run makes six times the calls of create',
  async script(user) {
    await user.create(namespaceNamed(home), ...names.flatMap(name => aSimulatedCluster(name)));
    for (const name of names) {
      await untilReady(user, name);
    }
    const doomed = names.filter((_, index) => index % 2 === 0);
    for (const name of doomed) {
      await user.delete(clusterRef(name));
    }
    for (const name of doomed) {
      await user.until(`Cluster ${name} to be gone`, clusterRef(name), isGone);
    }
  },
};
