// The wait that the API server asks for, from any answer of a pass to the retry of a reconcile that failed. Reconcilers
// turn refused requests into conditions and errors of their own words, which know nothing of Retry-After.
import type { Answer } from '../api/answer.ts';
import { RetryableError } from './errors.ts';
import type { Outcomes, Reads, Result } from './types.ts';

/** The longest wait asked for so far, in milliseconds; 0 before any. */
export interface Waits {
  longestMs: number;
}

/** The same reads, each of whose refusals is remembered in `waits`. */
export function rememberingReads(reads: Reads, waits: Waits): Reads {
  return {
    get: remembering(reads.get.bind(reads), waits),
    metadata: remembering(reads.metadata.bind(reads), waits),
    list: remembering(reads.list.bind(reads), waits),
  };
}

/** What the refusals among `outcomes` asked for joins `waits`. */
export function rememberOutcomes(outcomes: Outcomes, waits: Waits): void {
  for (const outcome of outcomes.values()) {
    if (outcome.state === 'failed') {
      remember(waits, outcome.failure.retryAfterMs);
    }
  }
}

/** A failed result that will be retried is not retried before the wait is over; every other result stays as it is. */
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
  // Asks the same question and hands on the very answer, so it has the type of what it wraps, overloads included.
  return remembered as Read;
}

function remember(waits: Waits, ms: number | undefined): void {
  waits.longestMs = Math.max(waits.longestMs, ms ?? 0);
}
