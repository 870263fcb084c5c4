// The Cluster reconciler: its declaration and its parts.
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import { ContractMemory } from '../../shared/external/contract-memory.ts';
import type { PortsOf } from '../../shared/ports.ts';
import { clusterDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type ClusterPlan, plan } from './plan.ts';
import { report } from './report.ts';
import type { ClusterSettings } from './seen.ts';

/** The defaults of upstream's manager. */
export const defaultSettings: ClusterSettings = {
  honorsDeleteHook: false,
  countsMachinePools: true,
  probesRemote: true,
  remoteGracePeriodMs: 50_000,
  resyncPeriodMs: 600_000,
  classNamespaces: 'any',
};

export function createClusterReconciler(
  settings: ClusterSettings,
): Reconciler<PortsOf<typeof clusterDeclaration>, ClusterPlan | EarlyEnd> {
  const memory = new ContractMemory();
  return phasedReconciler({
    declaration: clusterDeclaration,
    reportsLateReads: true,
    forNewProcess: () => createClusterReconciler(settings),
    observe: (primary, ask, pass) => observe(primary, { ...ask, contracts: memory.at(pass.now) }, { pass, settings }),
    plan,
    report,
  });
}

/** The reconciler with the settings of upstream's manager without flags. */
export const clusterReconciler = createClusterReconciler(defaultSettings);
