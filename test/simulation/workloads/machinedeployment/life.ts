// A MachineDeployment is scaled down and up, loses Machines to a health check, and is changed while its rollout is paused.
import type { SimulatedUser } from '../../system/user.ts';
import {
  aMachineDeployment,
  deploymentRef,
  deploymentTemplates,
  machineOf,
  unhealthy,
  untilVersion,
} from '../deployment-parts.ts';
import { aSimulatedCluster, home, namespaceNamed, untilReady, type Workload } from '../workload.ts';

/** Returns the names of the Machines that are not being deleted, in order. Waits until there is this number. */
async function machinesOf(user: SimulatedUser, count: number): Promise<readonly string[]> {
  let names: readonly string[] = [];
  await user.untilAll(`${count} Machines`, 'Machine', machines => {
    const left = machines.filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] !== undefined);
    names = left.map(({ metadata }) => metadata.name).toSorted();
    return left.length === count && left.every(({ metadata }) => metadata.deletionTimestamp === undefined);
  });
  return names;
}

export const machineDeploymentLife: Workload = {
  name: 'machinedeployment-life',
  about:
    'A MachineDeployment is scaled down and up, replaces two unhealthy Machines one after the other, and is changed while its rollout is paused',
  long: true,
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    await user.create(...deploymentTemplates(), aMachineDeployment({ remediation: { maxInFlight: 1 } }));
    await untilVersion(user, 'v1.35.0');
    // The choice of the Machine must not depend on faults.
    const [chosen = ''] = await machinesOf(user, 2);
    await user.patch(machineOf(chosen), { metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': '' } } });
    await user.patch(deploymentRef, { spec: { replicas: 1 } });
    await untilVersion(user, 'v1.35.0', 1);
    await user.patch(deploymentRef, { spec: { replicas: 3 } });
    await untilVersion(user, 'v1.35.0', 3);
    const [first = '', second = ''] = await machinesOf(user, 3);
    await user.change(machineOf(first), unhealthy, 'status');
    await user.change(machineOf(second), unhealthy, 'status');
    for (const name of [first, second]) {
      await user.until('replaced', machineOf(name), machine => machine === undefined);
    }
    await untilVersion(user, 'v1.35.0', 3);
    await user.patch(deploymentRef, { spec: { paused: true } });
    await user.patch(deploymentRef, { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await user.pause(60);
    await user.patch(deploymentRef, { spec: { paused: false } });
    await untilVersion(user, 'v1.35.1', 3);
  },
};
