// Explains what a MachineDeployment waits for. Derived from its status only. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { type AwaitedCondition, firstWaitOf, type Wait } from '../../../shared/explain/conditions.ts';

/** Condition types in the order in which a user should check them. */
const awaitedConditions: readonly AwaitedCondition[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'its deletion to end' },
  { type: 'Remediating', fine: 'False', until: 'its remediation' },
  { type: 'RollingOut', fine: 'False', until: 'its rollout to end' },
  { type: 'ScalingUp', fine: 'False', until: 'more Machines' },
  { type: 'ScalingDown', fine: 'False', until: 'fewer Machines' },
  { type: 'MachinesReady', fine: 'True' },
  { type: 'Available', fine: 'True' },
];

/** Returns the first cause for which a MachineDeployment waits, or `undefined` if its conditions show none. */
export function waitOfMachineDeployment(deployment: Unstructured): Wait | undefined {
  return firstWaitOf(deployment, awaitedConditions);
}
