// The MachinePool reconciler: its declaration and its parts.
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { machinePoolDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type PoolPlan, plan } from './plan.ts';
import { report } from './report.ts';

export const machinePoolReconciler: Reconciler<
  PortsOf<typeof machinePoolDeclaration>,
  PoolPlan | EarlyEnd
> = phasedReconciler({
  declaration: machinePoolDeclaration,
  observe,
  plan,
  report,
});
