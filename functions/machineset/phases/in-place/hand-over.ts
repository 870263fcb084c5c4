// Hands Machines over to the MachineSet that updates them in place.
import { type OwnerReference, toDisplayName, toRef } from '@capi-serverless/apimachinery';
import { type Action, concluded, type EventDraft } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import {
  moveMachinesAnnotation,
  pendingAcknowledgeMoveAnnotation,
  receiveMachinesAnnotation,
  templateHashLabel,
  updateInProgressAnnotation,
} from '../../../../shared/machine-collections/keys.ts';
import type { TargetRead } from '../../seen.ts';
import type { MachineSetPhase } from '../pass-progress.ts';

export interface HandOverFacts {
  readonly machineSet: WholeMachineSet;
  readonly target: TargetRead;
  /** Unhealthy Machines, which are deleted instead. */
  readonly deleted: readonly WholeMachine[];
  readonly moved: readonly WholeMachine[];
  /** The names of the Machines that an earlier phase of this pass writes. They move in the next pass. */
  readonly written: ReadonlySet<string>;
}

const prefix = 'failed to sync replicas';

export function handOverPhase(facts: HandOverFacts): MachineSetPhase {
  const { machineSet, target } = facts;
  const name = machineSet.metadata.annotations[moveMachinesAnnotation] ?? '';
  if (target.state === 'failed') {
    const problem = `failed to get MachineSet ${name}, which is the target for the move operation`;
    return concluded({ errors: [`${prefix}: ${problem}: ${target.problem}`] });
  }
  const accepted = target.target.metadata.annotations[receiveMachinesAnnotation] ?? '';
  if (!accepted.split(',').includes(machineSet.metadata.name)) {
    const problem = `MachineSet ${machineSet.metadata.name} is set to move replicas to ${name}, but ${name} only accepts Machines from ${accepted}`;
    return concluded({ errors: [`${prefix}: ${problem}`] });
  }
  return handOver(facts, target.target);
}

function handOver({ machineSet, deleted, moved, written }: HandOverFacts, target: WholeMachineSet): MachineSetPhase {
  const place = toDisplayName(target.metadata);
  const hash = target.metadata.labels[templateHashLabel];
  const ready = moved.filter(({ metadata }) => !written.has(metadata.name));
  const moves = hash === undefined ? [] : ready.map(machine => toMove(machine, machineSet, { target, hash }));
  const needs = [
    ...deleted.map(machine => ({
      id: idOf(machine),
      problem: `${prefix}: failed to delete Machine ${toDisplayName(machine.metadata)} (tried to delete the Machine instead of moving it to MachineSet ${place} because Machine is marked for remediation)`,
    })),
    ...ready.map(machine => ({
      id: idOf(machine),
      problem: `${prefix}: failed to trigger in-place update for Machine ${toDisplayName(machine.metadata)} by moving to MachineSet ${place}`,
    })),
  ];
  const unlabelled = `${prefix}: MachineSet ${target.metadata.name} does not have the ${templateHashLabel} label`;
  return {
    actions: [...deleted.map(machine => machineDeletion(idOf(machine), machine)), ...moves],
    steps: [
      { change: {}, needs },
      {
        change: {
          errors: hash === undefined && moved.length > 0 ? [unlabelled] : [],
          ...(ready.length < moved.length ? { again: true as const } : {}),
        },
      },
    ],
  };
}

function idOf({ metadata }: WholeMachine): string {
  return `move:${metadata.name}`;
}

/** Deletes a Machine and records an Event about it. */
export function machineDeletion(id: string, machine: WholeMachine): Action {
  const { name, uid } = machine.metadata;
  const event: EventDraft = { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted Machine "${name}"` };
  return {
    id,
    onError: 'continue',
    do: 'delete',
    ref: toRef(machine.object),
    uid,
    toEvent: () => event,
  };
}

/** One write, so that a Machine never has two controllers, or none. The target adds blockOwnerDeletion later. */
function toMove(
  machine: WholeMachine,
  { metadata }: WholeMachineSet,
  { target, hash }: { readonly target: WholeMachineSet; readonly hash: string },
): Action {
  const { name, uid } = target.metadata;
  const owner: OwnerReference = { apiVersion: clusterApiVersion, kind: 'MachineSet', name, uid, controller: true };
  const owners = machine.metadata.ownerReferences ?? [];
  return {
    id: idOf(machine),
    onError: 'continue',
    do: 'patch',
    ref: toRef(machine.object),
    resourceVersion: machine.metadata.resourceVersion,
    body: {
      metadata: {
        ownerReferences: owners.map(reference => (reference.uid === metadata.uid ? owner : reference)),
        labels: { [templateHashLabel]: hash },
        annotations: { [updateInProgressAnnotation]: '', [pendingAcknowledgeMoveAnnotation]: '' },
      },
    },
  };
}
