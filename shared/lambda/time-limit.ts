// Ends work that takes too long, so that the invocation can still answer.
import type { Clock } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';

interface TimeLimit {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly ms: number;
  /** The start of the error text, for example "Reading the secret". */
  readonly doing: string;
}

/** Rejects with a RetryableError if the work has not settled after `ms`. Then the signal of the work aborts. */
export async function withTimeLimit<T>(
  { clock, ms, doing }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const ended = new AbortController();
  const limit = Promise.withResolvers<never>();
  const waited = clock.sleep(ms, ended.signal).then(() => {
    if (ended.signal.aborted) {
      return;
    }
    over.abort('the time limit has passed');
    limit.reject(new RetryableError(`${doing} took longer than ${ms / 1000} s`));
  });
  try {
    return await Promise.race([work(over.signal), limit.promise]);
  } finally {
    ended.abort('the work has ended');
    await waited;
  }
}
