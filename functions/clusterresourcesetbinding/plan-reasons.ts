// Describes the reason of each action of the ClusterResourceSetBinding reconciler. Pure.
import type { ExplainedAction } from '../../shared/explain/face.ts';

export function whyOfBinding({ action }: ExplainedAction<object>): string {
  return action.do === 'delete'
    ? 'the Cluster does not exist, or its deletion needs the binding no longer'
    : 'an older version of Cluster API has named the Cluster in an owner reference';
}
