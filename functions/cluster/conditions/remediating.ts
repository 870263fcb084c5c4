// The condition Remediating: the Machines of the Cluster that their owner must replace.
import { type ConditionDraft, internalError } from '@capi-serverless/cluster-api/conditions';
import { remediatingCondition } from '../../../shared/machine-collections/remediating-condition.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { singleMachines } from '../phases/descendants.ts';

export function remediating({ scope: { descendants } }: Conclusion): ConditionDraft {
  return descendants.known ? remediatingCondition(singleMachines(descendants), '') : internalError('Remediating');
}
