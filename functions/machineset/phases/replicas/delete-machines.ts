// Deletes surplus Machines.
import { toRef } from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { MachineSetPhase } from '../pass-progress.ts';

export function deleteMachinesPhase(machines: readonly WholeMachine[]): MachineSetPhase {
  const idOf = ({ metadata }: WholeMachine) => `scaledown:${metadata.name}`;
  const needs = machines.map(machine => ({ id: idOf(machine), problem: 'failed to sync replicas' }));
  return {
    actions: machines.map(machine => {
      const { name, uid } = machine.metadata;
      return {
        id: idOf(machine),
        onError: 'continue',
        do: 'delete',
        ref: toRef(machine.object),
        uid,
        toEvent: () => ({ type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted Machine "${name}"` }),
      };
    }),
    steps: [{ change: {}, needs }],
  };
}
