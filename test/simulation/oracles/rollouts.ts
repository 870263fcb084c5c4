// Invariant I9, the part of MachineDeployments: no more Machines than replicas and surge, no available Machine is deleted
// that the strategy needs, no name is used twice, no more remediations than allowed, and no new MachineSet while paused.

import { isJsonObject, type OwnerReference, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { Commit, SimulatedApi } from '../system/api-server.ts';
import { conditionOf } from '../workloads/workload.ts';
import type { Oracle } from './monitor.ts';

/** Checks what the product does. A user may delete any Machine, and Machines may fail. */
export function watchRollouts(api: SimulatedApi, report: (text: string) => void): Oracle {
  /** The uids of Machines that have been available. */
  const available = new Set<string>();
  /** The names of all Machines that existed. */
  const names = new Set<string>();
  return {
    committed(commit) {
      const { object, writer } = commit;
      if (object.kind === 'MachineSet') {
        checkPause(api, commit, report);
      }
      if (object.kind !== 'Machine') {
        return;
      }
      checkName(names, commit, report);
      if (conditionOf(object, 'Available') === 'True') {
        available.add(object.metadata.uid);
      }
      const deployment = writer === 'user' ? undefined : deploymentOf(api, object);
      if (deployment !== undefined && !isDeleting(deployment)) {
        const machines = machinesOf(api, deployment);
        checkMost(deployment, machines, commit, report);
        checkRemediations(deployment, machines, commit, report);
        const isAvailable = (machine: Unstructured): boolean =>
          available.has(machine.metadata.uid) && !isUnhealthy(machine);
        const left = machines.filter(machine => isAvailable(machine) && !isDeleting(machine)).length;
        // Two Machines that a health check marked may be deleted together.
        if (isAvailable(object)) {
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

/** The MachineSet that has the name creates no other Machine with it. */
function checkName(names: Set<string>, { type, object, writer }: Commit, report: (text: string) => void): void {
  if (type === 'ADDED' && controllerOf(object)?.kind === 'MachineSet') {
    const { name, namespace } = object.metadata;
    if (names.has(`${namespace}/${name}`)) {
      report(`I9: ${writer} creates Machine ${name} again`);
    }
    names.add(`${namespace}/${name}`);
  }
}

function checkRemediations(
  deployment: Unstructured,
  machines: readonly Unstructured[],
  { object, previous, writer }: Commit,
  report: (text: string) => void,
): void {
  const most = Number(valueAt(deployment.spec, 'remediation.maxInFlight') ?? Number.POSITIVE_INFINITY);
  const begins = previous !== undefined && !isDeleting(previous) && isDeleting(object);
  const inFlight = machines.filter(machine => isDeleting(machine) && isUnhealthy(machine)).length;
  if (begins && isUnhealthy(object) && inFlight > most) {
    report(`I9: ${writer} remediates Machine ${object.metadata.name}, the ${inFlight}th at once of at most ${most}`);
  }
}

function isUnhealthy(machine: Unstructured): boolean {
  return conditionOf(machine, 'HealthCheckSucceeded') === 'False';
}

function checkPause(api: SimulatedApi, { type, object, writer }: Commit, report: (text: string) => void): void {
  const deployment = type === 'ADDED' ? ownerOf(api, object, 'MachineDeployment') : undefined;
  if (valueAt(deployment?.spec, 'paused') === true) {
    report(`I9: ${writer} creates MachineSet ${object.metadata.name} while the rollout is paused`);
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
