// Describes the reason of each action of the ClusterClass reconciler. Pure.

import { toDisplayName } from '@capi-serverless/apimachinery';
import type { ExplainedAction } from '../../shared/explain/face.ts';
import { ownActionId } from './phases/check-templates.ts';
import type { ClusterClassSeen } from './seen.ts';

/** Returns `undefined` for an unknown action. */
export function whyOfClusterClass({ action, seen }: ExplainedAction<ClusterClassSeen>): string | undefined {
  const isOwned =
    seen.step === 'whole' &&
    seen.templates.some(({ object }) => object.ok && ownActionId(object.value.uid) === action.id);
  const name = toDisplayName(seen.clusterClass.metadata);
  return isOwned ? `ClusterClass ${name} references it, and it lacks this owner reference` : undefined;
}
