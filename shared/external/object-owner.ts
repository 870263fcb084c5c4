// Plans the owner reference of a referenced object. The phases of a pass use only objects that have it. Pure.
import { toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { decideOwnership, type Owning } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type NeededWrite, type Outcomes } from '@capi-serverless/reconciler';
import { type External, failureFieldsError, type Scoped } from './external.ts';

/** The referenced objects of a Cluster (infrastructure, control plane) and of a Machine (infrastructure, bootstrap). */
export type ReferencedRole = 'infrastructure' | 'controlPlane' | 'bootstrap';

export interface PlannedOwner<Role extends ReferencedRole = ReferencedRole> {
  readonly role: Role;
  /** The object as if the owner reference were written. */
  readonly scoped: Scoped;
  /** The reason why the object is `unknown`. */
  readonly error: string;
  /** The write of the owner reference, if it is necessary and allowed. */
  readonly actions: readonly Action[];
  /** The write on which all results of the object depend. */
  readonly needs: readonly NeededWrite[];
}

export interface ObjectOwnerRules extends Owning {
  /** The error of a refused patch. */
  readonly patchProblem: (object: Unstructured) => string;
}

export function ownActionId(role: ReferencedRole): string {
  return `own:${role}`;
}

/** The object is in scope if it has the owner reference, or can get it, and if its failure fields are readable. */
export function planObjectOwner<Role extends ReferencedRole>(
  role: Role,
  external: External,
  rules: ObjectOwnerRules,
): PlannedOwner<Role> {
  const plan = { role, error: '', actions: [], needs: [] };
  switch (external.state) {
    case 'undefined':
    case 'missing':
      return { ...plan, scoped: external };
    case 'unreadable':
      return { ...plan, scoped: { state: 'unknown', ref: external.ref }, error: external.error };
    case 'found':
      return { role, ...planFound(role, external, rules) };
  }
}

/** Returns the object after the outcome of the owner reference write. */
export function scopedAfter({ role, scoped }: PlannedOwner, outcomes: Outcomes): Scoped {
  return scoped.state === 'inScope' && failureOf(outcomes, ownActionId(role)) !== undefined
    ? { state: 'unknown', ref: scoped.ref }
    : scoped;
}

function planFound(
  role: ReferencedRole,
  external: Extract<External, { state: 'found' }>,
  { patchProblem, ...owning }: ObjectOwnerRules,
): Omit<PlannedOwner, 'role'> {
  const { ref, object } = external;
  const ownership = decideOwnership(object, owning);
  const id = ownActionId(role);
  const error = ownership.state === 'refused' ? ownership.error : failureFieldsError(object);
  return {
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
