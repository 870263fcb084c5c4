// A MachineDeployment is scaled down and up, loses Machines to a health check, and is changed while its rollout is paused.
// Its MachineSet is paused for a while, and an infrastructure machine of another owner has the labels of the MachineSet.
import { type Intent, type ObjectRef, toRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { SimulatedUser } from '../../system/user.ts';
import {
  aMachineDeployment,
  deploymentRef,
  deploymentTemplates,
  machineOf,
  machinesOf,
  unhealthy,
  untilVersion,
} from '../deployment-parts.ts';
import { aSimulatedCluster, clusterRef, home, namespaceNamed, untilReady, type Workload } from '../workload.ts';

const foreignRef: ObjectRef = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedMachine',
  namespace: home,
  name: 'foreign',
};

function isDeleting({ metadata }: Unstructured): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Returns the only MachineSet. */
async function machineSetOf(user: SimulatedUser): Promise<Unstructured> {
  let found: Unstructured | undefined;
  await user.untilAll('one MachineSet', 'MachineSet', sets => {
    [found] = sets;
    return sets.length === 1;
  });
  return found as Unstructured; // true: the wait ends with one MachineSet
}

/** An infrastructure machine without Machine, which the Cluster owns. It has the labels that the MachineSet selects. */
function aForeignMachine(set: Unstructured, cluster: Unstructured): Intent {
  const { apiVersion, kind, name, namespace = '' } = foreignRef;
  const { name: owner, uid } = cluster.metadata;
  const ownerReferences = [{ apiVersion: cluster.apiVersion, kind: cluster.kind, name: owner, uid }];
  const labels = valueAt(set.spec, 'selector.matchLabels') as Readonly<Record<string, string>>; // true: the schema requires it
  return { apiVersion, kind, metadata: { name, namespace, labels, ownerReferences }, spec: {} };
}

export const machineDeploymentLife: Workload = {
  name: 'machinedeployment-life',
  about:
    'A MachineDeployment is scaled down and up, replaces two unhealthy Machines one after the other, and is changed while its rollout or its MachineSet is paused',
  long: true,
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    await user.create(...deploymentTemplates(), aMachineDeployment({ remediation: { maxInFlight: 1 } }));
    await untilVersion(user, 'v1.35.0');
    const set = await machineSetOf(user);
    const cluster = user.read(clusterRef()) as Unstructured; // true: it is ready
    await user.create(aForeignMachine(set, cluster));
    // The choice of the Machine must not depend on faults.
    const [chosen = ''] = await machinesOf(user, 2);
    await user.patch(machineOf(chosen), { metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': '' } } });
    await user.patch(deploymentRef, { spec: { replicas: 1 } });
    await untilVersion(user, 'v1.35.0', 1);
    await user.patch(toRef(set), { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await user.patch(deploymentRef, { spec: { replicas: 3 } });
    await user.pause(60);
    await user.patch(toRef(set), { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await untilVersion(user, 'v1.35.0', 3);
    const [first = '', second = ''] = await machinesOf(user, 3);
    await user.change(machineOf(first), unhealthy, 'status');
    await user.change(machineOf(second), unhealthy, 'status');
    for (const name of [first, second]) {
      await user.until('replaced', machineOf(name), machine => machine === undefined);
    }
    await untilVersion(user, 'v1.35.0', 3);
    await user.until('not deleted', foreignRef, machine => machine !== undefined && !isDeleting(machine));
    await user.patch(deploymentRef, { spec: { paused: true } });
    await user.patch(deploymentRef, { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await user.pause(60);
    await user.patch(deploymentRef, { spec: { paused: false } });
    await untilVersion(user, 'v1.35.1', 3);
  },
};
