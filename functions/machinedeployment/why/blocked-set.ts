// What keeps a MachineSet from creating Machines: a preflight check, or a missing template. Pure.
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { toWhy } from '../../../shared/explain/conditions.ts';

/** Returns the text of the condition, or "" if nothing blocks the MachineSet. */
export function blockOf({ status }: Pick<WholeMachineSet, 'status'>): string {
  const scalingUp = getCondition(status.conditions, 'ScalingUp');
  return scalingUp?.status === 'True' && scalingUp.message.includes('is blocked because') ? toWhy(scalingUp) : '';
}
