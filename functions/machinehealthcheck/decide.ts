// Decides the writes of one pass over a MachineHealthCheck: its own metadata, then the Machines.
import type { Action } from '@capi-serverless/reconciler';
import { ownActions } from './phases/own-metadata.ts';
import type { HealthCheckPlan } from './phases/plan-health-check.ts';

/** A crash after any action is safe: the next pass decides the remaining writes again. */
export function decide(plan: HealthCheckPlan): readonly Action[] {
  switch (plan.step) {
    case 'blocked':
    case 'pausedCondition':
      return [];
    case 'withoutTargets':
      return ownActions(plan.check, plan.cluster);
    case 'targets':
      return plan.actions;
  }
}
