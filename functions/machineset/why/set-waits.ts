// Explains what a MachineSet waits for, and what helps. Derived from its status only. Pure.
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { type AwaitedCondition, firstUnfulfilled, type Wait } from '../../../shared/explain/conditions.ts';

/** Condition types in the order in which a user should check them. */
const awaitedConditions: readonly AwaitedCondition[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'its deletion to end' },
  { type: 'Remediating', fine: 'False', until: 'its remediation' },
  { type: 'ScalingUp', fine: 'False', until: 'more Machines' },
  { type: 'ScalingDown', fine: 'False', until: 'fewer Machines' },
  { type: 'MachinesReady', fine: 'True', until: 'its Machines to be ready' },
  { type: 'MachinesUpToDate', fine: 'True', until: 'its Machines to be up to date' },
];

/** Returns the first cause for which a MachineSet waits, or `undefined` if its conditions show none. */
export function waitOfMachineSet(machineSet: Unstructured): Wait | undefined {
  if (valueAt(machineSet.status, 'conditions') === undefined) {
    return { until: 'its first reconcile', condition: undefined };
  }
  return firstUnfulfilled(machineSet, awaitedConditions);
}

export function remediesOfMachineSet({ metadata }: Unstructured, { condition }: Wait): readonly string[] {
  const { namespace, name } = metadata;
  switch (condition?.type) {
    case undefined:
      return ['see whether the functions run, and the error in the log of function machineset'];
    case 'ScalingUp':
      return condition.message.includes('is blocked because')
        ? [
            'wait until the checks pass; the annotation machineset.cluster.x-k8s.io/skip-preflight-checks skips them',
            `see what the MachineSet references: kubectl get machineset -n ${namespace} ${name} -o yaml`,
          ]
        : ['see the error in the log of function machineset'];
    default:
      return [`see the conditions of its Machines: kubectl get machines -n ${namespace}`];
  }
}
