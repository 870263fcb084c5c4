// The condition Deleting. Its reason and message come from the delete phase.
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import type { Conclusion } from '../phases/conclude.ts';
import { isDeleting } from '../phases/gate.ts';

export function deleting({ scope, progress }: Conclusion): ConditionDraft {
  return isDeleting(scope.seen.cluster)
    ? { type: 'Deleting', status: 'True', ...progress.deleting }
    : { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' };
}
