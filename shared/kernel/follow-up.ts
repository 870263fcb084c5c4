// The follow-up of a reconcile. Its queue must accept it before the processed messages are acknowledged.
import { type Instant, withoutUndefined } from '@capi-serverless/apimachinery';
import { type Result, RetryableError } from '@capi-serverless/reconciler';
import { type NewId, toSpread } from '../workqueue/ids.ts';
import { type Key, messageVersion, type Request, type TrialLimits } from '../workqueue/message.ts';
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

export interface FollowUpContext {
  readonly reconciler: string;
  /** How the next try is reconciled after this one failed, also with an error that is terminal. */
  readonly nextTrial?: TrialLimits | undefined;
  readonly now: Instant;
  /** If `undefined`, no resync runs, so every delay needs a timer. */
  readonly fullResyncPeriodMs: number | undefined;
  readonly newId: NewId;
}

type Served = Pick<KeyWork, 'key' | 'attempt' | 'latestDue' | 'traces'>;

/** If `undefined`, nothing is sent. The next event or the resync enqueues the object. */
export function toFollowUp(result: Result, work: Served, context: FollowUpContext): FollowUp | undefined {
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
      return result.terminal && context.nextTrial === undefined
        ? undefined
        : toTimer(work, context, {
            delayMs: retryDelayMs(result.error, work),
            attempt: work.attempt + 1,
            trial: context.nextTrial,
          });
  }
}

/** Requests the same work again, as a message of its own that was never delivered. */
export function toResent(work: Served, trial: TrialLimits | undefined, context: FollowUpContext): FollowUp {
  const { attempt, latestDue: due } = work;
  // The cause gives the message an id of its own. The queue would drop another one with the id of this timer.
  const request = { ...toRequest(work, context, { cause: 'again', attempt, trial }), ...withoutUndefined({ due }) };
  return { queue: workQueueOf(context.reconciler), message: toWorkMessage(request, context.newId) };
}

/** Requests a trial of an object whose reconciles end processes, after a long time. */
export function toParked(work: Served, context: FollowUpContext): FollowUp & { readonly due: Instant } {
  return toTimer(work, context, { delayMs: parkedMs(work.key), attempt: work.attempt + 1, trial: 'half' });
}

const shortestParkedMs = 30 * 60_000;
const parkedSpreadMs = 15 * 60_000;

/** Between 30 and 45 minutes. It depends on the object, so that objects that fail together do not come together. */
function parkedMs(key: Key): number {
  return shortestParkedMs + toSpread(key, parkedSpreadMs, 'parked');
}

/**
 * Returns the larger of the backoff and the error's `retryAfterMs`, which a server may have chosen, or exactly this time
 * if the error says so.
 */
function retryDelayMs(error: Error, work: Served): number {
  const isRetryable = error instanceof RetryableError;
  const requestedMs = clampWaitMs(isRetryable ? (error.retryAfterMs ?? 0) : 0);
  return isRetryable && error.isExact ? requestedMs : Math.max(requestedMs, backoffMs(work.attempt));
}

function toTimer(
  work: Served,
  context: FollowUpContext,
  { delayMs, attempt, trial }: { delayMs: number; attempt: number; trial?: TrialLimits | undefined },
): FollowUp & { readonly due: Instant } {
  const spread = toSpread(work.key, widestSpread);
  const due = toDue({ now: context.now, delayMs, latestDue: work.latestDue, spread });
  const request = { ...toRequest(work, context, { cause: 'timer', attempt, trial }), due };
  return { queue: delayQueue, message: toTimerMessage(request, context.now), due };
}

interface Change extends Pick<Request, 'cause' | 'attempt'> {
  readonly trial?: TrialLimits | undefined;
}

function toRequest(work: Served, context: FollowUpContext, { trial, ...change }: Change): Request {
  const { key, traces } = work;
  return {
    v: messageVersion,
    reconciler: context.reconciler,
    key,
    trace: traces[0],
    ...change,
    ...withoutUndefined({ trial }),
  };
}
