// When a delayed request is due. Timers sit on a grid, so that the wishes of one object merge and an idle object that
// requeues steadily is not reconciled ever more often (docs/decisions/0010-timers-come-together.md).
import type { Instant } from '../api/object.ts';

/** The longest DelaySeconds of SQS; longer waits are split by functions/timer.
 *  https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html */
export const maxDelaySeconds = 900;

const secondMs = 1000;

/** The parts of a main step: where those timers wait that cannot reach a main point yet. */
const partsPerStep = 5;

/**
 * The distance between the main points of the grid for a delay: five quarters of it in whole seconds, at least a second
 * more. It fits between the delay and the latest that a timer may be, so whoever was woken at a main point reaches the
 * next one, and has a quarter of the delay for the way.
 */
export function toMainStepMs(delayMs: number): number {
  const seconds = Math.ceil(delayMs / secondMs);
  return Math.max(seconds + 1, Math.floor((seconds * 5) / 4)) * secondMs;
}

/** How much longer than asked a timer may wait: half the delay, and at least a second. */
export function mostLateMs(delayMs: number): number {
  return Math.max(secondMs, delayMs / 2);
}

/** A longer wish is cut to this: its object wakes once a day until then. So no timer is ever due further off than `furthestDueMs`. */
export const longestDelayMs = 86_400_000;

/** How far the clocks of two functions may be apart. A timer reaches its work queue when it is due, so one that seems to be due later was made up. */
const mostClockLagMs = 60_000;

/** From now to the last instant for which any function sets a timer. */
export const furthestDueMs = longestDelayMs + mostLateMs(longestDelayMs) + mostClockLagMs;

export interface Wish {
  readonly now: Instant;
  /** How long to wait at least: 0 or more, finite. */
  readonly delayMs: number;
  /** The latest due instant among the requests being served, if any was a timer. */
  readonly latestDue?: Instant | undefined;
  /** Whole, 0 or more, of the object alone: shifts its grid, so that not all objects wake in one second. Default 0. */
  readonly spread?: number;
}

/**
 * A whole second that is not before now + delay (`longestDelayMs` at most), at most half the delay or a second after it, and
 * after `latestDue`, unless no timer can be due so late: the new timer can thus not be swallowed as a repetition of the one
 * being served, and whoever makes up a request cannot hold it back by more than a minute. A main point of the grid where one can be
 * reached, else the latest part of a main step: so the timers of an object that requeues steadily come together within
 * four periods, however many events started one.
 */
export function toDue({ now, delayMs, latestDue = Number.NEGATIVE_INFINITY, spread = 0 }: Wish): Instant {
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    throw new RangeError(`A delay of ${delayMs} ms cannot be waited for`);
  }
  const wait = Math.min(delayMs, longestDelayMs);
  const served = latestDue > now + mostClockLagMs ? Number.NEGATIVE_INFINITY : latestDue;
  const earliest = ceilTo(secondMs, Math.max(now + wait, served + 1));
  // A queue counts whole seconds from now, so it is the whole seconds of the wait that must not exceed the limit.
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

/** DelaySeconds for a message due at that instant: never early, unless the wait is longer than a queue can hold back. */
export function toDelaySeconds(due: Instant, now: Instant): number {
  return Math.min(maxDelaySeconds, Math.max(0, Math.ceil((due - now) / secondMs)));
}

/** False only when the resync is sure to come first: the delay is two resync periods or more. `undefined`: no resync. */
export function needsTimer(delayMs: number, resyncPeriodMs: number | undefined): boolean {
  return resyncPeriodMs === undefined || delayMs < 2 * resyncPeriodMs;
}
