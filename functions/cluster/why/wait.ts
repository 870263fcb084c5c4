// Determines what a Cluster waits for. Uses only its status. Pure.
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { type ConditionView, conditionsOf, type Wait } from '../../../shared/explain/conditions.ts';

/** Condition types in the order in which a user should check them. Each has the text of what the Cluster waits for. */
const awaitedConditions: readonly { readonly type: string; readonly fine: string; readonly until?: string }[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'what belongs to it to go' },
  { type: 'TopologyReconciled', fine: 'True' },
  { type: 'InfrastructureReady', fine: 'True' },
  { type: 'ControlPlaneInitialized', fine: 'True' },
  { type: 'ControlPlaneAvailable', fine: 'True' },
  { type: 'RemoteConnectionProbe', fine: 'True' },
  { type: 'WorkersAvailable', fine: 'True' },
  { type: 'Available', fine: 'True' },
];

/** Returns the first cause for which a Cluster waits, or `undefined` if its conditions show none. */
export function waitOf(cluster: Unstructured): Wait | undefined {
  const conditions = conditionsOf(cluster);
  if (valueAt(cluster.status, 'phase') === undefined && !isTrue(conditions, 'Paused')) {
    return { until: 'its first reconcile', condition: undefined };
  }
  for (const { type, fine, until = type } of awaitedConditions) {
    const condition = conditions.find(candidate => candidate.type === type);
    if (condition !== undefined && condition.status !== fine) {
      return { until, condition };
    }
  }
  return undefined;
}

function isTrue(conditions: readonly ConditionView[], wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}
