// How the phases read and report outcomes.
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import type { Outcomes } from '@capi-serverless/reconciler';

/** Before any write. */
export const noOutcomes: Outcomes = new Map();

/** The error of a refused patch of the object's metadata or spec, worded as upstream, up to the API server's answer. */
export function patchProblem(object: Unstructured): string {
  return `failed to patch ${object.kind} ${toDisplayName(object.metadata)}: failed to patch spec and metadata`;
}
