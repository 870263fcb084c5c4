// The condition Deleting. Its reason and message come from the delete phase.
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { Conclusion } from '../phases/conclude.ts';

export function deleting({ scope, progress }: Conclusion): ConditionDraft {
  return isDeleting(scope.seen.cluster)
    ? { type: 'Deleting', status: 'True', ...progress.deleting }
    : { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' };
}
