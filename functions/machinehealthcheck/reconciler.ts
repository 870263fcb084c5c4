// The MachineHealthCheck reconciler: its declaration and its parts.
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { machineHealthCheckDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type HealthCheckPlan, plan } from './plan.ts';
import { report } from './report.ts';

export const machineHealthCheckReconciler: Reconciler<
  PortsOf<typeof machineHealthCheckDeclaration>,
  HealthCheckPlan | EarlyEnd
> = phasedReconciler({
  declaration: machineHealthCheckDeclaration,
  observe,
  plan: (seen, { now }) => plan(seen, now),
  report,
});
