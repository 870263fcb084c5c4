// Determines what a Cluster waits for. Uses only its status. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { type AwaitedCondition, firstWaitOf, type Wait } from '../../../shared/explain/conditions.ts';

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
];

/** Returns the first cause for which a Cluster waits, or `undefined` if its conditions show none. */
export function waitOf(cluster: Unstructured): Wait | undefined {
  return firstWaitOf(cluster, awaitedConditions);
}
