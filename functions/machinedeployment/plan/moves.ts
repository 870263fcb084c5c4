// The Machines of the deployment that move between MachineSets, or that are updated in place.
import { groupOf } from '@capi-serverless/apimachinery';
import { clusterGroup } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import {
  acknowledgedMoveAnnotation,
  pendingAcknowledgeMoveAnnotation,
  receiveMachinesAnnotation,
  updateInProgressAnnotation,
} from '../../../shared/machine-collections/keys.ts';
import { updateMachine } from '../../../shared/runtime-hooks/rules/catalog.ts';
import { isPending } from '../../../shared/runtime-hooks/rules/pending-hooks.ts';

/** The names of the Machines that another MachineSet handed over to this one. */
export function pendingMoves(set: string, machines: readonly WholeMachine[]): readonly string[] {
  return machines.filter(machine => pendingMoveAnnotationIn(machine) && isOf(set, machine)).map(nameOf);
}

function pendingMoveAnnotationIn({ metadata }: WholeMachine): boolean {
  return pendingAcknowledgeMoveAnnotation in metadata.annotations;
}

function isOf(set: string, { metadata: { ownerReferences = [] } }: WholeMachine): boolean {
  return ownerReferences.some(
    ({ apiVersion, kind, name, controller }) =>
      controller === true && kind === 'MachineSet' && name === set && groupOf(apiVersion) === clusterGroup,
  );
}

function nameOf({ metadata }: WholeMachine): string {
  return metadata.name;
}

/** The Machines that the replicas of the MachineSet already include. */
export function acknowledgedBy({ metadata }: WholeMachineSet): readonly string[] {
  return namesIn(metadata.annotations[acknowledgedMoveAnnotation]);
}

/** The MachineSets that hand Machines over to this one. */
export function receivesFrom({ metadata }: WholeMachineSet): readonly string[] {
  return namesIn(metadata.annotations[receiveMachinesAnnotation]);
}

function namesIn(list = ''): readonly string[] {
  return list.split(',').filter(name => name !== '');
}

export function isAnyUpdating(machines: readonly WholeMachine[]): boolean {
  return machines.some(
    ({ metadata: { annotations } }) =>
      updateInProgressAnnotation in annotations || isPending(annotations, updateMachine),
  );
}
