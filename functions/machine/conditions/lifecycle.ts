// The conditions Deleting and Updating. Their good status is False.
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import type { Conclusion } from '../phases/conclude.ts';
import { isDeleting } from '../phases/gate.ts';
import { inProgress, isUpdateInProgress } from '../phases/update/in-place-update.ts';

export const deletingType = 'Deleting';
export const updatingType = 'Updating';

/** Cluster API's default. A stage of the deletion always replaces it. */
const started = { reason: 'Deleting', message: 'Deletion started' };

export function deleting({ machine, progress }: Conclusion): ConditionDraft {
  return isDeleting(machine)
    ? { type: deletingType, status: 'True', ...(progress.deleting ?? started) }
    : { type: deletingType, status: 'False', reason: 'NotDeleting', message: '' };
}

export function updating({ machine, progress }: Conclusion): ConditionDraft {
  return isUpdateInProgress(machine) && !progress.isUpdateDone
    ? { type: updatingType, status: 'True', ...(progress.updating ?? inProgress) }
    : { type: updatingType, status: 'False', reason: 'NotUpdating', message: '' };
}
