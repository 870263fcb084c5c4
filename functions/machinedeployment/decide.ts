// Decides the writes of one pass over a MachineDeployment: finalizer; the deployment itself, its templates, the adoption and
// repair of MachineSets; then the current MachineSet, the old ones, and the deletion of empty ones. The finalizer is
// removed last.
import { type Action, patchFinalizers } from '@capi-serverless/reconciler';
import { deploymentFinalizer } from './phases/deployment-gate.ts';
import type { DeploymentPlan } from './plan.ts';

export const addFinalizerId = 'finalizer:add';

/** A crash after any action is safe: the next pass decides the remaining writes again. */
export function decide(plan: DeploymentPlan): readonly Action[] {
  switch (plan.step) {
    case 'finalizer': {
      const { object, metadata } = plan.deployment;
      return [patchFinalizers(addFinalizerId, object, [...metadata.finalizers, deploymentFinalizer])];
    }
    case 'pausedCondition':
    case 'blocked':
      return [];
    case 'phases':
      return plan.actions;
  }
}
