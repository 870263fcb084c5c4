// Whether Clusters can use a ClusterClass in its current state.
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { ClusterClass } from './reader.ts';

/**
 * Whether VariablesReady is present and not False, and the current spec was reconciled. Outdated references do not
 * matter.
 */
export function isUsable({ metadata, status }: Pick<ClusterClass, 'metadata' | 'status'>): boolean {
  const condition = getCondition(status.conditions, 'VariablesReady');
  const isKnown = condition !== undefined && condition.status !== 'False';
  return isKnown && status.observedGeneration === metadata.generation;
}
