// Determines whether Clusters can use a ClusterClass in its current state.
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { ClusterClass } from './reader.ts';

/**
 * Returns true if VariablesReady is present and not False, and the current spec was reconciled. Outdated references
 * have no effect.
 */
export function isUsable({ metadata, status }: Pick<ClusterClass, 'metadata' | 'status'>): boolean {
  const condition = getCondition(status.conditions, 'VariablesReady');
  const isKnown = condition !== undefined && condition.status !== 'False';
  return isKnown && status.observedGeneration === metadata.generation;
}
