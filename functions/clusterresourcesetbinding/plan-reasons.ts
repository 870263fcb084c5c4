// Describes the reason of each action of the ClusterResourceSetBinding reconciler. Pure.
import type { ExplainedAction } from '../../shared/explain/face.ts';
import type { BindingSeen } from './seen.ts';

export function whyOfBinding({ action }: ExplainedAction<BindingSeen>): string {
  return action.do === 'delete'
    ? 'the Cluster does not exist, or its deletion needs the binding no longer'
    : 'an older version of Cluster API has named the Cluster in an owner reference';
}
