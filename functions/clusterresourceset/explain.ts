// The public interface of the ClusterResourceSet reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import { concludeResourceSet, whyOfResourceSet } from './plan-reasons.ts';
import { clusterResourceSetReconciler } from './reconciler.ts';
import { remediesOfResourceSet, waitOfResourceSet } from './why/resource-set-wait.ts';

export const face = toFace({
  reconciler: clusterResourceSetReconciler,
  asReported: { workloadApi: workloadApiAsReported },
  whyOf: whyOfResourceSet,
  conclude: concludeResourceSet,
  waitOf: waitOfResourceSet,
  remediesOf: remediesOfResourceSet,
});
