// The adoption of Machines that the selector matches and that have no controller.
import { type OwnerReference, quote, toRef } from '@capi-serverless/apimachinery';
import { placeOwner } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { MachineSetChange, MachineSetPhase } from './pass-progress.ts';

export function controllerReference({ metadata: { name, uid } }: Pick<WholeMachineSet, 'metadata'>): OwnerReference {
  const owner = { apiVersion: clusterApiVersion, kind: 'MachineSet', name, uid };
  return { ...owner, controller: true, blockOwnerDeletion: true };
}

export interface AdoptionPhase extends MachineSetPhase {
  /** After an adoption, the members of this pass are not all. Another pass follows. */
  readonly hasAdopted: (outcomes: Outcomes) => boolean;
}

/** A failed adoption ends nothing: the Machine does not belong to the MachineSet in this pass. */
export function adoptionPhase(machineSet: WholeMachineSet, adoptable: readonly WholeMachine[]): AdoptionPhase {
  const hasAdopted = (outcomes: Outcomes): boolean =>
    adoptable.some(({ metadata }) => outcomes.get(adoptId(metadata.name))?.state === 'done');
  return {
    actions: adoptable.map(machine => toAdoption(machine, machineSet)),
    hasAdopted,
    steps: [
      {
        change: (outcomes): MachineSetChange => ({
          events: adoptable.flatMap(({ metadata: { name } }) => {
            const failure = failureOf(outcomes, adoptId(name));
            const message = `Failed to adopt Machine ${quote(name)}: ${failure?.message}`;
            return failure === undefined ? [] : [{ type: 'Warning', reason: 'FailedAdopt', message }];
          }),
          ...(hasAdopted(outcomes) ? { again: true } : {}),
        }),
      },
    ],
  };
}

function adoptId(machine: string): string {
  return `adopt:${machine}`;
}

function toAdoption({ object, metadata }: WholeMachine, machineSet: WholeMachineSet): Action {
  const ownerReferences = placeOwner(metadata.ownerReferences ?? [], controllerReference(machineSet));
  return {
    id: adoptId(metadata.name),
    onError: 'continue',
    do: 'patch',
    ref: toRef(object),
    body: { metadata: { ownerReferences } },
    resourceVersion: metadata.resourceVersion,
    toEvent: () => ({
      type: 'Normal',
      reason: 'SuccessfulAdopt',
      message: `Adopted Machine ${quote(metadata.name)}`,
    }),
  };
}
