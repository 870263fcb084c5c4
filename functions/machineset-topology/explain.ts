// The public interface of the cleanup reconciler for MachineSets of managed topologies.
import { toFace } from '../../shared/explain/face.ts';
import { whyOfCleanup } from '../../shared/template-cleanup/plan-reasons.ts';
import { machineSetTopologyReconciler } from './reconciler.ts';

export const face = toFace({
  reconciler: machineSetTopologyReconciler,
  asReported: {},
  whyOf: whyOfCleanup,
  waitOf: () => undefined,
});
