// Whether Clusters may be made from a ClusterClass as it stands: what everybody asks who reads one.
import { getCondition } from '../../conditions/get.ts';
import type { ClusterClass } from './reader.ts';

/**
 * Its variables are not known to be wrong, and its spec was reconciled. A class with outdated references is usable; one
 * whose VariablesReady somebody made Unknown is, too.
 */
export function isUsable({ metadata, status }: Pick<ClusterClass, 'metadata' | 'status'>): boolean {
  const condition = getCondition(status.conditions, 'VariablesReady');
  const isKnown = condition !== undefined && condition.status !== 'False';
  return isKnown && status.observedGeneration === metadata.generation;
}
