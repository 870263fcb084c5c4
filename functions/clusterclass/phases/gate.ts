// What must be settled on the ClusterClass itself before anything else is looked at: pause, then deletion.
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { pauseGate } from '../../../shared/conditions/paused.ts';
import { pausedCondition } from '../conditions/paused.ts';

/** 'open': go on. 'pausedCondition': that is the one thing to write. The others: settled, nothing to do. */
export type Gate = 'pausedCondition' | 'paused' | 'deleting' | 'open';

/** Decided from the class alone, before anything else is read. */
export function gateOf(clusterClass: ClusterClass): Gate {
  const { metadata, status } = clusterClass;
  const gate = pauseGate(status.conditions, pausedCondition(clusterClass), metadata.generation);
  if (gate !== 'open') {
    return gate === 'write' ? 'pausedCondition' : gate;
  }
  return metadata.deletionTimestamp === undefined ? 'open' : 'deleting';
}
