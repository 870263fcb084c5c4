// Distributes the reconciles of unchanged objects over the runs of a long period. Pure.
import type { Instant } from '@capi-serverless/apimachinery';
import { toSpread } from '../../shared/workqueue/ids.ts';
import type { Key } from '../../shared/workqueue/message.ts';

export interface ResyncPeriods {
  /** The time between two runs. */
  readonly periodSeconds: number;
  /** Each object is reconciled once in this time, even if nothing changes. */
  readonly fullPeriodSeconds: number;
}

/** The number of runs since the epoch. Each run has a slot of its own. */
export function toRun({ periodSeconds }: ResyncPeriods, now: Instant): number {
  return Math.floor(now / (periodSeconds * 1000));
}

/**
 * Returns true for each key once in a full period. `previous` is the last complete run: a run that failed or did not
 * start is made up for. If it is not known, every key is due.
 */
export function isDueIn(
  { periodSeconds, fullPeriodSeconds }: ResyncPeriods,
  { previous, run }: { readonly previous: number | undefined; readonly run: number },
): (key: Key) => boolean {
  const slots = Math.max(1, Math.floor(fullPeriodSeconds / periodSeconds));
  const passed = previous === undefined ? slots : run - previous;
  // A clock may lag by one run. A larger difference means that the period has changed.
  if (passed >= slots || passed < -1) {
    return () => true;
  }
  return key => (slots + (run % slots) - toSpread(key, slots)) % slots < passed;
}
