// The MachineDeployment reconciler: its declaration and its parts.
import { createHash } from 'node:crypto';
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import { ContractMemory } from '../../shared/external/contract-memory.ts';
import type { PortsOf } from '../../shared/ports.ts';
import { machineDeploymentDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type DeploymentPlan, plan } from './plan.ts';
import { report } from './report.ts';
import type { DeploymentSettings } from './seen.ts';

export function createMachineDeploymentReconciler(
  settings: DeploymentSettings,
): Reconciler<PortsOf<typeof machineDeploymentDeclaration>, DeploymentPlan | EarlyEnd> {
  const memory = new ContractMemory();
  return phasedReconciler({
    declaration: machineDeploymentDeclaration,
    forNewProcess: () => createMachineDeploymentReconciler(settings),
    observe: (primary, ask, pass) =>
      observe(primary, { ...ask, contracts: memory.at(pass.now) }, { pass, settings, digest: sha256 }),
    plan: seen => plan(seen, sha256),
    report,
  });
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
