// The client with which a webhook reads while an API server waits for its answer.
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import type { Invocation } from './invocation.ts';
import { ReviewReadError } from './review-read-error.ts';
import type { Runtime } from './runtime.ts';

/** The reads of one review. They end when the time for its answer is up. */
export interface ReviewConnection {
  readonly signal: AbortSignal;
  /** Rejects with ReviewReadError if there is no API server to read from, or if the time is up. */
  readonly connect: () => Promise<Kubernetes>;
}

interface Review {
  readonly functionName: string;
  /** The time for the answer. */
  readonly ms: number;
}

export function connectForReview(
  { kubernetes }: Pick<Runtime, 'kubernetes'>,
  { log, signal: ofInvocation }: Pick<Invocation, 'log' | 'signal'>,
  { functionName, ms }: Review,
): ReviewConnection {
  const signal = AbortSignal.any([ofInvocation, AbortSignal.timeout(Math.max(0, ms))]);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new ReviewReadError('the time of this answer is up')));
  });
  aborted.catch(() => undefined);
  return {
    signal,
    connect: async () => {
      // Loading credentials can take longer than an API server waits.
      const connecting = kubernetes().catch(error => {
        log.error('Connecting to the API server failed', toError(error));
        throw new ReviewReadError(`the ${functionName} function cannot reach the API server; the reason is in its log`);
      });
      return (await Promise.race([connecting, aborted])).within(signal);
    },
  };
}
