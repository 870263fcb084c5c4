// The public interface of the ClusterClass reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { discoveryAsReported } from './discovery-as-reported.ts';
import { whyOfClusterClass } from './plan-reasons.ts';
import { createClusterClassReconciler } from './reconciler.ts';
import { describeClass, waitOfClass } from './why.ts';

export const face = toFace({
  reconciler: createClusterClassReconciler({ callsExtensions: true }),
  asReported: { hooks: discoveryAsReported },
  whyOf: whyOfClusterClass,
  waitOf: waitOfClass,
  describe: describeClass,
});
