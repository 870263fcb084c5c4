// Sets owner reference and labels on the infrastructure and control plane objects. The phases use only objects with
// both.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { clusterOwner } from '@capi-serverless/cluster-api/contract';
import { patchProblem } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { External } from '../../../shared/external/external.ts';
import { type PlannedOwner, planObjectOwner } from '../../../shared/external/object-owner.ts';

/** The two kinds of objects that a Cluster references. */
export type ExternalRole = 'infrastructure' | 'controlPlane';

export type PlannedOwnership = PlannedOwner<ExternalRole>;

export function planOwnership(role: ExternalRole, external: External, cluster: Cluster): PlannedOwnership {
  const { metadata, spec } = cluster;
  const { name, uid } = metadata;
  const owner = clusterOwner({ name, uid, hasTopology: spec.topology.isDefined });
  return planObjectOwner(role, external, { owner, clusterName: name, patchProblem: specPatchProblem });
}

/** The text before the API server's answer is upstream's. */
export function specPatchProblem(object: Unstructured): string {
  return `${patchProblem(object)}: failed to patch spec and metadata`;
}
