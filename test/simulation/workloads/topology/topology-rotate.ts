// The templates of a managed topology change, because its class references others, or because it gets another class.
import type { SimulatedUser } from '../../system/user.ts';
import { classRef, classSpec, patchTopology, untilClassReady, untilReconciled } from '../topology.ts';
import { rotatable } from '../topology-given.ts';
import type { Workload } from '../workload.ts';

export const topologyRotate: Workload = {
  name: 'topology-rotate',
  about: 'A class names other templates of Machines, so those of its Cluster are rotated',
  given: rotatable,
  managed: true,
  async script(user) {
    await user.patch(classRef(), { spec: classSpec({ worker: 'worker-2', controlPlaneMachine: 'cp-2' }) });
    await untilClassReady(user);
    await untilLarge(user);
  },
};

export const topologyRebase: Workload = {
  name: 'topology-rebase',
  about: 'A Cluster gets another class, with other templates of Machines and of the control plane',
  given: rotatable,
  managed: true,
  async script(user) {
    await patchTopology(user, { classRef: { name: 'other' } });
    await untilLarge(user);
  },
};

/** Returns true if there is one control plane Machine and one worker, both of the new size, and no other Machines. */
async function untilLarge(user: SimulatedUser): Promise<void> {
  await user.untilAll(
    'Machines that are large',
    'SimulatedMachine',
    machines => machines.length === 2 && machines.every(({ spec }) => JSON.stringify(spec).includes('"large"')),
  );
  await untilReconciled(user);
}
