// The condition of a value that could not be computed.
import type { Checked } from '@capi-serverless/apimachinery';
import type { ConditionDraft, ReportedCondition } from './condition.ts';

export const internalErrorMessage = 'Please check controller logs for errors';

const reason = 'InternalError';

export function internalError(type: string): ConditionDraft {
  return { type, status: 'Unknown', reason, message: internalErrorMessage };
}

/** Returns true if the value could not be computed. */
export function isInternalError(draft: Pick<ConditionDraft, 'reason'>): boolean {
  return draft.reason === reason;
}

/** Returns the computed condition, or the condition InternalError if the computation failed. */
export function orInternalError(computed: Checked<ReportedCondition>, type: string): ConditionDraft {
  return computed.ok ? computed.value : internalError(type);
}
