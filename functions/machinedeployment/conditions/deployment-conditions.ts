// Computes all conditions and counters of one pass over a MachineDeployment, in upstream's order: the current ones, then
// the deprecated ones.
import { compareText, type Instant } from '@capi-serverless/apimachinery';
import {
  type Condition,
  type ConditionDraft,
  getCondition,
  internalError,
  mirrorV1Beta1Ready,
  type ReportedCondition,
  type SetOptions,
  setCondition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import type { StatusVersion } from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { machinesReady, machinesUpToDate } from '../../../shared/machine-collections/machine-conditions.ts';
import { countVersions } from '../../../shared/machine-collections/machine-versions.ts';
import { remediatingCondition } from '../../../shared/machine-collections/remediating-condition.ts';
import { sumOfReported } from '../../../shared/machine-collections/reported-sum.ts';
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
import { rollingUpdate, toLimits } from '../plan/rollout/limits.ts';

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

const rollingOutType = 'RollingOut';

/** The number of Machines that are not up to date, and in which fields. */
function rollingOut({ machines }: Pick<DeploymentFacts, 'machines'>): ConditionDraft {
  const outdated = machines.flatMap(({ status }) => {
    const upToDate = getCondition(status.conditions, 'UpToDate');
    return upToDate?.status === 'False' ? [upToDate.message] : [];
  });
  if (outdated.length === 0) {
    return { type: rollingOutType, status: 'False', reason: 'NotRollingOut', message: '' };
  }
  const lines = new Set(outdated.flatMap(message => message.split('\n')).filter(line => line !== ''));
  const message = [`Rolling out ${outdated.length} not up-to-date replicas`, ...sortLines([...lines])].join('\n');
  return { type: rollingOutType, status: 'True', reason: rollingOutType, message };
}

/** A change of the version is named first. */
function sortLines(lines: readonly string[]): readonly string[] {
  const rank = (line: string) => (line.startsWith('* Version') ? 0 : 1);
  return lines.toSorted((a, b) => rank(a) - rank(b) || compareText(a, b));
}

const availableType = 'Available';

/** Enough Machines are available for the strategy. Without surge and unavailability of a strategy, all replicas are needed. */
function available({ deployment, sets }: DeploymentFacts): ConditionDraft {
  if (sets === undefined) {
    return internalError(availableType);
  }
  const { replicas, rollout } = deployment.spec;
  const { type: strategy, rollingUpdate: amounts } = rollout.strategy;
  const { maxSurge, maxUnavailable } = amounts;
  const { availableReplicas } = toSetTotals(sets);
  if (replicas === undefined) {
    return unknown('WaitingForReplicasSet', 'Waiting for spec.replicas set');
  }
  if (availableReplicas === undefined) {
    return unknown('WaitingForAvailableReplicasSet', 'Waiting for status.availableReplicas set');
  }
  const { minAvailable } = toLimits({ type: strategy, maxSurge, maxUnavailable }, replicas);
  if (availableReplicas >= minAvailable) {
    return { type: availableType, status: 'True', reason: 'Available', message: '' };
  }
  if (isDeleting(deployment)) {
    return unavailable('Deletion in progress');
  }
  const needed = `${availableReplicas} available replicas, at least ${minAvailable} required`;
  const limit = `(spec.strategy.rollout.maxUnavailable is ${maxUnavailable}, spec.replicas is ${replicas})`;
  return unavailable(strategy === rollingUpdate ? `${needed} ${limit}` : needed);
}

function unknown(reason: string, message: string): ConditionDraft {
  return { type: availableType, status: 'Unknown', reason, message };
}

function unavailable(message: string): ConditionDraft {
  return { type: availableType, status: 'False', reason: 'NotAvailable', message };
}

/**
 * What the status and the conditions of a MachineDeployment are computed from. The facts are those that the pass has
 * read, before its writes.
 */
export interface DeploymentFacts {
  readonly deployment: WholeMachineDeployment;
  /** `undefined`: the pass failed before it knew the MachineSets. */
  readonly sets: readonly WholeMachineSet[] | undefined;
  /** The Machines that the selector matches, also those of other controllers and those in deletion. */
  readonly machines: readonly WholeMachine[];
  /** The kinds of the templates that do not exist: the bootstrap template first. Empty during deletion. */
  readonly missingTemplates: readonly string[];
  readonly now: Instant;
}

/** `undefined`: no MachineSet reports the counter, and the field is absent. */
interface SetTotals {
  readonly replicas: number | undefined;
  readonly readyReplicas: number | undefined;
  readonly availableReplicas: number | undefined;
  readonly upToDateReplicas: number | undefined;
  readonly versions: readonly StatusVersion[] | undefined;
}

/** `sets`: the MachineSets as they were read. Those in deletion count. */
export function toSetTotals(sets: readonly Pick<WholeMachineSet, 'status'>[]): SetTotals {
  return {
    replicas: sumOfReported(sets.map(({ status }) => status.replicas)),
    readyReplicas: sumOfReported(sets.map(({ status }) => status.readyReplicas)),
    availableReplicas: sumOfReported(sets.map(({ status }) => status.availableReplicas)),
    upToDateReplicas: sumOfReported(sets.map(({ status }) => status.upToDateReplicas)),
    versions: countVersions(sets.flatMap(({ status }) => status.versions)),
  };
}

/** `status.phase`: the state of the MachineDeployment in one word. */
export function phaseOf({ deployment, sets }: Pick<DeploymentFacts, 'deployment' | 'sets'>): string {
  const { replicas: desired } = deployment.spec;
  if (sets === undefined || desired === undefined) {
    return 'Unknown';
  }
  const { replicas = 0 } = toSetTotals(sets);
  if (isDeleting(deployment) || replicas > desired) {
    return 'ScalingDown';
  }
  return replicas < desired ? 'ScalingUp' : 'Running';
}

/** What the deprecated counters and conditions are computed from. Only a pass that has applied its MachineSets computes them. */
export interface AppliedSets {
  /** All MachineSets as the API server answered this pass, a created one included. */
  readonly sets: readonly WholeMachineSet[];
  /** The one with the current template. */
  readonly current: WholeMachineSet | undefined;
}

export interface DeprecatedCounters {
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
}

/** Counters that are 0 are written, too. */
export function deprecatedCounters({ sets, current }: AppliedSets): DeprecatedCounters {
  const sum = (countOf: (set: WholeMachineSet) => number | undefined) =>
    sets.reduce((total, set) => total + (countOf(set) ?? 0), 0);
  const availableReplicas = sum(({ status }) => status.deprecated.v1beta1.availableReplicas);
  return {
    updatedReplicas: current?.status.replicas ?? 0,
    readyReplicas: sum(({ status }) => status.deprecated.v1beta1.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(sum(({ spec }) => spec.replicas) - availableReplicas, 0),
  };
}

/** The deprecated condition types that this reconciler owns. */
export const ownedDeprecatedConditions: readonly string[] = ['Ready', 'Available', 'MachineSetReady'];

interface DeprecatedAvailability {
  readonly counters: Pick<DeprecatedCounters, 'availableReplicas'>;
  readonly minAvailable: number;
  /** The counter of `status`, for the message. */
  readonly availableReplicas: number | undefined;
}

/** As upstream, the deprecated counter decides, and the message names the other one. */
export function deprecatedAvailable({
  counters,
  minAvailable,
  availableReplicas = 0,
}: DeprecatedAvailability): V1Beta1Draft {
  return counters.availableReplicas >= minAvailable
    ? v1Beta1True('Available')
    : v1Beta1False('Available', {
        reason: 'WaitingForAvailableMachines',
        severity: 'Warning',
        message: `Minimum availability requires ${minAvailable} replicas, current ${availableReplicas} available`,
      });
}

const machineSetReady = 'MachineSetReady';
const waiting = { reason: 'WaitingForMachineSet', severity: 'Info' } as const;

export function deprecatedMachineSetReady(current: WholeMachineSet | undefined): V1Beta1Draft | undefined {
  return current === undefined
    ? v1Beta1False(machineSetReady, { ...waiting, message: 'MachineSet not found' })
    : mirrorV1Beta1Ready(current.status.deprecated.v1beta1.conditions, machineSetReady, { value: false, ...waiting });
}
