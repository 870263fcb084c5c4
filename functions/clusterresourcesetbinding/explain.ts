// The public interface of the ClusterResourceSetBinding reconciler for CLI commands.
import { type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { createBindingReconciler } from './reconciler.ts';

export const face = toFace({
  reconciler: createBindingReconciler(true),
  asReported: {},
  whyOf: whyOfBinding,
  waitOf: () => undefined,
});

/** Describes the reason of each action of the ClusterResourceSetBinding reconciler. */
export function whyOfBinding({ action }: ExplainedAction<object>): string {
  return action.do === 'delete'
    ? 'the Cluster does not exist, or its deletion needs the binding no longer'
    : 'an older version of Cluster API has named the Cluster in an owner reference';
}
