// Determines whether a ClusterClass can be used. Its reconciler must have observed the current generation.
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';

export type ClassReadiness =
  | { readonly state: 'usable' }
  | {
      readonly state: 'failed';
      readonly error: string;
      /** The class was never reconciled. Its first reconcile enqueues its Clusters, so no retry is needed. */
      readonly isClassNew?: true;
    }
  /** The class has changed since its last reconcile. The next reconcile enqueues its Clusters. */
  | { readonly state: 'classNotReconciled' };

const variablesNotReady =
  'ClusterClass is not successfully reconciled: status of VariablesReady condition on ClusterClass must be "True"';

export function checkClass({ metadata, status }: ClusterClass): ClassReadiness {
  const ready = getCondition(status.conditions, 'VariablesReady');
  if (ready === undefined || ready.status === 'False') {
    const failed = { state: 'failed', error: variablesNotReady } as const;
    return ready === undefined ? { ...failed, isClassNew: true } : failed;
  }
  return { state: status.observedGeneration === metadata.generation ? 'usable' : 'classNotReconciled' };
}
