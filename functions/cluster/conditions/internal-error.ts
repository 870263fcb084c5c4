// What a condition says when its value could not be found out.
import type { Checked } from '../../../shared/api/checked.ts';
import type { ConditionDraft, ReportedCondition } from '../../../shared/conditions/condition.ts';

export const internalErrorMessage = 'Please check controller logs for errors';

export function internalError(type: string): ConditionDraft {
  return { type, status: 'Unknown', reason: 'InternalError', message: internalErrorMessage };
}

/** The computed condition, or that it could not be computed. */
export function orInternalError(computed: Checked<ReportedCondition>, type: string): ConditionDraft {
  return computed.ok ? computed.value : internalError(type);
}
