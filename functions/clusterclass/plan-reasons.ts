// Describes the reason of each action of the ClusterClass reconciler. Pure.

import { toDisplayName } from '@capi-serverless/apimachinery';
import { isEarlyEnd } from '@capi-serverless/reconciler';
import type { ExplainedAction } from '../../shared/explain/face.ts';
import { ownActionId } from './phases/check-templates.ts';
import type { ClassPlan } from './plan.ts';

/** Returns `undefined` for an unknown action. */
export function whyOfClusterClass({ action, seen: plan }: ExplainedAction<ClassPlan>): string | undefined {
  if (isEarlyEnd(plan)) {
    return undefined;
  }
  const { clusterClass, templates } = plan.seen;
  const isOwned = templates.some(({ object }) => object.ok && ownActionId(object.value.uid) === action.id);
  const name = toDisplayName(clusterClass.metadata);
  return isOwned ? `ClusterClass ${name} references it, and it lacks this owner reference` : undefined;
}
