// The ClusterClass reconciler: its declaration and its parts.
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { clusterClassDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { type ClassPlan, plan } from './plan.ts';
import { report } from './report.ts';
import type { ClusterClassSettings } from './seen.ts';

export function createClusterClassReconciler(
  settings: ClusterClassSettings,
): Reconciler<PortsOf<typeof clusterClassDeclaration>, ClassPlan | EarlyEnd> {
  return phasedReconciler({
    declaration: clusterClassDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    plan,
    report,
  });
}
