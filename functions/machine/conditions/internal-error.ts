// The condition of a value that could not be computed.
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';

export const checkLogs = 'Please check controller logs for errors';

const reason = 'InternalError';

export function internalError(type: string): ConditionDraft {
  return { type, status: 'Unknown', reason, message: checkLogs };
}

/** Returns true if the value could not be computed. */
export function isInternalError(draft: Pick<ConditionDraft, 'reason'>): boolean {
  return draft.reason === reason;
}
