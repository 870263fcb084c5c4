// The reconcilers that can be planned.
import { clusterReconciler } from '../../../functions/cluster/reconciler.ts';
import { waitOf } from '../view/waiting.ts';
import { whyOfCluster } from './cluster-reasons.ts';
import { type Plannable, toPlannable } from './plan.ts';

export const plannables: readonly Plannable[] = [
  toPlannable({ reconciler: clusterReconciler, ports: () => ({}), whyOf: whyOfCluster, waitOf }),
];
