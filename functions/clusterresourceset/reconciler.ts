// The ClusterResourceSet reconciler: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { clusterResourceSetDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { plan, type ResourceSetPlan } from './phases/plan-set.ts';
import { report } from './report.ts';

export const clusterResourceSetReconciler: Reconciler<
  PortsOf<typeof clusterResourceSetDeclaration>,
  ResourceSetPlan
> = {
  declaration: clusterResourceSetDeclaration,
  // A slow workload cluster must not use the time in which objects are applied.
  reportsLateReads: true,
  async observe(primary, ask, pass) {
    const seen = await observe(primary, ask, pass);
    return 'stop' in seen ? seen : plan(seen, pass.now);
  },
  decide,
  report,
};
