// The outcome of one reconcile, for the batch.
import type { Result } from '@capi-serverless/reconciler';

export interface Reconciled {
  readonly result: Result;
  /** An unexpected error: neither RetryableError nor TerminalError, and not caused by the deadline. */
  readonly defect?: Error;
  /** The time of the invocation ended before the work. `result` is failed, and the next invocation continues. */
  readonly outOfTime?: true | undefined;
  readonly passes: number;
  readonly writes: number;
  /** True if the object's generation differed from `status.observedGeneration` before the first pass. */
  readonly unseen?: true | undefined;
  /** A condition of `owns.unwatched` changed. Such a change sends no event. */
  readonly unwatched?: true | undefined;
}
