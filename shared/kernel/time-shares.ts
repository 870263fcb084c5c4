// Divides the time of an invocation: reads end early enough that the pass can still write, and a pass starts only if it
// can end in time (docs/decisions/0042-slow-api-servers.md). Pure.
import type { Clock, Instant } from '@capi-serverless/apimachinery';

/** The share of the time that reads may take in the first try. The rest is for writes and the report. */
const firstReadShare = 0.5;
/** The share in later tries, because the reads of the first try needed more. */
const laterReadShare = 0.75;

interface Limits {
  readonly now: Instant;
  /** If `undefined`, there is no limit. */
  readonly deadline: Instant | undefined;
  /** The number of consecutive failed tries before this one. */
  readonly attempt: number;
}

/** Returns the time at which reads end. Other objects of the batch wait for this one until then. */
export function readsEndOf({ now, deadline, attempt }: Limits): Instant | undefined {
  const share = attempt === 0 ? firstReadShare : laterReadShare;
  return deadline === undefined ? undefined : now + share * (deadline - now);
}

interface Passes {
  readonly passes: number;
  readonly longestMs: number;
}

/** The first pass always starts. A later one starts if it can take as long as the longest one before. */
export function hasTimeForPass(
  { clock, deadline = Number.POSITIVE_INFINITY }: { readonly clock: Pick<Clock, 'now'>; readonly deadline?: Instant },
  { passes, longestMs }: Passes,
): boolean {
  return passes === 0 || clock.now() + longestMs <= deadline;
}
