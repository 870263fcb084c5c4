// The public interface of the ClusterResourceSetBinding reconciler for CLI commands.
import { toFace } from '../../shared/explain/face.ts';
import { whyOfBinding } from './plan-reasons.ts';
import { createBindingReconciler } from './reconciler.ts';

export const face = toFace({
  reconciler: createBindingReconciler(true),
  asReported: {},
  whyOf: whyOfBinding,
  waitOf: () => undefined,
});
