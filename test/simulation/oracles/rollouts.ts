// Invariant I9, the part of MachineDeployments: no more Machines than replicas and surge, and no available Machine is
// deleted that the strategy needs.
import { isJsonObject } from '../../../packages/apimachinery/json.ts';
import { valueAt } from '../../../packages/apimachinery/merge-diff.ts';
import type { OwnerReference, Unstructured } from '../../../packages/apimachinery/object.ts';
import type { Commit, SimulatedApi } from '../system/api-server.ts';
import { conditionOf } from '../workloads/workload.ts';
import type { Oracle } from './monitor.ts';

/** Checks what the product does. A user may delete any Machine, and Machines may fail. */
export function watchRollouts(api: SimulatedApi, report: (text: string) => void): Oracle {
  /** The uids of Machines that have been available. */
  const available = new Set<string>();
  return {
    committed(commit) {
      const { object, writer } = commit;
      if (object.kind !== 'Machine') {
        return;
      }
      if (conditionOf(object, 'Available') === 'True') {
        available.add(object.metadata.uid);
      }
      const deployment = writer === 'user' ? undefined : deploymentOf(api, object);
      if (deployment !== undefined && !isDeleting(deployment)) {
        const machines = machinesOf(api, deployment);
        checkMost(deployment, machines, commit, report);
        const left = machines.filter(machine => available.has(machine.metadata.uid) && !isDeleting(machine)).length;
        if (available.has(object.metadata.uid)) {
          checkAvailable(deployment, left, commit, report);
        }
      }
    },
  };
}

function checkMost(
  deployment: Unstructured,
  { length: count }: readonly Unstructured[],
  { type, object, writer }: Commit,
  report: (text: string) => void,
): void {
  const { replicas, surge } = limitsOf(deployment);
  if (type === 'ADDED' && count > replicas + surge) {
    const limit = `${replicas} replicas and a surge of ${surge}`;
    report(`I9: ${writer} creates Machine ${object.metadata.name}, the ${count}th with ${limit}`);
  }
}

/** `left` is the number of Machines that have been available and are not being deleted. */
function checkAvailable(
  deployment: Unstructured,
  left: number,
  { object, previous, writer }: Commit,
  report: (text: string) => void,
): void {
  const { replicas, unavailable } = limitsOf(deployment);
  const begins = previous !== undefined && !isDeleting(previous) && isDeleting(object);
  if (begins && left < replicas - unavailable) {
    const limit = `${replicas} replicas and at most ${unavailable} unavailable`;
    report(`I9: ${writer} deletes Machine ${object.metadata.name} and leaves ${left} available with ${limit}`);
  }
}

function deploymentOf(api: SimulatedApi, machine: Unstructured): Unstructured | undefined {
  const set = ownerOf(api, machine, 'MachineSet');
  return set && ownerOf(api, set, 'MachineDeployment');
}

function ownerOf(api: SimulatedApi, object: Unstructured, kind: string): Unstructured | undefined {
  const uid = controllerOf(object)?.uid;
  return [...api.objects().values()].find(each => each.kind === kind && each.metadata.uid === uid);
}

function controllerOf({ metadata: { ownerReferences = [] } }: Unstructured): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller === true);
}

function machinesOf(api: SimulatedApi, { metadata: { uid } }: Unstructured): readonly Unstructured[] {
  const objects = [...api.objects().values()];
  const sets = new Set(
    objects.filter(each => each.kind === 'MachineSet' && controllerOf(each)?.uid === uid).map(set => set.metadata.uid),
  );
  return objects.filter(each => each.kind === 'Machine' && sets.has(controllerOf(each)?.uid ?? ''));
}

function limitsOf({ spec }: Unstructured) {
  const rolling = valueAt(spec, 'rollout.strategy.rollingUpdate');
  const { maxSurge = 1, maxUnavailable = 0 } = isJsonObject(rolling) ? rolling : {};
  const replicas = Number(valueAt(spec, 'replicas'));
  const surge = Math.ceil(shareOf(maxSurge, replicas));
  const unavailable = Math.floor(shareOf(maxUnavailable, replicas));
  return { replicas, surge, unavailable: surge + unavailable === 0 ? 1 : unavailable };
}

/** A number, or a percentage of the replicas. */
function shareOf(value: unknown, replicas: number): number {
  return typeof value === 'string' ? (Number.parseFloat(value) * replicas) / 100 : Number(value);
}

function isDeleting({ metadata }: Unstructured): boolean {
  return metadata.deletionTimestamp !== undefined;
}
