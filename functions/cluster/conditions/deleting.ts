// Deleting: what the delete phase said.
import type { ConditionDraft } from '../../../shared/conditions/condition.ts';
import { isDeleting } from '../phases/gate.ts';
import type { Phases } from '../phases/run.ts';

export function deleting({ context, progress }: Phases): ConditionDraft {
  return isDeleting(context.seen.cluster)
    ? { type: 'Deleting', status: 'True', ...progress.deleting }
    : { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' };
}
