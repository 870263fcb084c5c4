// Computes all conditions of one pass over a MachineDeployment, in upstream's order.

import {
  type Condition,
  type ConditionDraft,
  internalError,
  type ReportedCondition,
  type SetOptions,
  setCondition,
} from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { machinesReady, machinesUpToDate } from '../../../shared/machine-collections/machine-conditions.ts';
import { remediatingCondition } from '../../../shared/machine-collections/remediating-condition.ts';
import {
  missingTemplates,
  scalingDownCondition,
  scalingUpCondition,
} from '../../../shared/machine-collections/scaling-conditions.ts';
import {
  deletingMachines,
  deletingWith,
  deletionCompleted,
  notDeleting,
  staleDeletion,
} from '../../../shared/machine-collections/stale-deletion.ts';
import { available } from './deployment-available.ts';
import type { DeploymentFacts } from './deployment-facts.ts';
import { rollingOut } from './rolling-out.ts';
import { toSetTotals } from './set-totals.ts';

/** The condition types that this reconciler writes. */
export const ownedConditions: readonly string[] = [
  'Paused',
  'Available',
  'MachinesReady',
  'MachinesUpToDate',
  'RollingOut',
  'ScalingDown',
  'ScalingUp',
  'Remediating',
  'Deleting',
];

const inOrder: readonly ((facts: DeploymentFacts) => ConditionDraft)[] = [
  available,
  rollingOut,
  scalingUp,
  scalingDown,
  ({ machines }) => machinesReady('MachinesReady', machines),
  ({ machines, now }) => machinesUpToDate('MachinesUpToDate', machines, now),
  ({ machines }) => remediatingCondition(machines, ' by MachineDeployment/MachineSet'),
  deleting,
];

interface Storing extends SetOptions {
  readonly stored: readonly Condition[];
  /** The condition Paused. */
  readonly paused: ReportedCondition;
}

/** The condition list of the deployment after this pass. */
export function toConditions(facts: DeploymentFacts, { stored, paused, ...options }: Storing): readonly Condition[] {
  const drafts = [paused, ...inOrder.map(conditionOf => conditionOf(facts))];
  return drafts.reduce((list, draft) => setCondition(list, draft, options), stored);
}

function scalingUp({ deployment, sets, missingTemplates: kinds }: DeploymentFacts): ConditionDraft {
  if (sets === undefined) {
    return internalError('ScalingUp');
  }
  const missing = missingTemplates(kinds);
  const blocked = missing === '' ? '' : ` ${missing}`;
  return scalingUpCondition({ ...scalingOf(deployment, sets), missing, blocked });
}

function scalingDown({ deployment, sets, machines, now }: DeploymentFacts): ConditionDraft {
  return sets === undefined
    ? internalError('ScalingDown')
    : scalingDownCondition({ ...scalingOf(deployment, sets), stale: staleDeletion(machines, now) });
}

function scalingOf(deployment: WholeMachineDeployment, sets: NonNullable<DeploymentFacts['sets']>) {
  const { replicas } = deployment.spec;
  return { replicas, isDeleting: isDeleting(deployment), current: toSetTotals(sets).replicas ?? 0 };
}

function deleting({ deployment, sets, machines, now }: DeploymentFacts): ConditionDraft {
  if (sets === undefined) {
    return internalError('Deleting');
  }
  if (!isDeleting(deployment)) {
    return notDeleting;
  }
  if (machines.length > 0) {
    return deletingMachines(machines, now);
  }
  return sets.length > 0 ? deletingWith(`Deleting ${sets.length} MachineSets`) : deletionCompleted;
}
