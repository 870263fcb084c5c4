// Sets owner reference and labels on the infrastructure and control plane objects. The phases use only objects with
// both.

import { toRef } from '@capi-serverless/apimachinery';
import { clusterOwner, decideOwnership } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type NeededWrite, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { type External, failureFieldsError, type Scoped } from '../../../shared/external/external.ts';
import { patchProblem } from './outcomes.ts';
import type { ExternalRole } from './scope.ts';

export interface OwnershipPlan {
  readonly role: ExternalRole;
  /** The object as if the owner reference were written. */
  readonly scoped: Scoped;
  /** The reason why the object is `unknown`. */
  readonly error: string;
  /** The write of the owner reference, if it is necessary and allowed. */
  readonly actions: readonly Action[];
  /** The facts that the phases need about the object. */
  readonly needs: readonly NeededWrite[];
}

export function ownActionId(role: ExternalRole): string {
  return `own:${role}`;
}

/** The phases use an object if it has the owner reference of this Cluster and its failure fields are readable. */
export function planOwnership(role: ExternalRole, external: External, cluster: Cluster): OwnershipPlan {
  const plan = { role, error: '', actions: [], needs: [] };
  switch (external.state) {
    case 'undefined':
    case 'missing':
      return { ...plan, scoped: external };
    case 'unreadable':
      return { ...plan, scoped: { state: 'unknown', ref: external.ref }, error: external.error };
    case 'found':
      return planFound(role, external, cluster);
  }
}

/** Returns the object after the outcome of the owner reference write. */
export function scopedAfter({ role, scoped }: OwnershipPlan, outcomes: Outcomes): Scoped {
  return scoped.state === 'inScope' && failureOf(outcomes, ownActionId(role)) !== undefined
    ? { state: 'unknown', ref: scoped.ref }
    : scoped;
}

function planFound(
  role: ExternalRole,
  external: Extract<External, { state: 'found' }>,
  cluster: Cluster,
): OwnershipPlan {
  const { ref, object } = external;
  const { metadata, spec } = cluster;
  const { name, uid } = metadata;
  const owner = clusterOwner({ name, uid, hasTopology: spec.topology.isDefined });
  const ownership = decideOwnership(object, { owner, clusterName: name });
  const id = ownActionId(role);
  const error = ownership.state === 'refused' ? ownership.error : failureFieldsError(object);
  return {
    role,
    scoped: error === undefined ? { ...external, state: 'inScope' } : { state: 'unknown', ref },
    error: error ?? '',
    actions:
      ownership.state === 'change'
        ? [
            {
              id,
              onError: 'continue',
              do: 'patch',
              ref: toRef(object),
              body: ownership.patch,
              resourceVersion: object.metadata.resourceVersion,
            },
          ]
        : [],
    needs: [{ id, problem: patchProblem(object) }],
  };
}
