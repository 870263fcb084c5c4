// Which unhealthy Machines a MachineSet replaces in one pass. Nothing replaces a Machine before it is gone, so the limit
// also counts Machines in deletion.
import { type Checked, compareText, invalid, mapChecked, valid } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { getCondition, isFalse, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { resolveIntOrPercent } from '../../../../shared/machine-collections/int-or-percent.ts';
import { revisionAnnotation } from '../../../../shared/machine-collections/keys.ts';
import { mustBeRemediated } from '../../../../shared/machine-collections/remediating-condition.ts';

export interface RemediationFacts {
  readonly machineSet: WholeMachineSet;
  readonly deployment: WholeMachineDeployment | undefined;
  /** The Machines that the set controls. */
  readonly machines: readonly WholeMachine[];
}

export interface RemediationChoice {
  /** Healthy again: the request to remediate them is removed. */
  readonly healed: readonly WholeMachine[];
  /** The set is old. The rollout replaces these Machines. */
  readonly refused: readonly WholeMachine[];
  /** Too many remediations are in progress. */
  readonly deferred: readonly WholeMachine[];
  /** Deleted in this pass if the preflight checks pass. */
  readonly chosen: readonly WholeMachine[];
  /** `spec.remediation.maxInFlight` as written. */
  readonly maxInFlight: string;
}

const remediateMachineAnnotation = 'cluster.x-k8s.io/remediate-machine';

/** The reason of OwnerRemediated of a Machine that is deleted to remediate it. */
export const machineDeletingReason = 'MachineDeleting';

export function chooseRemediations(facts: RemediationFacts): Checked<RemediationChoice> {
  const { machineSet, deployment, machines } = facts;
  const living = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const unhealthy = living.filter(mustBeRemediated);
  const maxInFlight = deployment?.spec.remediation.maxInFlight;
  const base = {
    healed: living.filter(machine => isHealed(machine) && !mustBeRemediated(machine)),
    refused: [],
    deferred: [],
    chosen: [],
    maxInFlight: `${maxInFlight}`,
  };
  if (unhealthy.length === 0) {
    return valid(base);
  }
  if (deployment !== undefined && revisionOf(deployment) !== revisionOf(machineSet)) {
    return valid({ ...base, refused: unhealthy });
  }
  return mapChecked(mostInFlight(deployment), most => {
    const free = Math.max(most - machines.filter(isBeingRemediated).length, 0);
    const order = unhealthy.toSorted(byUrgency);
    return { ...base, chosen: order.slice(0, free), deferred: order.slice(free) };
  });
}

function revisionOf({ metadata }: Pick<WholeMachineSet, 'metadata'>): string | undefined {
  return metadata.annotations[revisionAnnotation];
}

/** Without MachineDeployment or without its limit, all Machines are remediated at once. */
function mostInFlight(deployment: WholeMachineDeployment | undefined): Checked<number> {
  const { maxInFlight } = deployment?.spec.remediation ?? {};
  if (maxInFlight === undefined) {
    return valid(Number.POSITIVE_INFINITY);
  }
  const most = resolveIntOrPercent(maxInFlight, deployment?.spec.replicas ?? 1, Math.ceil);
  return most.ok ? most : invalid(`failed to calculate maxInFlight to remediate machines: ${most.error}`);
}

function isBeingRemediated({ metadata, status }: WholeMachine): boolean {
  const remediated = getCondition(status.conditions, 'OwnerRemediated');
  const isMarked = remediated?.status === 'False' && remediated.reason === machineDeletingReason;
  return isMarked && metadata.deletionTimestamp !== undefined;
}

/** Either family may say so. */
function isHealed({ status }: WholeMachine): boolean {
  return isHealedIn(status.conditions) || isHealedIn(status.deprecated.v1beta1.conditions);
}

/** Returns whether the health check succeeds, but a remediation is still requested. */
export function isHealedIn(conditions: readonly { readonly type: string; readonly status: string }[]): boolean {
  return isTrue(conditions, 'HealthCheckSucceeded') && isFalse(conditions, 'OwnerRemediated');
}

/** Machines that a user chose come first, then the newest. */
function byUrgency(a: WholeMachine, b: WholeMachine): number {
  return (
    Number(isChosen(b)) - Number(isChosen(a)) ||
    createdAt(b) - createdAt(a) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

function isChosen({ metadata }: WholeMachine): boolean {
  return remediateMachineAnnotation in metadata.annotations;
}

function createdAt({ metadata }: WholeMachine): number {
  return instantOf(metadata.creationTimestamp) ?? 0;
}
