// The drain of the Node: cordon it, then evict its Pods in rounds. A Node counts as drained only if its Pods were listed
// after it was cordoned.
import { compareText } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { hasCondition, v1Beta1False, v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { type Action, type AskingPlan, ask, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import { isUnreachable, type WorkloadNode } from '../../../../shared/api/node/reader.ts';
import type { Pod } from '../../../../shared/api/pod/reader.ts';
import { budgetText } from '../../../../shared/machine-collections/drain-delays.ts';
import { connectionDown } from '../node/lookup.ts';
import { toNodeRef } from '../node/node-phase.ts';
import type { MachineChange } from '../pass-progress.ts';
import { type DrainedPod, isAwaited, podName } from './classify-pods.ts';
import type { NodeRemovalScope, PodsQuestion } from './deletion-scope.ts';
import {
  betweenChecksMs,
  held,
  heldAfter,
  heldUntilCheck,
  passed,
  type StageEnd,
  storedStage,
  unanswered,
} from './deletion-stage.ts';
import { type DrainRemainder, evictionActions, groupPods, isDrained, remainderAfter } from './evictions.ts';
import { drainLimit, waitsForNode } from './wait-limits.ts';

export const cordonId = 'node:cordon';

const succeededType = 'DrainingSucceeded';
const reason = 'DrainingNode';

export function* drainStage(scope: NodeRemovalScope): AskingPlan<PodsQuestion, StageEnd> {
  const { machine, namedNode } = scope;
  if (!waitsForNode(scope, drainLimit(machine))) {
    return passed();
  }
  switch (namedNode.state) {
    case 'gone':
      return passed(drained(scope));
    case 'notConnected':
      return failed(scope, `failed to drain Node ${scope.nodeName}: error getting client: ${connectionDown}`);
    case 'failed':
      return failed(scope, `unable to get Node ${scope.nodeName}: ${namedNode.error}`);
    case 'aborted':
      return held(unanswered(scope, `unable to get Node ${scope.nodeName}: ${namedNode.error}`));
    case 'found':
      return namedNode.node.spec.unschedulable ? yield* evict(scope, namedNode.node) : cordon(scope, namedNode.node);
  }
}

/** The start time is stored before the first write to the workload cluster. */
function cordon(scope: NodeRemovalScope, { metadata }: WorkloadNode): StageEnd {
  const isFirst = scope.machine.status.deletion.nodeDrainStartTime === undefined;
  const action: Action = {
    id: cordonId,
    onError: 'continue',
    do: 'patch',
    ref: toNodeRef(metadata.name),
    body: { spec: { unschedulable: true } },
    target: scope.target,
    ...(isFirst ? { afterStatus: true } : {}),
  };
  const change = (outcomes: Outcomes): MachineChange => {
    const refusal = failureOf(outcomes, cordonId);
    return refusal === undefined
      ? { ...starting(scope), again: true }
      : failure(scope, `failed to cordon Node ${metadata.name}: failed to cordon Node: ${refusal.message}`);
  };
  return heldAfter([action], change);
}

function* evict(scope: NodeRemovalScope, node: WorkloadNode): AskingPlan<PodsQuestion, StageEnd> {
  const pods = yield* ask<PodsQuestion>('pods', { cluster: scope.cluster, node });
  return pods.ok ? evictPods(scope, node, pods.value) : failed(scope, pods.error);
}

function evictPods(scope: NodeRemovalScope, node: WorkloadNode, pods: readonly DrainedPod[]): StageEnd {
  const groups = groupPods(pods);
  if (!pods.some(isAwaited)) {
    return passed(drained(scope));
  }
  const isStored = scope.machine.status.deletion.nodeDrainStartTime !== undefined;
  if (!isStored && groups.evictNow.length > 0) {
    // Another client has cordoned the Node. The start is stored before the first eviction.
    return held({ ...starting(scope), again: true });
  }
  const actions = evictionActions(groups, { target: scope.target, isUnreachable: isUnreachable(node) });
  const change = (outcomes: Outcomes): MachineChange => {
    const remainder = remainderAfter(groups, outcomes);
    const message = drainMessage(remainder, startOf(scope));
    return {
      ...waiting(scope, message),
      v1beta1: [v1Beta1False(succeededType, { reason: 'Draining', severity: 'Info', message })],
      // All Pods were gone before they were evicted. Another check confirms that the Node is empty.
      ...(isDrained(remainder) ? { again: true as const } : { requeues: [betweenChecksMs] }),
    };
  };
  return heldUntilCheck(reason, actions, change);
}

function starting(scope: NodeRemovalScope): MachineChange {
  return waiting(scope, `Drain not completed yet (started at ${startOf(scope)}):`);
}

/** The deprecated condition is set at the start, and keeps its later values. */
function waiting(scope: NodeRemovalScope, message: string): MachineChange {
  const { v1beta1 } = scope.machine.status.deprecated;
  const isKnown = hasCondition(v1beta1.conditions, succeededType);
  const start = { reason: 'Draining', severity: 'Info', message: 'Draining the node before deletion' } as const;
  return {
    ...startTime(scope),
    deleting: { reason, message },
    v1beta1: isKnown ? [] : [v1Beta1False(succeededType, start)],
  };
}

/** The stages in which the Node was drained before. */
const laterReasons: readonly (string | undefined)[] = [
  'WaitingForPreTerminateHook',
  'WaitingForInfrastructureDeletion',
];

/** One Event for each start of a drain. While volumes are awaited, the drain is evaluated again. */
function drained(scope: NodeRemovalScope): MachineChange {
  const { waitForNodeVolumeDetachStartTime } = scope.machine.status.deletion;
  const wasDrained =
    waitForNodeVolumeDetachStartTime !== undefined || laterReasons.includes(storedStage(scope.machine)?.reason);
  const message = `success draining Machine's node "${scope.nodeName}"`;
  return {
    ...startTime(scope),
    v1beta1: [v1Beta1True(succeededType)],
    events: wasDrained ? [] : [{ type: 'Normal', reason: 'SuccessfulDrainNode', message }],
  };
}

function failed(scope: NodeRemovalScope, error: string): StageEnd {
  return held(failure(scope, error));
}

const errorText = 'Error draining Node, please check controller logs for errors';

/** The Event is recorded when the drain did not fail before. */
function failure(scope: NodeRemovalScope, error: string): MachineChange {
  const message = `error draining Machine's node "${scope.nodeName}": ${error}`;
  return {
    ...startTime(scope),
    deleting: { reason, message: errorText },
    v1beta1: [v1Beta1False(succeededType, { reason: 'DrainingFailed', severity: 'Warning', message: error })],
    errors: [error],
    events:
      storedStage(scope.machine)?.message === errorText
        ? []
        : [{ type: 'Warning', reason: 'FailedDrainNode', message }],
  };
}

function startTime({ machine, now }: NodeRemovalScope): MachineChange {
  return machine.status.deletion.nodeDrainStartTime === undefined
    ? { deletionTimes: { nodeDrainStartTime: toTimestamp(now) } }
    : {};
}

function startOf({ machine, now }: NodeRemovalScope): string {
  return machine.status.deletion.nodeDrainStartTime ?? toTimestamp(now);
}

const maxNames = 3;
const maxFailures = 5;

/** The API server begins the text with a capital letter. */
const capitalizedBudgetText = `C${budgetText.slice(1)}`;

/** `startedAt` is an RFC 3339 time. The message contains no other time, so it changes only with the Pods. */
export function drainMessage(remainder: DrainRemainder, startedAt: string): string {
  const { terminating, failed, waitNow, evictLater, waitLater } = remainder;
  const failures = [...failed].sort(([a], [b]) => compareText(a, b));
  const others = failures.slice(maxFailures).reduce((sum, [, pods]) => sum + pods.length, 0);
  return [
    `Drain not completed yet (started at ${startedAt}):`,
    ...line(terminating, 'deletionTimestamp set, but still not removed from the Node'),
    ...failures.slice(0, maxFailures).flatMap(([text, pods]) => line(pods, toProblem(text))),
    ...(others === 0 ? [] : [`* ${others} ${others === 1 ? 'Pod' : 'Pods'} with other issues`]),
    ...line(waitNow, 'waiting for completion'),
    ...after(evictLater, 'the following Pods will be evicted'),
    ...after(waitLater, 'waiting for the following Pods to complete without eviction'),
  ].join('\n');
}

function line(pods: readonly Pod[], text: string): readonly string[] {
  return pods.length === 0 ? [] : [`* ${pods.length === 1 ? 'Pod' : 'Pods'} ${toNames(pods, maxNames)}: ${text}`];
}

function after(pods: readonly Pod[], text: string): readonly string[] {
  const first = 'After above Pods have been removed from the Node';
  return pods.length === 0 ? [] : [`${first}, ${text}: ${toNames(pods, maxNames)}`];
}

function toNames(pods: readonly Pod[], most: number): string {
  const names = pods.slice(0, most).map(podName).join(', ');
  return pods.length > most ? `${names}, ... (${pods.length - most} more)` : names;
}

function toProblem(text: string): string {
  const lowered = text.replace(capitalizedBudgetText, budgetText);
  return lowered.startsWith(budgetText) ? lowered : `failed to evict Pod, ${lowered}`;
}
