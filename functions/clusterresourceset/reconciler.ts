// The ClusterResourceSet reconciler: its declaration and its parts.
import { type EarlyEnd, phasedReconciler, type Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { clusterResourceSetDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { plan, type ResourceSetPlan } from './plan.ts';
import { report } from './report.ts';

export const clusterResourceSetReconciler: Reconciler<
  PortsOf<typeof clusterResourceSetDeclaration>,
  ResourceSetPlan | EarlyEnd
> = phasedReconciler({
  declaration: clusterResourceSetDeclaration,
  // A slow workload cluster must not use the time in which objects are applied.
  reportsLateReads: true,
  observe,
  plan: (seen, { now }) => plan(seen, now),
  report,
});
