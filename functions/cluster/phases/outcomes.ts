// Reads and reports the outcomes of writes.
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import type { Outcomes } from '@capi-serverless/reconciler';

/** The outcomes before any write. */
export const noOutcomes: Outcomes = new Map();

/** Returns the error of a refused patch. The text before the API server's answer is upstream's. */
export function patchProblem(object: Unstructured): string {
  return `failed to patch ${object.kind} ${toDisplayName(object.metadata)}: failed to patch spec and metadata`;
}
