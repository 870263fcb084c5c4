// The public interface of the Cluster reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { whyOfCluster } from './plan-reasons.ts';
import { clusterReconciler } from './reconciler.ts';
import { describeCluster } from './why/describe.ts';
import { waitOf } from './why/wait.ts';
import { workloadAsReported } from './workload-as-reported.ts';

export const face = toFace({
  reconciler: clusterReconciler,
  asReported: { workload: workloadAsReported },
  whyOf: whyOfCluster,
  waitOf,
  describe: describeCluster,
  isDefault: true,
});
