// A managed topology is created, and its workers change.
import {
  aClass,
  aManagedCluster,
  anExtension,
  classTemplates,
  patchTopology,
  untilReconciled,
  workersOf,
} from '../topology.ts';
import { home, namespaceNamed, type Workload } from '../workload.ts';

export const topologyLife: Workload = {
  name: 'topology-life',
  about: 'A Cluster is made of a class, a MachineDeployment of it grows, another one is added, and the first one goes',
  notInCampaigns: 'a run makes ten times the calls of topology-scale',
  managed: true,
  async script(user) {
    const hooks = anExtension(user, ['BeforeClusterCreate', 'AfterControlPlaneInitialized']);
    await user.create(namespaceNamed(home), hooks, ...classTemplates(), aClass('class'));
    await user.create(...aManagedCluster([{ name: 'a', replicas: 0 }]));
    await untilReconciled(user);
    await patchTopology(user, workersOf([{ name: 'a', replicas: 1 }]));
    await untilReconciled(user);
    await patchTopology(
      user,
      workersOf([
        { name: 'a', replicas: 1 },
        { name: 'b', replicas: 1 },
      ]),
    );
    await user.untilAll('another MachineDeployment', 'MachineDeployment', ({ length }) => length === 2);
    await untilReconciled(user);
    await patchTopology(user, workersOf([{ name: 'b', replicas: 1 }]));
    await user.untilAll('one MachineDeployment', 'MachineDeployment', ({ length }) => length === 1);
    await untilReconciled(user);
  },
};
