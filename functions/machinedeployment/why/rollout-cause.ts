// Explains why a rollout does not continue: the Machine, the check or the limit that stops it. Pure.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { getCondition, isFalse, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { toConditionText } from '../../../shared/explain/conditions.ts';
import type { WaitCause } from '../../../shared/explain/explanation.ts';
import { listNames, namesShown } from '../../../shared/machine-collections/listed-names.ts';
import { onDelete, toLimits } from '../plan/rollout/limits.ts';
import { blockOf } from './blocked-set.ts';

export interface RolloutSnapshot {
  readonly deployment: WholeMachineDeployment;
  readonly sets: readonly WholeMachineSet[];
  readonly machines: readonly WholeMachine[];
}

/** Returns empty lists if nothing stops the rollout. */
export function rolloutCause(snapshot: RolloutSnapshot): WaitCause {
  const causes = [pause, blockedSets, deletions, unavailable, limits, userDeletions].map(causeOf => causeOf(snapshot));
  return {
    pointsTo: causes.flatMap(({ pointsTo }) => pointsTo),
    remedies: [...new Set(causes.flatMap(({ remedies }) => remedies))],
  };
}

const nothing: WaitCause = { pointsTo: [], remedies: [] };

function pause({ deployment: { metadata, spec } }: RolloutSnapshot): WaitCause {
  const command = `clusterctl alpha rollout resume machinedeployment/${metadata.name} -n ${metadata.namespace}`;
  return spec.paused
    ? { pointsTo: ['spec.paused of the MachineDeployment'], remedies: [`resume the rollout: ${command}`] }
    : nothing;
}

/** A preflight check or a missing template stops a MachineSet from creating Machines. */
function blockedSets({ sets }: RolloutSnapshot): WaitCause {
  const blocked = sets.flatMap(({ metadata, status }) => {
    const block = blockOf({ status });
    return block === '' ? [] : [`MachineSet ${toDisplayName(metadata)}: ${block}`];
  });
  return blocked.length === 0
    ? nothing
    : {
        pointsTo: blocked,
        remedies: [
          'wait until the checks pass; the annotation machineset.cluster.x-k8s.io/skip-preflight-checks skips them',
        ],
      };
}

function deletions({ machines }: RolloutSnapshot): WaitCause {
  return waitingMachines(
    machines.filter(isDeleting),
    machine => `${displayOf(machine)}, which is being deleted${reasonIn(machine, 'Deleting')}`,
  );
}

function isDeleting({ metadata }: WholeMachine): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The limits count Machines of all MachineSets. A Machine that is not available yet holds the others back. */
function unavailable({ machines }: RolloutSnapshot): WaitCause {
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

/** Without surge left, and with no Machine that may be unavailable, nothing is replaced. */
function limits({ deployment, machines }: RolloutSnapshot): WaitCause {
  const { replicas, rollout } = deployment.spec;
  const { type, rollingUpdate } = rollout.strategy;
  if (replicas === undefined || type === onDelete || !machines.some(isOutdated)) {
    return nothing;
  }
  const { maxSurge, maxUnavailable } = rollingUpdate;
  const { surge, minAvailable } = toLimits({ type, maxSurge, maxUnavailable }, replicas);
  const available = machines.filter(({ status }) => isTrue(status.conditions, 'Available')).length;
  const most = replicas + surge;
  return machines.length < most || available > minAvailable
    ? nothing
    : {
        pointsTo: [
          `its limits: ${machines.length} of at most ${most} Machines exist, ${available} are available, and at least ${minAvailable} must be`,
        ],
        remedies: [
          'raise maxSurge or maxUnavailable of spec.rollout.strategy.rollingUpdate, if the Machines cannot recover',
        ],
      };
}

function isOutdated({ status }: WholeMachine): boolean {
  return isFalse(status.conditions, 'UpToDate');
}

function userDeletions({ deployment, machines }: RolloutSnapshot): WaitCause {
  const outdated = machines.filter(machine => isOutdated(machine) && !isDeleting(machine));
  const [first] = outdated;
  if (deployment.spec.rollout.strategy.type !== onDelete || first === undefined) {
    return nothing;
  }
  const { namespace, name } = first.metadata;
  return {
    pointsTo: [`the strategy OnDelete: a user must delete the old Machines ${listNames(outdated, namesShown)}`],
    remedies: [`delete them one after the other: kubectl delete machine -n ${namespace} ${name}`],
  };
}
