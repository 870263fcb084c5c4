// The Machine reconciler: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { machineDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import type { MachineSettings } from './phases/machine-settings.ts';
import { type MachinePlan, plan } from './plan.ts';
import { report } from './report.ts';

export function createMachineReconciler(
  settings: MachineSettings,
): Reconciler<PortsOf<typeof machineDeclaration>, MachinePlan> {
  return {
    declaration: machineDeclaration,
    reportsLateReads: true,
    async observe(primary, ask, pass) {
      const seen = await observe(primary, ask, { pass, settings });
      return 'stop' in seen ? seen : plan(seen, pass.now);
    },
    decide,
    report,
  };
}
