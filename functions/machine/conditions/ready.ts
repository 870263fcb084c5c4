// The condition Ready: a summary of the conditions that matter to users of the Machine, and its readiness gates.

import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import {
  type Condition,
  type ConditionDraft,
  defaultPriorityOf,
  internalError,
  type PriorityOf,
  type ReportedCondition,
  summarizeConditions,
} from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import { delaysIn, slowDeletionMs, slowDrainMs } from '../../../shared/machine-collections/drain-delays.ts';
import type { MachineConclusion } from '../phases/conclude.ts';
import { deletingType, stageOf, updatingType } from './lifecycle.ts';
import { nodeHealthyType } from './node.ts';
import { bootstrapConfigReadyType, infrastructureReadyType } from './objects-ready.ts';

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
export function ready(conclusion: MachineConclusion, conditions: readonly Condition[]): ConditionDraft {
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
