// Explains why replicas are missing: the MachineSets that create no Machine, and the Machines that hold others back. Pure.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { getCondition, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../api/machine-set/whole-machine-set.ts';
import { namesShown } from '../machine-collections/listed-names.ts';
import { toConditionText, toWhy } from './conditions.ts';
import { noCause, type WaitCause } from './explanation.ts';

/** Remedies that several causes have are listed once. */
export function joinCauses(causes: readonly WaitCause[]): WaitCause {
  return {
    pointsTo: causes.flatMap(({ pointsTo }) => pointsTo),
    remedies: [...new Set(causes.flatMap(({ remedies }) => remedies))],
  };
}

/** Returns the text of the condition, or "" if nothing blocks the MachineSet. */
export function blockOf({ status }: Pick<WholeMachineSet, 'status'>): string {
  const scalingUp = getCondition(status.conditions, 'ScalingUp');
  return scalingUp?.status === 'True' && scalingUp.message.includes('is blocked because') ? toWhy(scalingUp) : '';
}

/** A preflight check or a missing template stops a MachineSet from creating Machines. */
export function blockedSets(sets: readonly WholeMachineSet[]): WaitCause {
  const blocked = sets.flatMap(({ metadata, status }) => {
    const block = blockOf({ status });
    return block === '' ? [] : [`MachineSet ${toDisplayName(metadata)}: ${block}`];
  });
  return blocked.length === 0
    ? noCause
    : {
        pointsTo: blocked,
        remedies: [
          'wait until the checks pass; the annotation machineset.cluster.x-k8s.io/skip-preflight-checks skips them',
        ],
      };
}

export function deletingMachines(machines: readonly WholeMachine[]): WaitCause {
  return waitingMachines(
    machines.filter(isDeleting),
    machine => `${displayOf(machine)}, which is being deleted${reasonIn(machine, 'Deleting')}`,
  );
}

function isDeleting({ metadata }: WholeMachine): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The limits count Machines of all MachineSets. A Machine that is not available yet holds the others back. */
export function unavailableMachines(machines: readonly WholeMachine[]): WaitCause {
  return waitingMachines(
    machines.filter(machine => !isDeleting(machine) && !isTrue(machine.status.conditions, 'Available')),
    machine =>
      `${displayOf(machine)}, which is not available${reasonIn(machine, 'Ready') || reasonIn(machine, 'Available')}`,
  );
}

/** The first Machines are named. */
function waitingMachines(waiting: readonly WholeMachine[], describe: (machine: WholeMachine) => string): WaitCause {
  const shown = waiting.slice(0, namesShown);
  const hidden = waiting.length - shown.length;
  return {
    pointsTo: [...shown.map(describe), ...(hidden > 0 ? [`${hidden} more Machines`] : [])],
    remedies: shown.map(
      ({ metadata }) =>
        `see what the Machine waits for: npx capi-serverless why machine ${metadata.namespace}/${metadata.name}`,
    ),
  };
}

function displayOf({ metadata }: WholeMachine): string {
  return `Machine ${toDisplayName(metadata)}`;
}

function reasonIn({ status }: WholeMachine, type: string): string {
  const condition = getCondition(status.conditions, type);
  return condition === undefined ? '' : ` (${toConditionText(condition)})`;
}
