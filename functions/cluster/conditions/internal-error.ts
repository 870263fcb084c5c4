// The condition of a value that could not be computed.
import type { Checked } from '@capi-serverless/apimachinery';
import type { ConditionDraft, ReportedCondition } from '@capi-serverless/cluster-api/conditions';

export const internalErrorMessage = 'Please check controller logs for errors';

export function internalError(type: string): ConditionDraft {
  return { type, status: 'Unknown', reason: 'InternalError', message: internalErrorMessage };
}

/** Returns the computed condition, or the condition InternalError if the computation failed. */
export function orInternalError(computed: Checked<ReportedCondition>, type: string): ConditionDraft {
  return computed.ok ? computed.value : internalError(type);
}
