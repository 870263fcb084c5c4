// Explains why a rollout does not continue: the Machine, the check or the limit that stops it. Pure.
import { isFalse, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { noCause, type WaitCause } from '../../../shared/explain/explanation.ts';
import {
  blockedSets,
  deletingMachines,
  joinCauses,
  unavailableMachines,
} from '../../../shared/explain/replica-causes.ts';
import { listNames, namesShown } from '../../../shared/machine-collections/listed-names.ts';
import { onDelete, toLimits } from '../plan/rollout/limits.ts';

export interface RolloutSnapshot {
  readonly deployment: WholeMachineDeployment;
  readonly sets: readonly WholeMachineSet[];
  readonly machines: readonly WholeMachine[];
}

/** Returns empty lists if nothing stops the rollout. */
export function rolloutCause(snapshot: RolloutSnapshot): WaitCause {
  const causes = [
    pause(snapshot),
    blockedSets(snapshot.sets),
    deletingMachines(snapshot.machines),
    unavailableMachines(snapshot.machines),
    limits(snapshot),
    userDeletions(snapshot),
  ];
  return joinCauses(causes);
}

function pause({ deployment: { metadata, spec } }: RolloutSnapshot): WaitCause {
  const command = `clusterctl alpha rollout resume machinedeployment/${metadata.name} -n ${metadata.namespace}`;
  return spec.paused
    ? { pointsTo: ['spec.paused of the MachineDeployment'], remedies: [`resume the rollout: ${command}`] }
    : noCause;
}

/** Without surge left, and with no Machine that may be unavailable, nothing is replaced. */
function limits({ deployment, machines }: RolloutSnapshot): WaitCause {
  const { replicas, rollout } = deployment.spec;
  const { type, rollingUpdate } = rollout.strategy;
  if (replicas === undefined || type === onDelete || !machines.some(isOutdated)) {
    return noCause;
  }
  const { maxSurge, maxUnavailable } = rollingUpdate;
  const { surge, minAvailable } = toLimits({ type, maxSurge, maxUnavailable }, replicas);
  const available = machines.filter(({ status }) => isTrue(status.conditions, 'Available')).length;
  const most = replicas + surge;
  return machines.length < most || available > minAvailable
    ? noCause
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
  const outdated = machines.filter(machine => isOutdated(machine) && machine.metadata.deletionTimestamp === undefined);
  const [first] = outdated;
  if (deployment.spec.rollout.strategy.type !== onDelete || first === undefined) {
    return noCause;
  }
  const { namespace, name } = first.metadata;
  return {
    pointsTo: [`the strategy OnDelete: a user must delete the old Machines ${listNames(outdated, namesShown)}`],
    remedies: [`delete them one after the other: kubectl delete machine -n ${namespace} ${name}`],
  };
}
