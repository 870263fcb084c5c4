// The deletion of a MachineSet: its Machines are deleted, and the finalizer is removed when none is left.

import { toDisplayName, toRef } from '@capi-serverless/apimachinery';
import {
  haveSucceeded,
  isDeleting,
  patchProblem,
  removeFinalizer,
  removeFinalizerId,
} from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { setFinalizer } from './gate.ts';
import type { MachineSetPhase } from './pass-progress.ts';

/** Infrastructure machines and bootstrap configs follow their Machine. Errors of templates do not stop the deletion. */
export function deletionPhase(machineSet: WholeMachineSet, machines: readonly WholeMachine[]): MachineSetPhase {
  return machines.length === 0 ? lastPhase(machineSet) : deleteMachines(machines);
}

function deleteMachines(machines: readonly WholeMachine[]): MachineSetPhase {
  const living = machines.filter(machine => !isDeleting(machine));
  const idOf = ({ metadata }: WholeMachine) => `delete:${metadata.name}`;
  const needs = living.map(machine => ({
    id: idOf(machine),
    problem: `failed to reconcile delete: failed to delete Machine ${toDisplayName(machine.metadata)}`,
  }));
  return {
    actions: living.map((machine, at) => ({
      id: idOf(machine),
      onError: 'continue',
      do: 'delete',
      ref: toRef(machine.object),
      uid: machine.metadata.uid,
      when: outcomes => haveSucceeded(needs.slice(0, at), outcomes),
    })),
    steps: [{ change: {}, needs }],
  };
}

function lastPhase({ object }: WholeMachineSet): MachineSetPhase {
  return {
    actions: removeFinalizer(object, setFinalizer),
    steps: [{ change: {}, needs: [{ id: removeFinalizerId, problem: patchProblem(object) }] }],
  };
}
