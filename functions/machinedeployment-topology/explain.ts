// The public interface of the cleanup reconciler for MachineDeployments of managed topologies.
import { toFace } from '../../shared/explain/face.ts';
import { whyOfCleanup } from '../../shared/template-cleanup/plan-reasons.ts';
import { machineDeploymentTopologyReconciler } from './reconciler.ts';

export const face = toFace({
  reconciler: machineDeploymentTopologyReconciler,
  asReported: {},
  whyOf: whyOfCleanup,
  waitOf: () => undefined,
});
