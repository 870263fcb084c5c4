// The conditions Deleting and Updating. Their good status is False.
import type { ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { MachineConclusion } from '../phases/conclude.ts';
import type { Stage } from '../phases/pass-progress.ts';
import { inProgress, isUpdateInProgress } from '../phases/update/in-place-update.ts';

export const deletingType = 'Deleting';
export const updatingType = 'Updating';

/** Cluster API's default. A stage of the deletion always replaces it. */
const started = { reason: 'Deleting', message: 'Deletion started' };

/** The stage of the deletion after this pass. */
export function stageOf({ progress }: MachineConclusion): Stage {
  return progress.deleting ?? started;
}

export function deleting(conclusion: MachineConclusion): ReportedCondition {
  return isDeleting(conclusion.machine)
    ? { type: deletingType, status: 'True', ...stageOf(conclusion) }
    : { type: deletingType, status: 'False', reason: 'NotDeleting', message: '' };
}

export function updating({ machine, progress }: MachineConclusion): ReportedCondition {
  return isUpdateInProgress(machine) && !progress.isUpdateDone
    ? { type: updatingType, status: 'True', ...(progress.updating ?? inProgress) }
    : { type: updatingType, status: 'False', reason: 'NotUpdating', message: '' };
}
