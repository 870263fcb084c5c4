// The MachineHealthCheck reconciler: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { machineHealthCheckDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type HealthCheckPlan, plan } from './phases/plan-health-check.ts';
import { report } from './report.ts';

export const machineHealthCheckReconciler: Reconciler<
  PortsOf<typeof machineHealthCheckDeclaration>,
  HealthCheckPlan
> = {
  declaration: machineHealthCheckDeclaration,
  async observe(primary, ask, pass) {
    const seen = await observe(primary, ask, pass);
    return 'stop' in seen ? seen : plan(seen, pass.now);
  },
  decide,
  report,
};
