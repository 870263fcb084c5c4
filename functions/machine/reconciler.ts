// The Machine reconciler: its declaration and its parts.
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import { ContractMemory } from '../../shared/external/contract-memory.ts';
import type { PortsOf } from '../../shared/ports.ts';
import { machineDeclaration } from './declaration.ts';
import { OutageClaims } from './observe/outage-claims.ts';
import { Postponements } from './observe/postponements.ts';
import { observe } from './observe.ts';
import { type MachinePlan, plan } from './plan.ts';
import { report } from './report.ts';
import type { MachineSettings } from './seen.ts';

export function createMachineReconciler(
  settings: MachineSettings,
): Reconciler<PortsOf<typeof machineDeclaration>, MachinePlan | EarlyEnd> {
  const contracts = new ContractMemory();
  const memory = { postponements: new Postponements(), outages: new OutageClaims() };
  return phasedReconciler({
    declaration: machineDeclaration,
    reportsLateReads: true,
    forNewProcess: () => createMachineReconciler(settings),
    observe: (primary, ask, pass) =>
      observe(primary, { ...ask, contracts: contracts.at(pass.now) }, { pass, settings, ...memory }),
    plan,
    report,
  });
}
