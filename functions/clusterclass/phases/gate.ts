// Determines the first write of a pass, before other objects are read: pause first, then deletion.

import { pauseGate } from '@capi-serverless/cluster-api/conditions';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { pausedCondition } from '../conditions/paused.ts';

/** 'open': the pass continues. 'pausedCondition': the only write of the pass. Other values: no write is needed. */
type ClassGate = 'pausedCondition' | 'paused' | 'deleting' | 'open';

/** Depends only on the class. Runs before other objects are read. */
export function gateOf(clusterClass: ClusterClass): ClassGate {
  const { metadata, status } = clusterClass;
  const gate = pauseGate(status.conditions, pausedCondition(clusterClass), metadata.generation);
  if (gate !== 'open') {
    return gate === 'write' ? 'pausedCondition' : gate;
  }
  return metadata.deletionTimestamp === undefined ? 'open' : 'deleting';
}
