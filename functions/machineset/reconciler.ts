// The MachineSet reconciler: its declaration and its parts.
import { createHash } from 'node:crypto';
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import { ContractMemory } from '../../shared/external/contract-memory.ts';
import type { PortsOf } from '../../shared/ports.ts';
import { machineSetDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type MachineSetPlan, plan } from './plan.ts';
import { report } from './report.ts';
import type { MachineSetSettings } from './seen.ts';

export function createMachineSetReconciler(
  settings: MachineSetSettings,
): Reconciler<PortsOf<typeof machineSetDeclaration>, MachineSetPlan | EarlyEnd> {
  const memory = new ContractMemory();
  return phasedReconciler({
    declaration: machineSetDeclaration,
    forNewProcess: () => createMachineSetReconciler(settings),
    observe: (primary, ask, pass) => observe(primary, { ...ask, contracts: memory.at(pass.now) }, { pass, settings }),
    plan: seen => plan(seen, sha256),
    report,
  });
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
