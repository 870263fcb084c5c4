// When a delayed request is due. Timers sit on a grid, so that equal wishes merge and an idle object that requeues
// steadily is not reconciled ever more often.
import type { Instant } from '../api/object.ts';

/** The longest DelaySeconds of SQS; longer waits are split by functions/timer.
 *  https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html */
export const maxDelaySeconds = 900;

const secondMs = 1000;

/** The largest power of two seconds that is at most half the delay, and at least one second; in milliseconds. */
export function toGridStepMs(delayMs: number): number {
  let step = secondMs;
  while (step * 2 <= delayMs / 2) {
    step *= 2;
  }
  return step;
}

export interface Wish {
  readonly now: Instant;
  /** How long to wait at least: 0 or more, finite. */
  readonly delayMs: number;
  /** The latest due instant among the requests being served, if any was a timer. */
  readonly latestDue?: Instant | undefined;
}

/**
 * The first instant of the grid that is neither before now + delay nor less than one step after `latestDue`: the new
 * timer can thus not be swallowed as a repetition of the one being served.
 */
export function toDue(wish: Wish): Instant {
  if (!Number.isFinite(wish.delayMs) || wish.delayMs < 0) {
    throw new RangeError(`A delay of ${wish.delayMs} ms cannot be waited for`);
  }
  const step = toGridStepMs(wish.delayMs);
  const earliest = Math.max(wish.now + wish.delayMs, (wish.latestDue ?? Number.NEGATIVE_INFINITY) + step);
  return Math.ceil(earliest / step) * step;
}

/** DelaySeconds for a message due at that instant: never early, unless the wait is longer than a queue can hold back. */
export function toDelaySeconds(due: Instant, now: Instant): number {
  return Math.min(maxDelaySeconds, Math.max(0, Math.ceil((due - now) / secondMs)));
}

/** False only when the resync is sure to come first: the delay is two resync periods or more. `undefined`: no resync. */
export function needsTimer(delayMs: number, resyncPeriodMs: number | undefined): boolean {
  return resyncPeriodMs === undefined || delayMs < 2 * resyncPeriodMs;
}
