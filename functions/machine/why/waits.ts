// Explains what a Machine waits for. Derived from its status only. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { type AwaitedCondition, firstWaitOf, type Wait } from '../../../shared/explain/conditions.ts';

/** Condition types in the order in which a user should check them. */
const awaitedConditions: readonly AwaitedCondition[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'its deletion to end' },
  { type: 'BootstrapConfigReady', fine: 'True' },
  { type: 'InfrastructureReady', fine: 'True' },
  { type: 'NodeReady', fine: 'True' },
  { type: 'NodeHealthy', fine: 'True' },
  { type: 'Updating', fine: 'False', until: 'its update to end' },
  { type: 'HealthCheckSucceeded', fine: 'True', until: 'its remediation' },
  { type: 'OwnerRemediated', fine: 'True', until: 'its remediation' },
  { type: 'Ready', fine: 'True' },
  { type: 'Available', fine: 'True' },
];

/** Returns the first cause for which a Machine waits, or `undefined` if its conditions show none. */
export function waitOfMachine(machine: Unstructured): Wait | undefined {
  return firstWaitOf(machine, awaitedConditions);
}
