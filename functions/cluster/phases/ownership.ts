// Sets owner reference and labels on the infrastructure and control plane objects. The phases use only objects with
// both.

import { toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { decideOwnership, readFailureMessage, readFailureReason } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { External } from '../seen.ts';
import { patchProblem } from './outcomes.ts';
import type { ExternalRole, Scoped } from './scope.ts';
import type { NeededWrite } from './step.ts';

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
  const owner = { name: metadata.name, uid: metadata.uid, hasTopology: spec.topology.isDefined };
  const ownership = decideOwnership(object, owner);
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

function failureFieldsError(object: Unstructured): string | undefined {
  const fields = { failureReason: readFailureReason(object), failureMessage: readFailureMessage(object) };
  for (const [field, found] of Object.entries(fields)) {
    if (found.state === 'wrongType') {
      return `failed to determine ${field} on ${describeKind(object)} "${object.metadata.name}": ${found.error}`;
    }
  }
  return undefined;
}

/** The name of a kind in upstream's messages. */
export function describeKind({ apiVersion, kind }: Unstructured): string {
  return `${apiVersion}, Kind=${kind}`;
}
