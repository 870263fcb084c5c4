// Makes the Machine the controller of its bootstrap config and its infrastructure machine. The phases use only objects
// that have this owner reference.
import { groupOf, type OwnerReference } from '@capi-serverless/apimachinery';
import { patchProblem } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, clusterGroup, isDefined } from '../../../shared/api/cluster/reader.ts';
import { isControlPlane, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { External } from '../../../shared/external/external.ts';
import { type PlannedOwner, planObjectOwner } from '../../../shared/external/object-owner.ts';

/** The two kinds of objects that a Machine references. */
export type MachineExternalRole = 'bootstrap' | 'infrastructure';

export type PlannedMachineOwnership = PlannedOwner<MachineExternalRole>;

interface OwningMachine {
  readonly machine: WholeMachine;
  readonly cluster: Cluster | undefined;
}

export function planOwnership(
  role: MachineExternalRole,
  external: External,
  owning: OwningMachine,
): PlannedMachineOwnership {
  const { machine } = owning;
  return planObjectOwner(role, external, {
    owner: toOwner(machine),
    clusterName: machine.spec.clusterName,
    isTemporary: reference => isTemporary(reference, owning),
    patchProblem,
  });
}

function toOwner({ metadata: { name, uid } }: WholeMachine): OwnerReference {
  return { apiVersion: clusterApiVersion, kind: 'Machine', name, uid, controller: true, blockOwnerDeletion: true };
}

/** Providers of Machines own the objects that they create before the Machine exists. */
function isTemporary({ apiVersion, kind }: OwnerReference, { machine, cluster }: OwningMachine): boolean {
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
