// The MachineDeployments of a managed topology: one scales up, one is added, one is removed.
import { patchTopology, untilReconciled, workersOf } from '../topology.ts';
import { a, b, oneWorker, twoWorkers } from '../topology-given.ts';
import type { Workload } from '../workload.ts';

export const topologyScale: Workload = {
  name: 'topology-scale',
  about: 'A MachineDeployment of a managed topology grows',
  given: oneWorker,
  managed: true,
  async script(user) {
    await patchTopology(user, workersOf([{ ...a, replicas: 2 }]));
    await untilReconciled(user);
  },
};

export const topologyAdd: Workload = {
  name: 'topology-add',
  about: 'A managed topology gets another MachineDeployment, with a MachineHealthCheck',
  given: oneWorker,
  managed: true,
  async script(user) {
    await patchTopology(user, workersOf([a, b]));
    await user.untilAll('another MachineDeployment', 'MachineDeployment', ({ length }) => length === 2);
    await user.untilAll('its MachineHealthCheck', 'MachineHealthCheck', ({ length }) => length === 1);
    await untilReconciled(user);
  },
};

export const topologyRemove: Workload = {
  name: 'topology-remove',
  about: 'One of two MachineDeployments leaves a managed topology, and takes its MachineHealthCheck along',
  given: twoWorkers,
  managed: true,
  async script(user) {
    await patchTopology(user, workersOf([a]));
    await user.untilAll('one MachineDeployment', 'MachineDeployment', ({ length }) => length === 1);
    await user.untilAll('no MachineHealthCheck', 'MachineHealthCheck', ({ length }) => length === 0);
    await untilReconciled(user);
  },
};
