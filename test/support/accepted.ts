// The answers and outcomes of requests that a test needs. Each throws the reason of a refusal.
import type { SendOutcome } from '../../shared/workqueue/port.ts';

type Refusable<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: { readonly message: string } };

/** Returns the value. */
export function accepted<T>(answer: Refusable<T>): T {
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  return answer.value;
}

/** Every message was sent. */
export function allSent(outcomes: readonly SendOutcome[]): void {
  for (const outcome of outcomes) {
    if (!outcome.ok) {
      throw new Error('A message was not sent', { cause: outcome.error });
    }
  }
}
