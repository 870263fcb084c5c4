// The state of a Cluster in one line, derived only from its status. Pure.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { type ConditionView, conditionsOf, toWaitText } from '../../../shared/explain/conditions.ts';
import { waitOf } from './wait.ts';

export interface ClusterView {
  /** Empty until the first successful reconcile. */
  readonly phase: string;
  readonly provisioned: boolean;
  readonly paused: boolean;
  /** The condition Available of the Cluster is True. */
  readonly available: boolean;
  /** Empty if the Cluster waits for nothing. */
  readonly waitingFor: string;
}

export function viewCluster(cluster: Unstructured): ClusterView {
  const phase = valueAt(cluster.status, 'phase');
  const conditions = conditionsOf(cluster);
  const wait = waitOf(cluster);
  return {
    phase: typeof phase === 'string' ? phase : '',
    provisioned: phase === 'Provisioned',
    paused: isTrue(conditions, 'Paused'),
    available: isTrue(conditions, 'Available'),
    waitingFor: wait === undefined ? '' : toWaitText(wait),
  };
}

function isTrue(conditions: readonly ConditionView[], wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}
