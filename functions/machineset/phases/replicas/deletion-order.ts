// The order in which a MachineSet deletes its Machines, or hands them over.
import { type Checked, compareText, type Instant, invalid, valid } from '@capi-serverless/apimachinery';
import type { MachineFacts } from './machine-facts.ts';

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
