// Removes the reservation when its names are in use, or when no Machine is missing any more.
import { toRef } from '@capi-serverless/apimachinery';
import { type Action, concluded } from '@capi-serverless/reconciler';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import type { MachineSetPhase } from '../pass-progress.ts';
import type { CreationContext } from './creation-problem.ts';
import { reservedMachinesAnnotation, reservedNamesOf, versionAfter } from './machine-names.ts';

export const releaseId = 'release';

export const releaseProblem: CreationContext = {
  reason: 'MachineCreationFailed',
  context: '',
  text: 'failed to release the reserved names of Machines',
};

/** `writers` are the earlier actions of the pass that write the MachineSet. */
export function releaseAction({ object, metadata }: WholeMachineSet, writers: readonly string[]): Action {
  return {
    id: releaseId,
    onError: 'continue',
    do: 'patch',
    ref: toRef(object),
    body: { metadata: { annotations: { [reservedMachinesAnnotation]: null } } },
    resourceVersion: outcomes => versionAfter(metadata.resourceVersion, writers, outcomes),
  };
}

/** For a pass that creates no Machine. */
export function releasePhase(machineSet: WholeMachineSet, writers: readonly string[]): MachineSetPhase {
  if (reservedNamesOf(machineSet).length === 0) {
    return concluded();
  }
  const needs = [{ id: releaseId, problem: `failed to sync replicas: ${releaseProblem.text}` }];
  return {
    actions: [releaseAction(machineSet, writers)],
    steps: [{ change: { again: true }, needs }],
  };
}
