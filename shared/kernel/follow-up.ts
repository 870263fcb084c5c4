// The follow-up of a reconcile. Its queue must accept it before the processed messages are acknowledged.
import type { Instant } from '@capi-serverless/apimachinery';
import { type Result, RetryableError } from '@capi-serverless/reconciler';
import { type NewId, toSpread } from '../workqueue/ids.ts';
import { messageVersion, type Request } from '../workqueue/message.ts';
import { toTimerMessage, toWorkMessage } from '../workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName } from '../workqueue/port.ts';
import { delayQueue, workQueueOf } from '../workqueue/queue-names.ts';
import { needsTimer, toDue } from '../workqueue/timer-grid.ts';
import { backoffMs, clampWaitMs } from './backoff.ts';
import type { KeyWork } from './coalesce.ts';

/**
 * The number of seconds is larger than any delay, so that objects with equal delays are distributed over the whole
 * delay.
 */
const widestSpread = 2 ** 20;

export interface FollowUp {
  readonly queue: QueueName;
  readonly message: OutgoingMessage;
  /** The time when the object is due again, for the log. Absent if there is no delay. */
  readonly due?: Instant;
}

interface FollowUpContext {
  readonly reconciler: string;
  readonly now: Instant;
  /** If `undefined`, no resync runs, so every delay needs a timer. */
  readonly fullResyncPeriodMs: number | undefined;
  readonly newId: NewId;
}

/** If `undefined`, nothing is sent. The next event or the resync enqueues the object. */
export function toFollowUp(result: Result, work: KeyWork, context: FollowUpContext): FollowUp | undefined {
  switch (result.kind) {
    case 'done':
      return undefined;
    case 'again':
      return {
        queue: workQueueOf(context.reconciler),
        message: toWorkMessage(toRequest(work, context, { cause: 'again', attempt: 0 }), context.newId),
      };
    case 'requeueAfter':
      return needsTimer(result.ms, context.fullResyncPeriodMs)
        ? toTimer(work, context, { delayMs: result.ms, attempt: 0 })
        : undefined;
    case 'failed':
      return result.terminal
        ? undefined
        : toTimer(work, context, { delayMs: retryDelayMs(result.error, work), attempt: work.attempt + 1 });
  }
}

/**
 * Returns the larger of the backoff and the error's `retryAfterMs`, which a server may have chosen, or exactly this time
 * if the error says so.
 */
function retryDelayMs(error: Error, work: KeyWork): number {
  const isRetryable = error instanceof RetryableError;
  const requestedMs = clampWaitMs(isRetryable ? (error.retryAfterMs ?? 0) : 0);
  return isRetryable && error.isExact ? requestedMs : Math.max(requestedMs, backoffMs(work.attempt));
}

function toTimer(
  work: KeyWork,
  context: FollowUpContext,
  { delayMs, attempt }: { delayMs: number; attempt: number },
): FollowUp {
  const spread = toSpread(work.key, widestSpread);
  const due = toDue({ now: context.now, delayMs, latestDue: work.latestDue, spread });
  const request = { ...toRequest(work, context, { cause: 'timer', attempt }), due };
  return { queue: delayQueue, message: toTimerMessage(request, context.now), due };
}

function toRequest(work: KeyWork, context: FollowUpContext, change: Pick<Request, 'cause' | 'attempt'>): Request {
  return { v: messageVersion, reconciler: context.reconciler, key: work.key, trace: work.traces[0], ...change };
}
