// Makes the Machine the controller of its bootstrap config and its infrastructure machine. The phases use only objects
// that have this owner reference.
import { groupOf, type OwnerReference, toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { decideOwnership } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type NeededWrite, type Outcomes } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, clusterGroup, isDefined } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { type External, failureFieldsError, type Scoped } from '../../../shared/external/external.ts';
import { isControlPlane } from './machine-gate.ts';

/** The two kinds of objects that a Machine references. */
export type MachineObjectRole = 'bootstrap' | 'infrastructure';

export interface ObjectOwnerPlan {
  /** The object as if the owner reference were written. */
  readonly scoped: Scoped;
  /** The reason why the object is `unknown`. */
  readonly error: string;
  /** The write of the owner reference, if it is necessary and allowed. */
  readonly actions: readonly Action[];
  /** The write on which all results of the object depend. */
  readonly needs: readonly NeededWrite[];
}

export function ownActionId(role: MachineObjectRole): string {
  return `own:${role}`;
}

/** Returns the error of a refused patch. The text before the API server's answer is upstream's. */
export function patchProblem({ kind, metadata }: Unstructured): string {
  return `failed to patch ${kind} ${toDisplayName(metadata)}`;
}

interface Owning {
  readonly machine: WholeMachine;
  readonly cluster: Cluster | undefined;
}

export function planOwnership(role: MachineObjectRole, external: External, owning: Owning): ObjectOwnerPlan {
  const plan = { error: '', actions: [], needs: [] };
  switch (external.state) {
    case 'undefined':
    case 'missing':
      return { ...plan, scoped: external };
    case 'unreadable':
      return { ...plan, scoped: { state: 'unknown', ref: external.ref }, error: external.error };
    case 'found':
      return planFound(role, external, owning);
  }
}

/** Returns the object after the outcome of the owner reference write. */
export function scopedAfter(role: MachineObjectRole, scoped: Scoped, outcomes: Outcomes): Scoped {
  return scoped.state === 'inScope' && failureOf(outcomes, ownActionId(role)) !== undefined
    ? { state: 'unknown', ref: scoped.ref }
    : scoped;
}

function planFound(
  role: MachineObjectRole,
  external: Extract<External, { state: 'found' }>,
  { machine, cluster }: Owning,
): ObjectOwnerPlan {
  const { ref, object } = external;
  const ownership = decideOwnership(object, {
    owner: toOwner(machine),
    clusterName: machine.spec.clusterName,
    isTemporary: reference => isTemporary(reference, { machine, cluster }),
  });
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

function toOwner({ metadata: { name, uid } }: WholeMachine): OwnerReference {
  return { apiVersion: clusterApiVersion, kind: 'Machine', name, uid, controller: true, blockOwnerDeletion: true };
}

/** Providers of Machines own the objects that they create before the Machine exists. */
function isTemporary({ apiVersion, kind }: OwnerReference, { machine, cluster }: Owning): boolean {
  if (kind === 'MachineSet' && groupOf(apiVersion) === clusterGroup) {
    return true;
  }
  const controlPlane = cluster?.spec.controlPlaneRef;
  return (
    controlPlane !== undefined &&
    isControlPlane(machine) &&
    isDefined(controlPlane) &&
    controlPlane.kind === kind &&
    controlPlane.apiGroup === groupOf(apiVersion)
  );
}
