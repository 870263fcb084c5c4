// The deletion of the Node, after its machine is gone. One attempt per pass.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { v1Beta1False } from '@capi-serverless/cluster-api/conditions';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';
import { wasSent } from '../../../../shared/workload/api.ts';
import { readFirstFailures } from '../first-failures.ts';
import { connectionDown } from '../node/lookup.ts';
import { toNodeRef } from '../node/node-phase.ts';
import type { MachineChange } from '../pass-progress.ts';
import type { NodeRemovalScope } from './deletion-scope.ts';
import { type DeletionStage, held, passed, type StageEnd, storedStage, unanswered } from './deletion-stage.ts';

export const deleteNodeId = 'delete:node';

const nodeHealthyType = 'NodeHealthy';
const reason = 'DeletingNode';
/** Cluster API tries for this time in one pass. */
const shortestTryingMs = 10_000;
const firstRetryMs = 2_000;
const longestRetryMs = 60_000;

export const deleteNode: DeletionStage<NodeRemovalScope> = scope => {
  const { namedNode, nodeName } = scope;
  switch (namedNode.state) {
    case 'gone':
      return passed();
    case 'aborted':
      return held(unanswered(scope, `error deleting node ${nodeName}: ${namedNode.error}`));
    case 'notConnected':
      return withoutDelete(scope, {
        error: `failed deleting Node because connection to the workload cluster is down: error getting client: ${connectionDown}`,
        isSent: namedNode.isUnsent !== true,
      });
    case 'failed':
      return withoutDelete(scope, {
        error: `error deleting node ${nodeName}: ${namedNode.error}`,
        isSent: namedNode.isUnsent !== true,
      });
    case 'found':
      return withDelete(scope, namedNode.node);
  }
};

interface FailedAttempt {
  readonly error: string;
  /** An attempt that was not sent proves nothing, so it is never the last one. */
  readonly isSent: boolean;
}

/** The Node could not be read. */
function withoutDelete(scope: NodeRemovalScope, attempt: FailedAttempt): StageEnd {
  const change = failed(scope, attempt);
  return isLast(scope, attempt) ? passed(change) : held(change);
}

function withDelete(scope: NodeRemovalScope, { metadata }: WorkloadNode): StageEnd {
  const action: Action = {
    id: deleteNodeId,
    onError: 'continue',
    do: 'delete',
    ref: toNodeRef(metadata.name),
    uid: metadata.uid,
    target: scope.target,
  };
  const attemptIn = (outcomes: Outcomes): FailedAttempt | undefined => {
    const failure = failureOf(outcomes, deleteNodeId);
    return failure === undefined
      ? undefined
      : { error: `error deleting node ${metadata.name}: ${failure.message}`, isSent: wasSent(failure) };
  };
  const change = (outcomes: Outcomes): MachineChange => {
    const attempt = attemptIn(outcomes);
    return attempt === undefined ? {} : failed(scope, attempt);
  };
  const isDone = (outcomes: Outcomes): boolean => {
    const attempt = attemptIn(outcomes);
    return attempt === undefined ? outcomes.get(deleteNodeId)?.state !== 'skipped' : isLast(scope, attempt);
  };
  return { end: 'passed', step: { change }, actions: [action], isDone };
}

/**
 * The last failure is ignored: the Node stays. The time of the first attempt that was sent is remembered. An Event is
 * recorded for the first and for the last failure.
 */
function failed(scope: NodeRemovalScope, attempt: FailedAttempt): MachineChange {
  const { machine, now } = scope;
  const { error, isSent } = attempt;
  const { nodeDeletion } = readFirstFailures(machine);
  const v1beta1 = [v1Beta1False(nodeHealthyType, { reason: 'DeletionFailed', severity: 'Warning' })];
  const message = `error deleting Machine's Node: ${error}`;
  const events: MachineChange['events'] = [{ type: 'Warning', reason: 'FailedDeleteNode', message }];
  if (isLast(scope, attempt)) {
    return { v1beta1, events };
  }
  return {
    v1beta1,
    events: storedStage(machine)?.reason === reason ? [] : events,
    deleting: { reason, message: 'Error deleting Node, please check controller logs for errors' },
    errors: [error],
    retries: [nextAttemptMs(nodeDeletion ?? now, now)],
    ...(isSent && nodeDeletion === undefined ? { firstFailures: { nodeDeletion: now } } : {}),
  };
}

/** Doubles with each attempt: 2 s, 4 s, 8 s and so on. */
function nextAttemptMs(failingSince: Instant, now: Instant): number {
  return Math.min(Math.max(now - failingSince, 0) + firstRetryMs, longestRetryMs);
}

/**
 * The time limit starts with the deletion of the Machine. The last attempt was sent, and follows the first failure after
 * at least ten seconds. Without limit, no attempt is the last.
 */
function isLast({ machine, now }: NodeRemovalScope, { isSent }: FailedAttempt): boolean {
  const { nodeDeletion: failingSince = now } = readFirstFailures(machine);
  return isSent && now - failingSince >= shortestTryingMs && isOverdue(machine, now);
}

function isOverdue({ metadata, spec }: WholeMachine, now: Instant): boolean {
  const seconds = spec.deletion.nodeDeletionTimeoutSeconds ?? 0;
  const deletedAt = instantOf(metadata.deletionTimestamp) ?? now;
  return seconds > 0 && deletedAt + seconds * 1000 <= now;
}
