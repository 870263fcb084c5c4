// Describes the reason of each action of the reconcilers that clean up templates. Pure.

import { addFinalizerId, type EarlyEnd, isEarlyEnd, removeFinalizerId } from '@capi-serverless/reconciler';
import type { ExplainedAction } from '../explain/face.ts';
import type { CleanupPlan } from './plan.ts';

/** Returns `undefined` for an unknown action. */
export function whyOfCleanup({ action, seen: plan }: ExplainedAction<CleanupPlan | EarlyEnd>): string | undefined {
  if (isEarlyEnd(plan)) {
    return undefined;
  }
  const { object, finalizer } = plan.seen;
  const { kind } = object;
  switch (action.id) {
    case addFinalizerId:
      return `the finalizer ${finalizer} is missing: without it, the ${kind} could be deleted before its templates`;
    case removeFinalizerId:
      return 'it is being deleted, and its dependent objects are deleted';
    default:
      return action.do === 'delete' ? `the ${kind} is being deleted, and no other object uses it` : undefined;
  }
}
