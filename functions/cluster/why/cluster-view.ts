// The state of a Cluster in one line, derived only from its status. Pure.
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import {
  type AwaitedCondition,
  type ConditionView,
  conditionsOf,
  firstWaitOf,
  toWaitText,
  type Wait,
} from '../../../shared/explain/conditions.ts';

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

/** Condition types in the order in which a user should check them. */
const awaitedConditions: readonly AwaitedCondition[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'what belongs to it to go' },
  { type: 'TopologyReconciled', fine: 'True' },
  { type: 'InfrastructureReady', fine: 'True' },
  { type: 'ControlPlaneInitialized', fine: 'True' },
  { type: 'ControlPlaneAvailable', fine: 'True' },
  { type: 'RemoteConnectionProbe', fine: 'True' },
  { type: 'WorkersAvailable', fine: 'True' },
  { type: 'Available', fine: 'True' },
  { type: 'RollingOut', fine: 'False', until: 'its rollout to end' },
];

/** Returns the first cause for which a Cluster waits, or `undefined` if its conditions show none. */
export function waitOf(cluster: Unstructured): Wait | undefined {
  return firstWaitOf(cluster, awaitedConditions);
}
