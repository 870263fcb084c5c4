// The public interface of the MachineHealthCheck reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import { concludeHealthCheck, whyOfHealthCheck } from './plan-reasons.ts';
import { machineHealthCheckReconciler } from './reconciler.ts';
import { describeHealthCheck, waitOfHealthCheck } from './why/describe-health-check.ts';

export const face = toFace({
  reconciler: machineHealthCheckReconciler,
  asReported: { workloadApi: workloadApiAsReported },
  whyOf: whyOfHealthCheck,
  conclude: concludeHealthCheck,
  waitOf: waitOfHealthCheck,
  describe: describeHealthCheck,
});
