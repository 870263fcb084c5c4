// The number of Machines: orphaned objects are deleted first, then Machines are created, deleted or handed over.
import { type Checked, compareText, type Instant, invalid, valid } from '@capi-serverless/apimachinery';
import { concluded, failureOf, haveSucceeded, inOrder, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { Digest } from '../../../../shared/names/random-characters.ts';
import type { MachineSetWork, ObservedMachineSet } from '../../seen.ts';
import { handOverPhase, machineDeletion } from '../in-place/hand-over.ts';
import { patchMetadataId } from '../own-metadata.ts';
import type { MachineSetPhase } from '../pass-progress.ts';
import { createMachinesPhase } from './create-machines.ts';
import { type MachineFacts, toMachineFacts } from './machine-facts.ts';
import { type OrphanPhase, orphanPhase } from './orphans.ts';
import { releasePhase } from './release-names.ts';
import { chooseDeleted, chooseMoves, type ScaleDecision } from './scale-decision.ts';

interface Scaling {
  readonly seen: ObservedMachineSet;
  readonly work: MachineSetWork;
  /** The Machines that the set controls. */
  readonly machines: readonly WholeMachine[];
  /** The names of the Machines that an earlier phase of this pass writes. */
  readonly written: ReadonlySet<string>;
  readonly digest: Digest;
}

/** If orphaned objects cannot be listed or deleted, no Machine is created. Surplus Machines are still deleted. */
export function replicasPhase(scaling: Scaling): MachineSetPhase {
  const { seen, work } = scaling;
  const orphans = orphanPhase(seen);
  return inOrder([orphans, work.scale.ok ? scalePhase(scaling, work.scale.value, orphans) : failed(work.scale.error)]);
}

function failed(error: string): MachineSetPhase {
  return concluded({ errors: [`failed to sync replicas: ${error}`] });
}

function scalePhase(scaling: Scaling, scale: ScaleDecision, orphans: OrphanPhase): MachineSetPhase {
  const { seen, machines, digest } = scaling;
  switch (scale.do) {
    case 'create':
      return orphans.errors.length > 0
        ? concluded()
        : createMachinesPhase(seen, {
            count: scale.count,
            digest,
            mayCreate: outcomes => mayCreate(orphans, outcomes),
            taken: new Set(machines.map(({ metadata }) => metadata.name)),
          });
    case 'nothing':
      return releasePhase(seen.machineSet, [patchMetadataId]);
    case 'delete':
    case 'move':
      return inOrder([releasePhase(seen.machineSet, [patchMetadataId]), surplusPhase(scaling, scale)]);
  }
}

function mayCreate({ needs }: OrphanPhase, outcomes: Outcomes): boolean {
  return failureOf(outcomes, patchMetadataId) === undefined && haveSucceeded(needs, outcomes);
}

function surplusPhase(
  { seen, machines, written }: Scaling,
  scale: Extract<ScaleDecision, { do: 'delete' | 'move' }>,
): MachineSetPhase {
  const order = deletionOrder(seen, machines);
  if (!order.ok) {
    return failed(order.error);
  }
  const { target, machineSet } = seen;
  if (scale.do === 'delete' || target === undefined) {
    return deleteMachinesPhase(wholeOf(chooseDeleted(order.value, scale.count), machines));
  }
  const { deleted, moved } = chooseMoves(order.value, scale.count);
  return handOverPhase({
    machineSet,
    target,
    written,
    deleted: wholeOf(deleted, machines),
    moved: wholeOf(moved, machines),
  });
}

function deletionOrder(
  { machineSet, now }: ObservedMachineSet,
  machines: readonly WholeMachine[],
): Checked<readonly MachineFacts[]> {
  const facts = machines.map(({ object }) => toMachineFacts(object));
  return inDeletionOrder(facts, machineSet.spec.deletion.order, now);
}

function wholeOf(facts: readonly MachineFacts[], machines: readonly WholeMachine[]): readonly WholeMachine[] {
  return facts.flatMap(({ name }) => machines.filter(({ metadata }) => metadata.name === name));
}

function deleteMachinesPhase(machines: readonly WholeMachine[]): MachineSetPhase {
  const idOf = ({ metadata }: WholeMachine) => `scaledown:${metadata.name}`;
  const needs = machines.map(machine => ({ id: idOf(machine), problem: 'failed to sync replicas' }));
  return {
    actions: machines.map(machine => machineDeletion(idOf(machine), machine)),
    steps: [{ change: {}, needs }],
  };
}

/** Days until age makes a clear difference: the time constant of the priority by age. */
const daysOfAge = 10;
const millisecondsPerDay = 86_400_000;

const priorities = { deleting: 100, chosen: 80, updating: 75, unhealthy: 50, other: 20 } as const;

/** Highest priority first, then by name. Fails for another order than `Random`, `Newest` and `Oldest`. "" is `Random`. */
export function inDeletionOrder(
  machines: readonly MachineFacts[],
  order: string,
  now: Instant,
): Checked<readonly MachineFacts[]> {
  const priorityByAge = byAge.get(order === '' ? 'Random' : order);
  if (priorityByAge === undefined) {
    return invalid(`Unsupported deletion order ${order}. Must be one of 'Random', 'Newest', or 'Oldest'`);
  }
  const priorityOf = (machine: MachineFacts): number =>
    priorityByState(machine) ?? priorityByAge(oldness(machine, now));
  return valid(machines.toSorted((a, b) => priorityOf(b) - priorityOf(a) || compareText(a.name, b.name)));
}

function priorityByState(machine: MachineFacts): number | undefined {
  if (machine.isDeleting) {
    return priorities.deleting;
  }
  if (machine.isChosen) {
    return priorities.chosen;
  }
  if (machine.isUpdatingInPlace) {
    return priorities.updating;
  }
  return machine.isUnhealthy ? priorities.unhealthy : undefined;
}

const byAge = new Map<string, (oldness: number) => number>([
  ['Random', () => priorities.other],
  ['Oldest', oldness => priorities.unhealthy * oldness],
  ['Newest', oldness => priorities.unhealthy * (1 - oldness)],
]);

/** From 0 for a new Machine to 1 for a very old one. A Machine of the future is new. */
function oldness({ createdAt }: MachineFacts, now: Instant): number {
  const age = createdAt === undefined ? 0 : Math.max(now - createdAt, 0);
  return 1 - Math.exp(-age / (daysOfAge * millisecondsPerDay));
}
