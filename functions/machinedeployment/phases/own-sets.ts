// What MachineSets need before they are planned: the owner reference, managed fields, and the label of the deployment.
import { type OwnerReference, quote, toRef } from '@capi-serverless/apimachinery';
import { placeOwner } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { repairManagedFields } from '../../../shared/server-side-apply/managed-fields.ts';
import { setManager } from '../plan/sets/desired-set.ts';

export function adoptId(set: string): string {
  return `adopt:${set}`;
}

function repairId(set: string): string {
  return `repair:${set}`;
}

function labelId(set: string): string {
  return `label:${set}`;
}

function controllerReference({ metadata }: WholeMachineDeployment): OwnerReference {
  const { name, uid } = metadata;
  const owner = { apiVersion: clusterApiVersion, kind: 'MachineDeployment', name, uid };
  return { ...owner, controller: true, blockOwnerDeletion: true };
}

/** A failed adoption ends nothing: the MachineSet does not belong to the deployment in this pass. */
export function adoptActions(
  deployment: WholeMachineDeployment,
  orphans: readonly WholeMachineSet[],
): readonly Action[] {
  return orphans.map(({ object, metadata }) => ({
    id: adoptId(metadata.name),
    onError: 'continue',
    do: 'patch',
    ref: toRef(object),
    body: {
      metadata: { ownerReferences: placeOwner(metadata.ownerReferences ?? [], controllerReference(deployment)) },
    },
    resourceVersion: metadata.resourceVersion,
    toEvent: () => ({
      type: 'Normal',
      reason: 'SuccessfulAdopt',
      message: `Adopted MachineSet ${quote(metadata.name)}`,
    }),
  }));
}

/** After an adoption, another pass plans with the adopted MachineSets. */
export function hasAdopted(orphans: readonly WholeMachineSet[], outcomes: Outcomes): boolean {
  return orphans.some(({ metadata }) => outcomes.get(adoptId(metadata.name))?.state === 'done');
}

export function repairActions(sets: readonly WholeMachineSet[]): readonly Action[] {
  return sets.flatMap(({ object, metadata }): readonly Action[] => {
    const repair = repairManagedFields(object, setManager);
    return repair === undefined ? [] : [{ id: repairId(metadata.name), onError: 'stop', do: 'patch', ...repair }];
  });
}

export function labelActions(
  { metadata: { name } }: WholeMachineDeployment,
  sets: readonly WholeMachineSet[],
): readonly Action[] {
  return sets
    .filter(({ metadata }) => metadata.labels[deploymentNameLabel] !== name)
    .map(({ object, metadata }) => ({
      id: labelId(metadata.name),
      onError: 'stop',
      do: 'patch',
      ref: toRef(object),
      body: { metadata: { labels: { [deploymentNameLabel]: name } } },
    }));
}

/** Returns the errors of these writes, as far as they end the pass. */
export function repairProblems(sets: readonly WholeMachineSet[], outcomes: Outcomes): readonly string[] {
  return sets.flatMap(({ metadata: { name } }) => {
    const repair = failureOf(outcomes, repairId(name));
    const label = failureOf(outcomes, labelId(name));
    return [
      ...(repair === undefined ? [] : [repair.message]),
      ...(label === undefined
        ? []
        : [`failed to apply ${deploymentNameLabel} label to MachineSet ${quote(name)}: ${label.message}`]),
    ];
  });
}
