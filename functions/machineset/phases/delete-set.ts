// The deletion of a MachineSet: its Machines are deleted, and the finalizer is removed when none is left.
import { toDisplayName, toRef } from '@capi-serverless/apimachinery';
import { patchFinalizers } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { errorsOf, type MachineSetPhase, noPhase } from './phase.ts';
import { setFinalizer } from './set-gate.ts';

export const removeFinalizerId = 'finalizer:remove';

/** Infrastructure machines and bootstrap configs follow their Machine. Errors of templates do not stop the deletion. */
export function deletionPhase(machineSet: WholeMachineSet, machines: readonly WholeMachine[]): MachineSetPhase {
  return machines.length === 0 ? lastPhase(machineSet) : deleteMachines(machines);
}

function deleteMachines(machines: readonly WholeMachine[]): MachineSetPhase {
  const living = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
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
      when: outcomes => errorsOf(outcomes, needs.slice(0, at)).length === 0,
    })),
    conclude: outcomes => ({ errors: errorsOf(outcomes, needs) }),
  };
}

/** Clients that watch the MachineSet see its last state before it disappears. */
function lastPhase({ object, metadata }: WholeMachineSet): MachineSetPhase {
  const others = metadata.finalizers.filter(finalizer => finalizer !== setFinalizer);
  const needs = [{ id: removeFinalizerId, problem: `failed to patch MachineSet ${toDisplayName(metadata)}` }];
  return others.length === metadata.finalizers.length
    ? noPhase
    : {
        actions: [{ ...patchFinalizers(removeFinalizerId, object, others), afterStatus: true }],
        conclude: outcomes => ({ errors: errorsOf(outcomes, needs) }),
      };
}
