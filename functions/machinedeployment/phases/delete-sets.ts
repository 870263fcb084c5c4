// The deletion of MachineSets: the empty ones after a rollout, and all of them with the deployment.
import { quote, toDisplayName, toRef, valueAt } from '@capi-serverless/apimachinery';
import { type Action, type EventDraft, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { PlannedSets } from '../plan/plan-sets.ts';
import type { ObservedDeployment } from '../seen.ts';
import { isNeeded } from './write-sets.ts';

function deleteId(set: string): string {
  return `delete:${set}`;
}

export interface CleanUp {
  /** The empty old MachineSets that this pass deletes. The oldest is first. */
  readonly sets: readonly WholeMachineSet[];
  /** Whether another pass deletes more. This pass writes what the deletion depends on. */
  readonly continues: boolean;
}

const noCleanUp: CleanUp = { sets: [], continues: false };

/** After the rollout is complete, all empty old MachineSets are deleted. There is no history. */
export function planCleanUp({ deployment }: ObservedDeployment, { sets, writes }: PlannedSets): CleanUp {
  const all = [sets.current, ...sets.old].flatMap(each => (each === undefined ? [] : [each.set]));
  if (deployment.spec.paused || !isComplete(all, sets.limits.replicas)) {
    return noCleanUp;
  }
  const empty = sets.old.filter(({ set, counts }) => counts.status === 0 && isEmpty(set)).map(({ set }) => set);
  const written = new Set(writes.filter(isNeeded).map(({ name }) => name));
  const isReported = deployment.status.observedGeneration >= deployment.metadata.generation;
  const now = isReported ? empty.filter(({ metadata }) => !written.has(metadata.name)) : [];
  return { sets: now, continues: now.length < empty.length };
}

function isComplete(sets: readonly WholeMachineSet[], replicas: number): boolean {
  const sumOf = (countOf: (set: WholeMachineSet) => number | undefined): number =>
    sets.reduce((sum, set) => sum + (countOf(set) ?? 0), 0);
  return (
    sumOf(({ status }) => status.replicas) === replicas &&
    sumOf(({ status }) => status.availableReplicas) === replicas &&
    sumOf(({ status }) => status.upToDateReplicas) === replicas
  );
}

function isEmpty({ object, metadata, spec }: WholeMachineSet): boolean {
  const observed = Number(valueAt(object, 'status.observedGeneration'));
  return metadata.deletionTimestamp === undefined && spec.replicas === 0 && metadata.generation <= observed;
}

/** The MachineSet is deleted only as it was read: a later write may have given it Machines. */
export function cleanUpActions(sets: readonly WholeMachineSet[]): readonly Action[] {
  return sets.map(({ object, metadata }) => ({
    id: deleteId(metadata.name),
    onError: 'stop',
    do: 'delete',
    ref: toRef(object),
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    toEvent: () => ({
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted MachineSet ${quote(metadata.name)}`,
    }),
  }));
}

/** All MachineSets go with the deployment, whatever they became since they were read. */
export function deletionActions(sets: readonly WholeMachineSet[]): readonly Action[] {
  return sets
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ object, metadata }) => ({
      id: deleteId(metadata.name),
      onError: 'stop',
      do: 'delete',
      ref: toRef(object),
      uid: metadata.uid,
    }));
}

export interface DeleteProblem {
  readonly error: string;
  readonly events: readonly EventDraft[];
}

/** Returns the failed deletion. No later one is sent. */
export function deleteProblem(
  sets: readonly WholeMachineSet[],
  why: 'cleanup of old MachineSets' | 'MachineDeployment deleting',
  outcomes: Outcomes,
): DeleteProblem | undefined {
  for (const { metadata } of sets) {
    const failure = failureOf(outcomes, deleteId(metadata.name));
    if (failure !== undefined) {
      const message = `Failed to delete MachineSet ${quote(metadata.name)}: ${failure.message}`;
      const event: EventDraft = { type: 'Warning', reason: 'FailedDelete', message };
      return {
        error: `failed to delete MachineSet ${toDisplayName(metadata)} (${why}): ${failure.message}`,
        events: why === 'cleanup of old MachineSets' ? [event] : [],
      };
    }
  }
  return undefined;
}
