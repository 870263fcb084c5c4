// Decides the writes of one pass over a Machine: finalizer; owner references of its objects, then the Machine itself, then
// the Node; then the stages of a deletion or an in-place update. The finalizer is removed last.
import { type Action, patchFinalizers } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import { machineFinalizer } from './phases/machine-gate.ts';
import type { MachinePlan } from './plan.ts';

export const addFinalizerId = 'finalizer:add';

/** A crash after any action is safe: the next pass decides the remaining writes again. */
export function decide(plan: MachinePlan): readonly Action[] {
  switch (plan.step) {
    case 'finalizer':
      return [addFinalizer(plan.machine)];
    case 'pausedCondition':
    case 'blocked':
      return [];
    case 'phases':
      return plan.actions;
  }
}

function addFinalizer({ object, metadata }: WholeMachine): Action {
  return patchFinalizers(addFinalizerId, object, [...metadata.finalizers, machineFinalizer]);
}
