// Reads outcomes by action id. Pure.
import type { ApiFailure } from '@capi-serverless/apimachinery';
import type { Outcomes } from './types.ts';

/** The outcomes before any write. */
export const noOutcomes: Outcomes = new Map();

/** Returns the failure of this action. Returns `undefined` if it succeeded, was skipped, or was not performed. */
export function failureOf(outcomes: Outcomes, id: string): ApiFailure | undefined {
  const outcome = outcomes.get(id);
  return outcome?.state === 'failed' ? outcome.failure : undefined;
}

/** A write on which a result depends. */
export interface NeededWrite {
  /** The id of the action. */
  readonly id: string;
  /** The prefix of the error of a failed write. If `undefined`, another result contains the error. */
  readonly problem: string | undefined;
}

/** Whether none of these writes failed. */
export function haveSucceeded(needs: readonly Pick<NeededWrite, 'id'>[], outcomes: Outcomes): boolean {
  return needs.every(({ id }) => failureOf(outcomes, id) === undefined);
}

/** Returns the errors of the writes that failed. Returns `undefined` if none failed. */
export function failedWrites(needs: readonly NeededWrite[], outcomes: Outcomes): readonly string[] | undefined {
  const failed = needs.flatMap(({ id, problem }) => {
    const failure = failureOf(outcomes, id);
    return failure === undefined ? [] : [{ problem, message: failure.message }];
  });
  const errors = failed.flatMap(({ problem, message }) => (problem === undefined ? [] : [`${problem}: ${message}`]));
  return failed.length === 0 ? undefined : errors;
}
