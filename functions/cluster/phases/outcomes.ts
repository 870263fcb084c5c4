// Reading the outcomes of a pass.
import type { ApiFailure } from '../../../shared/api/answer.ts';
import type { Outcomes } from '../../../shared/kernel/types.ts';

/** Why that write failed; `undefined` when it succeeded, was skipped, or was not performed yet. */
export function failureOf(outcomes: Outcomes, id: string): ApiFailure | undefined {
  const outcome = outcomes.get(id);
  return outcome?.state === 'failed' ? outcome.failure : undefined;
}
