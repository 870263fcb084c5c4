// The error of a write to the Cluster or to an object that it references.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { patchProblem } from '@capi-serverless/reconciler';

/** The text before the API server's answer is upstream's. */
export function specPatchProblem(object: Unstructured): string {
  return `${patchProblem(object)}: failed to patch spec and metadata`;
}
