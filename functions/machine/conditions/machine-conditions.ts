// Computes all conditions of one pass over a Machine, in the order in which they depend on each other. Ready summarizes
// those that matter to users of the Machine, and its readiness gates.

import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import {
  type Condition,
  type ConditionDraft,
  defaultPriorityOf,
  getCondition,
  internalError,
  isInternalError,
  type PriorityOf,
  type ReportedCondition,
  type SetOptions,
  setCondition,
  summarizeConditions,
} from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { TemplateOwner } from '../../../shared/api/machine/template-owner.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { mirrorReferenced, objectDeleted, objectDoesNotExist } from '../../../shared/external/mirrored-condition.ts';
import { delaysIn, slowDeletionMs, slowDrainMs } from '../../../shared/machine-collections/drain-delays.ts';
import { templateDifferences } from '../../../shared/machine-collections/template-differences.ts';
import type { MachineConclusion } from '../phases/conclude.ts';
import { pausedOf } from '../phases/gate.ts';
import type { Stage } from '../phases/pass-progress.ts';
import { inProgress, isUpdateInProgress } from '../phases/update/in-place-update.ts';
import { nodeConditions, nodeHealthyType, nodeReadyType } from './node.ts';

/** This condition and the next one mirror the condition Ready of the referenced object. */
const bootstrapConfigReadyType = 'BootstrapConfigReady';
const infrastructureReadyType = 'InfrastructureReady';

function bootstrapConfigReady(conclusion: MachineConclusion): ConditionDraft {
  const { machine, bootstrap, progress } = conclusion;
  const type = bootstrapConfigReadyType;
  const isAchieved = progress.bootstrapDataSecretCreated;
  if (bootstrap.state === 'undefined') {
    return { type, status: 'True', reason: 'DataSecretProvided', message: '' };
  }
  return mirrorReferenced(bootstrap, {
    type,
    source: 'Ready',
    field: 'status.initialization.dataSecretCreated',
    isAchieved,
    missing: kind => (isDeleting(machine) && isAchieved ? objectDeleted(kind) : objectDoesNotExist(kind)),
  });
}

function infrastructureReady({ machine, infrastructure, progress }: MachineConclusion): ConditionDraft {
  const isAchieved = progress.infrastructureProvisioned;
  const detail = isDeleting(machine) ? '' : ' while the Machine still exists';
  return mirrorReferenced(infrastructure, {
    type: infrastructureReadyType,
    source: 'Ready',
    field: 'status.initialization.provisioned',
    isAchieved,
    missing: kind => (isAchieved ? objectDeleted(kind, detail) : objectDoesNotExist(kind)),
  });
}

/** The good status of this condition and the next one is False. */
const deletingType = 'Deleting';
const updatingType = 'Updating';

/** Cluster API's default. A stage of the deletion always replaces it. */
const started = { reason: 'Deleting', message: 'Deletion started' };

/** The stage of the deletion after this pass. */
function stageOf({ progress }: MachineConclusion): Stage {
  return progress.deleting ?? started;
}

function deleting(conclusion: MachineConclusion): ReportedCondition {
  return isDeleting(conclusion.machine)
    ? { type: deletingType, status: 'True', ...stageOf(conclusion) }
    : { type: deletingType, status: 'False', reason: 'NotDeleting', message: '' };
}

function updating({ machine, progress }: MachineConclusion): ReportedCondition {
  return isUpdateInProgress(machine) && !progress.isUpdateDone
    ? { type: updatingType, status: 'True', ...(progress.updating ?? inProgress) }
    : { type: updatingType, status: 'False', reason: 'NotUpdating', message: '' };
}

export const readyType = 'Ready';

const healthCheckType = 'HealthCheckSucceeded';

/** The input conditions in the order of the message. Readiness gates follow. */
const inputs = [
  deletingType,
  updatingType,
  bootstrapConfigReadyType,
  infrastructureReadyType,
  nodeHealthyType,
  healthCheckType,
];

const reasons = { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' };

/** While a Machine is being deleted, its objects are expected to disappear. */
const expectedReasons: Readonly<Record<string, readonly string[]>> = {
  [bootstrapConfigReadyType]: ['ObjectDeleted', 'ObjectDoesNotExist'],
  [infrastructureReadyType]: ['ObjectDeleted', 'ObjectDoesNotExist'],
  [nodeHealthyType]: ['NodeDeleted', 'NodeDoesNotExist'],
};

/** `conditions`: the other conditions of the Machine after this pass. */
function ready(conclusion: MachineConclusion, conditions: readonly Condition[]): ConditionDraft {
  const { machine } = conclusion;
  const gates = machine.spec.readinessGates;
  const negativeGates = gates.filter(gate => gate.polarity === 'Negative').map(gate => gate.conditionType);
  const negativePolarity = [deletingType, updatingType, ...negativeGates];
  const summary = summarizeConditions(conditions, readyType, {
    forTypes: [...inputs, ...gates.map(gate => gate.conditionType)],
    negativePolarity,
    ignoreIfMissing: [healthCheckType],
    override: isDeleting(machine) ? [briefDeleting(conclusion)] : [],
    priorityOf: priorityOf(isDeleting(machine), negativePolarity),
    reasons,
    transformLines: mergeComponents,
  });
  return summary.ok ? summary.value : internalError(readyType);
}

function priorityOf(deleting: boolean, negativePolarity: readonly string[]): PriorityOf {
  const byDefault = defaultPriorityOf(negativePolarity);
  return condition => {
    const isExpected = deleting && expectedReasons[condition.type]?.includes(condition.reason) === true;
    return isExpected ? 'Info' : byDefault(condition);
  };
}

/** The stage of the deletion, without the long message of the stage. */
function briefDeleting(conclusion: MachineConclusion): ReportedCondition {
  const { machine, now, progress } = conclusion;
  const { reason, message } = stageOf(conclusion);
  const deletedAt = instantOf(machine.metadata.deletionTimestamp) ?? now;
  const drainedSince = instantOf(
    progress.deletionTimes.nodeDrainStartTime ?? machine.status.deletion.nodeDrainStartTime,
  );
  const isSlow = now - deletedAt > slowDeletionMs;
  const isDrainSlow = reason === 'DrainingNode' && drainedSince !== undefined && now - drainedSince > slowDrainMs;
  const delays = isSlow && isDrainSlow ? delaysIn(message) : [];
  const text = [
    `Machine deletion in progress${isSlow ? ' since more than 15m' : ''}`,
    `stage: ${reason}`,
    ...(delays.length === 0 ? [] : [`delay likely due to ${delays.join(', ')}`]),
  ].join(', ');
  return { type: deletingType, status: 'True', reason, message: text };
}

const componentStarts = ['* APIServer', '* ControllerManager', '* Scheduler'];

/** Replaces the lines of at least two control plane components with the same text by one line. */
function mergeComponents(lines: readonly string[]): readonly string[] {
  const ofComponents = lines.filter(isComponent);
  const texts = new Set(ofComponents.map(textOf));
  const [text] = texts;
  if (ofComponents.length < 2 || texts.size !== 1 || text === undefined) {
    return lines;
  }
  const first = lines.findIndex(isComponent);
  const merged = `* Control plane components:${text}`;
  return lines.flatMap((line, index) => {
    if (index === first) {
      return [merged];
    }
    return isComponent(line) ? [] : [line];
  });
}

function isComponent(line: string): boolean {
  const name = line.slice(0, line.indexOf(':'));
  return name === '* EtcdPodHealthy' || componentStarts.some(start => name.startsWith(start));
}

function textOf(line: string): string {
  return line.slice(line.indexOf(':') + 1);
}

/** True: the Machine is ready for minReadySeconds. */
export const availableType = 'Available';

/** Returns the milliseconds until the Machine is available. `undefined` if it is not ready. */
export function availableInMs(
  { spec }: WholeMachine,
  conditions: readonly Condition[],
  now: Instant,
): number | undefined {
  const ready = getCondition(conditions, readyType);
  if (ready?.status !== 'True') {
    return undefined;
  }
  const since = instantOf(ready.lastTransitionTime) ?? now;
  return Math.max(0, since + spec.minReadySeconds * 1000 - now);
}

function available(machine: WholeMachine, conditions: readonly Condition[], now: Instant): ConditionDraft {
  const inMs = availableInMs(machine, conditions, now);
  if (inMs === undefined) {
    return { type: availableType, status: 'False', reason: 'NotReady', message: '' };
  }
  return inMs === 0
    ? { type: availableType, status: 'True', reason: 'Available', message: '' }
    : { type: availableType, status: 'False', reason: 'WaitingForMinReadySeconds', message: '' };
}

/** True: the MachineSet of the Machine has the current template of its MachineDeployment. */
const upToDateType = 'UpToDate';

/** Returns `undefined` for a Machine without MachineDeployment, whose condition belongs to other controllers. */
function upToDate(conclusion: MachineConclusion): ConditionDraft | undefined {
  const { machineSet, machineDeployment, now } = conclusion;
  if (machineSet === undefined || machineDeployment === undefined) {
    return undefined;
  }
  const type = upToDateType;
  const differences = differencesOf(machineSet, machineDeployment, now);
  if (differences.length > 0) {
    return { type, status: 'False', reason: 'NotUpToDate', message: toLines(differences) };
  }
  const waits = waitsOf(conclusion);
  return waits === undefined
    ? { type, status: 'True', reason: 'UpToDate', message: '' }
    : { type, status: 'False', reason: 'Updating', message: toLines([waits]) };
}

function toLines(messages: readonly string[]): string {
  return messages.map(message => `* ${message}`).join('\n');
}

function waitsOf(conclusion: MachineConclusion): string | undefined {
  const update = updating(conclusion);
  if (update.status === 'True') {
    return update.message;
  }
  const { machine, progress } = conclusion;
  const kubelet = progress.nodeInfo?.['kubeletVersion'] ?? machine.status.nodeInfo.kubeletVersion;
  const { version } = machine.spec;
  return kubelet === '' || kubelet === version
    ? undefined
    : `Node.status.nodeInfo.kubeletVersion ${kubelet}, ${version} required`;
}

function differencesOf(machineSet: TemplateOwner, machineDeployment: TemplateOwner, now: Instant): readonly string[] {
  const differences = templateDifferences(machineSet.spec.template.spec, machineDeployment.spec.template.spec);
  return [
    ...differences.map(({ message }) => message),
    ...(isExpired(machineSet, machineDeployment, now) ? ['MachineDeployment spec.rolloutAfter expired'] : []),
  ];
}

/** Machines of a MachineSet that is older than this time are replaced once it has passed. */
function isExpired({ metadata }: TemplateOwner, { spec }: TemplateOwner, now: Instant): boolean {
  const after = instantOf(spec.rollout.after);
  const created = instantOf(metadata.creationTimestamp);
  return after !== undefined && created !== undefined && after <= now && created < after;
}

/** The condition types that this reconciler writes. */
export const ownedConditions: readonly string[] = [
  'Paused',
  availableType,
  readyType,
  bootstrapConfigReadyType,
  infrastructureReadyType,
  nodeReadyType,
  nodeHealthyType,
  deletingType,
  updatingType,
  upToDateType,
];

type ConditionOf = (
  conclusion: MachineConclusion,
  conditions: readonly Condition[],
) => readonly (ConditionDraft | undefined)[];

const inOrder: readonly ConditionOf[] = [
  ({ machine, cluster }) => [pausedOf(machine, cluster)],
  conclusion => [bootstrapConfigReady(conclusion)],
  conclusion => [infrastructureReady(conclusion)],
  // Without its Cluster, a Machine in deletion has no workload cluster.
  ({ cluster, settings, ...rest }) => (cluster === undefined ? [] : nodeConditions({ ...settings, ...rest, cluster })),
  conclusion => [deleting(conclusion)],
  conclusion => [updating(conclusion)],
  conclusion => [upToDate(conclusion)],
  (conclusion, conditions) => [ready(conclusion, conditions)],
  ({ machine, now }, conditions) => [available(machine, conditions, now)],
];

/** The condition list of the Machine after this pass. A late pass does not report that objects could not be read. */
export function toConditions(conclusion: MachineConclusion, options: SetOptions): readonly Condition[] {
  return inOrder.reduce<readonly Condition[]>(
    (list, conditionsOf) =>
      conditionsOf(conclusion, list).reduce<readonly Condition[]>(
        (set, draft) =>
          draft === undefined || (conclusion.isLate === true && isInternalError(draft))
            ? set
            : setCondition(set, draft, options),
        list,
      ),
    conclusion.machine.status.conditions,
  );
}
