// Machines without owner, with simulated bootstrap data and infrastructure, in a Cluster with an API server.

import { isJsonObject } from '../../../../packages/apimachinery/json.ts';
import { valueAt } from '../../../../packages/apimachinery/merge-diff.ts';
import type { Intent, ObjectRef, Unstructured } from '../../../../packages/apimachinery/object.ts';
import type { SimulatedUser } from '../../system/user.ts';
import { aWholeMachine } from '../machine-parts.ts';
import { machineRef } from '../members.ts';
import {
  aSimulatedCluster,
  clusterRef,
  conditionOf,
  home,
  isGone,
  namespaceNamed,
  toIntent,
  untilReady,
  type Workload,
} from '../workload.ts';

const nodeRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Node', name });
const budgetRef: ObjectRef = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  namespace: 'default',
  name: 'web',
};

/**
 * A control plane provider reports this condition. Without it, a Cluster reports a young Machine as up to date, and
 * changes this after ten seconds without an event.
 */
const upToDate = {
  conditions: [
    { type: 'UpToDate', status: 'True', reason: 'UpToDate', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
};

const phaseOf = (machine: Unstructured | undefined): unknown =>
  isJsonObject(machine?.status) ? machine.status['phase'] : undefined;

async function untilRunning(user: SimulatedUser, name: string): Promise<void> {
  await user.until(`${name} to run`, machineRef(name), machine => phaseOf(machine) === 'Running');
  await user.until(
    `the Node of ${name} to be ready`,
    machineRef(name),
    machine => conditionOf(machine, 'Ready') === 'True',
  );
}

/** Without an owner, a Machine of the control plane is not deleted with its Cluster. */
const isOwned = (machine: Unstructured | undefined): boolean => (machine?.metadata.ownerReferences ?? []).length > 0;

/** Without a Machine of the control plane, no Node is drained or deleted. */
async function start(user: SimulatedUser, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
  await user.create(namespaceNamed(home), ...aSimulatedCluster());
  await untilReady(user);
  await user.create(...aWholeMachine('cp', { labels: { 'cluster.x-k8s.io/control-plane': '' }, status: upToDate }));
  await user.create(...aWholeMachine('m1', { annotations }));
  await user.until('the Cluster to own cp', machineRef('cp'), isOwned);
  await untilRunning(user, 'm1');
}

async function untilDeleted(user: SimulatedUser): Promise<void> {
  await user.until('the Machine to be gone', machineRef('m1'), isGone);
  await user.inWorkload(clusterRef()).until('its Node to be gone', nodeRef('m1'), isGone);
}

export const machineLife: Workload = {
  name: 'machine-life',
  about: 'A Machine is created, gets a Node, and is deleted with a drain',
  long: true,
  async script(user) {
    await start(user);
    await user.delete(machineRef('m1'));
    await untilDeleted(user);
  },
};

const hook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup';

export const machineHook: Workload = {
  name: 'machine-hook',
  about: 'The deletion of a Machine waits for a hook before its Node is drained',
  long: true,
  async script(user) {
    await start(user, { [hook]: 'backup' });
    await user.delete(machineRef('m1'));
    await user.until(
      'the Machine to wait for the hook',
      machineRef('m1'),
      machine => conditionOf(machine, 'Deleting') === 'True',
    );
    // Longer than a deletion without hook takes.
    await user.pause(90);
    await user.patch(machineRef('m1'), { metadata: { annotations: { [hook]: null } } });
    await untilDeleted(user);
  },
};

export const machineBudget: Workload = {
  name: 'machine-budget',
  about: 'A PodDisruptionBudget blocks the drain of a Machine in deletion, and later allows it',
  long: true,
  async script(user) {
    await start(user);
    const workload = user.inWorkload(clusterRef());
    await workload.create({
      ...toIntent(budgetRef),
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await user.delete(machineRef('m1'));
    await user.pause(30);
    await workload.patch(budgetRef, { spec: { minAvailable: 0 } });
    await untilDeleted(user);
  },
};

/** The names are in the order in which a drain evicts the Pods. */
const membersOfSet = Array.from({ length: 10 }, (_, ordinal) => `db-${ordinal}`);

const memberOn = (nodeName: string, name: string): Intent => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName, containers: [{ name: 'db', image: 'db' }] },
});

export const machineReplacedPods: Workload = {
  name: 'machine-replaced-pods',
  about: 'While the Node of a Machine is drained, its Pods are replaced by Pods of the same name on another Node',
  long: true,
  async script(user) {
    await start(user);
    await untilRunning(user, 'cp');
    const workload = user.inWorkload(clusterRef());
    await workload.create(...membersOfSet.map(name => memberOn('m1', name)));
    await user.delete(machineRef('m1'));
    await workload.until(
      'its Node to be cordoned',
      nodeRef('m1'),
      node => node === undefined || valueAt(node.spec, 'unschedulable') === true,
    );
    for (const name of membersOfSet.toReversed()) {
      await workload.replace(memberOn('cp', name));
    }
    await untilDeleted(user);
  },
};

export const machineNodeLost: Workload = {
  name: 'machine-node-lost',
  about: 'The Node of a running Machine is deleted by a user, and then the Machine',
  long: true,
  async script(user) {
    await start(user);
    await user.inWorkload(clusterRef()).delete(nodeRef('m1'));
    await user.patch(machineRef('m1'), { metadata: { labels: { seen: 'true' } } });
    await user.until(
      'the Machine to miss its Node',
      machineRef('m1'),
      machine => conditionOf(machine, 'NodeReady') === 'False',
    );
    await user.delete(machineRef('m1'));
    await untilDeleted(user);
  },
};

export const machineOfCluster: Workload = {
  name: 'machine-of-cluster',
  about: 'A Cluster with a running Machine is deleted: the Machine goes without a drain',
  long: true,
  async script(user) {
    await start(user);
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
    await user.until('the Machine to be gone', machineRef('m1'), isGone);
  },
};
