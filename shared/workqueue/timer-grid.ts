// Computes the due time of a delayed request. Due times are on a grid, so that the timers of one object are merged.
// Without the grid, an idle object that requeues steadily is reconciled more and more often
// (docs/decisions/0010-timers-come-together.md).
import type { Instant } from '@capi-serverless/apimachinery';

/**
 * The maximum DelaySeconds of SQS. functions/timer splits longer delays.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html
 */
export const maxDelaySeconds = 900;

const secondMs = 1000;

/** The number of parts of a main step, for timers that cannot reach a main point yet. */
const partsPerStep = 5;

/**
 * The distance between the main points of the grid. It is five quarters of the delay in whole seconds, and at least one
 * second more than the delay. It is less than the longest wait of a timer. So an object that is reconciled at a main
 * point reaches the next one, even if its reconcile ends a quarter of the delay late.
 */
export function toMainStepMs(delayMs: number): number {
  const seconds = Math.ceil(delayMs / secondMs);
  return Math.max(seconds + 1, Math.floor((seconds * 5) / 4)) * secondMs;
}

/** The maximum lateness of a timer: half the delay, and at least one second. */
export function mostLateMs(delayMs: number): number {
  return Math.max(secondMs, delayMs / 2);
}

/**
 * Longer delays are limited to one day, so the object is reconciled daily. No timer is due later than `furthestDueMs`.
 */
export const longestDelayMs = 86_400_000;

/**
 * The maximum clock skew of two functions. A timer arrives on its work queue when it is due, so a later due time is
 * forged.
 */
const mostClockLagMs = 60_000;

/** The maximum time from now to the due time of a timer that a function sets. */
export const furthestDueMs = longestDelayMs + mostLateMs(longestDelayMs) + mostClockLagMs;

interface DueRequest {
  readonly now: Instant;
  /** The minimum wait. It is finite and not negative. */
  readonly delayMs: number;
  /** The latest due time of the current requests, if any of them is a timer. */
  readonly latestDue?: Instant | undefined;
  /** A non-negative integer per object. It shifts the grid, so that objects are due at different times. Default: 0. */
  readonly spread?: number;
}

/**
 * Returns the due time of a timer, in whole seconds:
 * - not before now + delay, where a delay is at most `longestDelayMs`,
 * - at most half the delay or a second later, unless `latestDue` is later,
 * - after `latestDue`, so that the timer being served does not deduplicate the new one. If `latestDue` is more than a
 *   minute ahead, it is forged and is ignored: no timer can be due so late,
 * - on a main point of the grid if one can be reached, else on the latest part of a main step. So the timers of an object
 *   that requeues steadily merge within four periods, even if several events started them.
 */
export function toDue({ now, delayMs, latestDue = Number.NEGATIVE_INFINITY, spread = 0 }: DueRequest): Instant {
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    throw new RangeError(`A delay of ${delayMs} ms cannot be waited for`);
  }
  const wait = Math.min(delayMs, longestDelayMs);
  const served = latestDue > now + mostClockLagMs ? Number.NEGATIVE_INFINITY : latestDue;
  const earliest = ceilTo(secondMs, Math.max(now + wait, served + 1));
  // A queue counts whole seconds from now, so the limit applies to the wait in whole seconds.
  const latest = Math.max(earliest, floorTo(secondMs, now) + floorTo(secondMs, wait + mostLateMs(wait)));
  const mainStep = toMainStepMs(wait);
  const shift = (spread * secondMs) % mainStep;
  const main = floorTo(mainStep, latest - shift) + shift;
  if (main >= earliest) {
    return main;
  }
  const part = Math.max(secondMs, floorTo(secondMs, mainStep / partsPerStep));
  return Math.max(earliest, main + floorTo(part, latest - main));
}

function floorTo(step: number, ms: number): number {
  return Math.floor(ms / step) * step;
}

function ceilTo(step: number, ms: number): number {
  return Math.ceil(ms / step) * step;
}

/** Returns the DelaySeconds for a message with this due time: rounded up, at most `maxDelaySeconds`. */
export function toDelaySeconds(due: Instant, now: Instant): number {
  return Math.min(maxDelaySeconds, Math.max(0, Math.ceil((due - now) / secondMs)));
}

/**
 * Returns false if the resync always comes first, because it reconciles each object once per full period and the delay
 * is at least two of them. `undefined` means that no resync runs.
 */
export function needsTimer(delayMs: number, fullResyncPeriodMs: number | undefined): boolean {
  return fullResyncPeriodMs === undefined || delayMs < 2 * fullResyncPeriodMs;
}
