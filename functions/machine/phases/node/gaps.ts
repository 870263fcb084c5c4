// The milliseconds until the Node of a Machine is read again. Without a watch of Nodes, a timer requests it.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, getCondition } from '@capi-serverless/cluster-api/conditions';

const shortestMs = 15_000;
const mediumMs = 60_000;
/** A new Machine usually has its Node within this time. */
const earlyMs = 10 * 60_000;
const lateMs = 60 * 60_000;

interface Waiting {
  readonly now: Instant;
  /** The longest time between two reconciles. */
  readonly resyncPeriodMs: number;
}

/** For a Machine whose Node does not exist yet. `since` is the time at which its phase changed last. */
export function gapWithoutNodeMs(since: Instant, { now, resyncPeriodMs }: Waiting): number {
  const elapsed = now - since;
  if (elapsed < earlyMs) {
    return shortestMs;
  }
  const gap = elapsed < lateMs ? mediumMs : mediumMs * 2 ** Math.floor(Math.log2(elapsed / lateMs) + 1);
  return Math.min(gap, resyncPeriodMs);
}

/**
 * For a Machine with a Node. Half of the time since the last change of a condition that is not True, within the limits.
 * `undefined` if the Node is healthy.
 */
export function gapWithNodeMs(
  conditions: readonly Condition[],
  types: readonly string[],
  { now, resyncPeriodMs }: Waiting,
): number | undefined {
  const changes = types.flatMap(type => {
    const condition = getCondition(conditions, type);
    return condition === undefined || condition.status === 'True'
      ? []
      : [instantOf(condition.lastTransitionTime) ?? now];
  });
  if (changes.length === 0) {
    return undefined;
  }
  const half = (now - Math.max(...changes)) / 2;
  return Math.min(Math.max(half, shortestMs), resyncPeriodMs);
}
