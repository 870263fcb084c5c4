// Decides the writes of one pass over a MachineSet: finalizer; the MachineSet itself, its templates, the adoption of
// Machines; then remediation, metadata, updates in place, orphaned objects and the number of Machines. The finalizer is
// removed last.
import { type Action, patchFinalizers } from '@capi-serverless/reconciler';
import { setFinalizer } from './phases/set-gate.ts';
import type { MachineSetPlan } from './plan.ts';

export const addFinalizerId = 'finalizer:add';

/** A crash after any action is safe: the next pass decides the remaining writes again. */
export function decide(plan: MachineSetPlan): readonly Action[] {
  switch (plan.step) {
    case 'finalizer': {
      const { object, metadata } = plan.machineSet;
      return [patchFinalizers(addFinalizerId, object, [...metadata.finalizers, setFinalizer])];
    }
    case 'pausedCondition':
    case 'blocked':
    case 'noDeployment':
      return [];
    case 'phases':
      return plan.actions;
  }
}
