// Passes Retry-After from any response of a pass to the retry of the failed reconcile. Reconcilers map refused requests
// to their own conditions and errors, which do not contain Retry-After.
import type { Answer, Reads } from '@capi-serverless/apimachinery';
import { RetryableError } from './errors.ts';
import type { Outcomes, Result } from './types.ts';

/** The longest requested wait so far in milliseconds. 0 if there is none. */
export interface Waits {
  longestMs: number;
}

/** Returns the same reads. Each refusal is recorded in `waits`. */
export function rememberingReads(reads: Reads, waits: Waits): Reads {
  return {
    get: remembering(reads.get.bind(reads), waits),
    metadata: remembering(reads.metadata.bind(reads), waits),
    list: remembering(reads.list.bind(reads), waits),
  };
}

/** Records in `waits` the waits that failed `outcomes` request. */
export function rememberOutcomes(outcomes: Outcomes, waits: Waits): void {
  for (const outcome of outcomes.values()) {
    if (outcome.state === 'failed') {
      remember(waits, outcome.failure.retryAfterMs);
    }
  }
}

/** Delays the retry of a failed result until the wait ends. Other results are unchanged. */
export function afterWaits(result: Result, { longestMs }: Waits): Result {
  if (result.kind !== 'failed' || result.terminal) {
    return result;
  }
  const own = result.error instanceof RetryableError ? (result.error.retryAfterMs ?? 0) : 0;
  if (own >= longestMs) {
    return result;
  }
  return {
    ...result,
    error: new RetryableError(result.error.message, { cause: result.error, retryAfterMs: longestMs }),
  };
}

function remembering<Read extends (...question: never[]) => Promise<Answer<unknown>>>(read: Read, waits: Waits): Read {
  const remembered = async (...question: Parameters<Read>): Promise<Answer<unknown>> => {
    const answer = await read(...question);
    if (!answer.ok) {
      remember(waits, answer.failure.retryAfterMs);
    }
    return answer;
  };
  // True: it returns the result of the wrapped function unchanged, so the type is the same, including overloads.
  return remembered as Read;
}

function remember(waits: Waits, ms: number | undefined): void {
  waits.longestMs = Math.max(waits.longestMs, ms ?? 0);
}
