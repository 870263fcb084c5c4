// The public interface of the MachinePool reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import { concludePool, whyOfPool } from './plan-reasons.ts';
import { machinePoolReconciler } from './reconciler.ts';
import { remediesOfPool, waitOfPool } from './why/describe-pool.ts';

export const face = toFace({
  reconciler: machinePoolReconciler,
  asReported: { workloadApi: workloadApiAsReported },
  whyOf: whyOfPool,
  conclude: concludePool,
  waitOf: waitOfPool,
  remediesOf: remediesOfPool,
});
