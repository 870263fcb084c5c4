// The bootstrap config and the infrastructure of a MachinePool. The MachinePool is their controller.
import { type OwnerReference, pluralOf, toDisplayName } from '@capi-serverless/apimachinery';
import { patchProblem } from '@capi-serverless/reconciler';
import { type ContractReference, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import type { External } from '../../../shared/external/external.ts';
import { type PlannedOwner, planObjectOwner } from '../../../shared/external/object-owner.ts';

export type PoolExternalRole = 'bootstrap' | 'infrastructure';

type PlannedPoolOwnership = PlannedOwner<PoolExternalRole>;

/** Observe plans them, because they determine what is read next. */
export interface PoolExternals {
  readonly bootstrap: PlannedPoolOwnership;
  readonly infrastructure: PlannedPoolOwnership;
}

export function planExternals(
  pool: WholeMachinePool,
  read: Readonly<Record<PoolExternalRole, External>>,
): PoolExternals {
  return {
    bootstrap: planOwnership('bootstrap', read.bootstrap, pool),
    infrastructure: planOwnership('infrastructure', read.infrastructure, pool),
  };
}

function planOwnership(role: PoolExternalRole, external: External, pool: WholeMachinePool): PlannedPoolOwnership {
  return planObjectOwner(role, external, {
    owner: poolOwner(pool),
    clusterName: pool.spec.clusterName,
    patchProblem: object => `${phaseProblems[role]}: ${patchProblem(object)}`,
  });
}

/** The prefixes of the errors of the two phases. */
export const phaseProblems: Readonly<Record<PoolExternalRole, string>> = {
  bootstrap: 'failed to reconcile bootstrap config',
  infrastructure: 'failed to reconcile infrastructure',
};

/** The controller reference of everything that belongs to the pool. */
export function poolOwner({ metadata: { name, uid } }: WholeMachinePool): OwnerReference {
  return { apiVersion: clusterApiVersion, kind: 'MachinePool', name, uid, controller: true, blockOwnerDeletion: true };
}

/** The error of a reference to an object that does not exist. */
export function missingError({ apiGroup, kind, name }: ContractReference, { metadata }: WholeMachinePool): string {
  const { namespace } = metadata;
  const object = `${kind} ${toDisplayName({ namespace, name })}`;
  const cause = `failed to retrieve ${object}: ${pluralOf(kind)}.${apiGroup} "${name}" not found`;
  return `could not find ${object} for MachinePool ${toDisplayName(metadata)}, requeuing: ${cause}`;
}

/** The name of the MachinePool in the messages of its providers' errors. */
export function namedPool({ metadata: { name, namespace } }: WholeMachinePool): string {
  return `MachinePool "${name}" in namespace "${namespace}"`;
}
