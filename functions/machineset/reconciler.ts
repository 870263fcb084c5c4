// The MachineSet reconciler: its declaration and its parts.
import { createHash } from 'node:crypto';
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { machineSetDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type MachineSetPlan, plan } from './plan.ts';
import { report } from './report.ts';
import type { MachineSetSettings } from './seen.ts';

export function createMachineSetReconciler(
  settings: MachineSetSettings,
): Reconciler<PortsOf<typeof machineSetDeclaration>, MachineSetPlan> {
  return {
    declaration: machineSetDeclaration,
    async observe(primary, ask, pass) {
      const seen = await observe(primary, ask, { pass, settings });
      return 'stop' in seen ? seen : plan(seen, sha256);
    },
    decide,
    report,
  };
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
