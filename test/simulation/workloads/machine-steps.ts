// Steps that workloads of Machines have in common.

import { isJsonObject, type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { SimulatedUser } from '../system/user.ts';
import { aWholeMachine } from './machine-parts.ts';
import { machineRef } from './members.ts';
import { aSimulatedCluster, clusterRef, conditionOf, home, isGone, namespaceNamed, untilReady } from './workload.ts';

export const nodeRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Node', name });

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

export async function untilRunning(user: SimulatedUser, name: string): Promise<void> {
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
export async function startControlPlane(user: SimulatedUser): Promise<void> {
  await user.create(namespaceNamed(home), ...aSimulatedCluster());
  await untilReady(user);
  await user.create(...aWholeMachine('cp', { labels: { 'cluster.x-k8s.io/control-plane': '' }, status: upToDate }));
}

type Marks = Parameters<typeof aWholeMachine>[1];

/** A control plane and the Machine `m1`, which runs. */
export async function start(user: SimulatedUser, marks: Marks = {}): Promise<void> {
  await startControlPlane(user);
  await user.create(...aWholeMachine('m1', marks));
  await user.until('the Cluster to own cp', machineRef('cp'), isOwned);
  await untilRunning(user, 'm1');
}

export async function untilDeleted(user: SimulatedUser): Promise<void> {
  await user.until('the Machine to be gone', machineRef('m1'), isGone);
  await user.inWorkload(clusterRef()).until('its Node to be gone', nodeRef('m1'), isGone);
}

/** Touches the Machine, which then misses its deleted Node, and deletes it. */
export async function endWithoutNode(user: SimulatedUser): Promise<void> {
  await user.patch(machineRef('m1'), { metadata: { labels: { seen: 'true' } } });
  await user.until(
    'the Machine to miss its Node',
    machineRef('m1'),
    machine => conditionOf(machine, 'NodeReady') === 'False',
  );
  await user.delete(machineRef('m1'));
  await untilDeleted(user);
}

/** Waits until the condition Deleting of the Machine has this reason. */
export function untilStage(user: SimulatedUser, reason: string): Promise<void> {
  return user.until(`the Machine to be in stage ${reason}`, machineRef('m1'), machine => {
    const conditions = valueAt(machine?.status, 'conditions');
    return (
      Array.isArray(conditions) &&
      conditions.some(each => isJsonObject(each) && each['type'] === 'Deleting' && each['reason'] === reason)
    );
  });
}
