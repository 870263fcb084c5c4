// What must be settled on the ClusterClass itself before anything else is read: pause, then deletion.

import { pauseGate } from '@capi-serverless/cluster-api/conditions';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { pausedCondition } from '../conditions/paused.ts';

/** 'open': continue. 'pausedCondition': the only write of the pass. The others: settled, nothing to do. */
export type ClassGate = 'pausedCondition' | 'paused' | 'deleting' | 'open';

/** Depends on the class only, before anything else is read. */
export function gateOf(clusterClass: ClusterClass): ClassGate {
  const { metadata, status } = clusterClass;
  const gate = pauseGate(status.conditions, pausedCondition(clusterClass), metadata.generation);
  if (gate !== 'open') {
    return gate === 'write' ? 'pausedCondition' : gate;
  }
  return metadata.deletionTimestamp === undefined ? 'open' : 'deleting';
}
