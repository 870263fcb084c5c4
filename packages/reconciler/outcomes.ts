// Reads outcomes by action id. Pure.
import type { ApiFailure } from '@capi-serverless/apimachinery';
import type { Outcomes } from './types.ts';

/** Returns the failure of this action. Returns `undefined` if it succeeded, was skipped, or was not performed. */
export function failureOf(outcomes: Outcomes, id: string): ApiFailure | undefined {
  const outcome = outcomes.get(id);
  return outcome?.state === 'failed' ? outcome.failure : undefined;
}
