// What a MachineSet does to have the desired number of Machines. Machines in deletion count until they are gone.
import type { MachineFacts } from './machine-facts.ts';

export type ScaleDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'create'; readonly count: number }
  | { readonly do: 'delete'; readonly count: number }
  | { readonly do: 'move'; readonly count: number; readonly target: string };

interface Scale {
  readonly replicas: number;
  readonly machines: readonly MachineFacts[];
  readonly mayCreate: boolean;
  /** The MachineSet that gets surplus Machines. "" if they are deleted. */
  readonly movesTo: string;
  /** Whether other MachineSets hand Machines over to this one. */
  readonly receives: boolean;
}

const nothing: ScaleDecision = { do: 'nothing' };

/** Moved Machines are not surplus before the replicas include them. */
export function decideScale({ replicas, machines, mayCreate, movesTo, receives }: Scale): ScaleDecision {
  const missing = replicas - machines.length;
  if (missing >= 0) {
    return missing > 0 && mayCreate ? { do: 'create', count: missing } : nothing;
  }
  const waiting = receives ? machines.filter(machine => machine.waitsForAcknowledgement).length : 0;
  const count = -missing - waiting;
  if (count <= 0) {
    return nothing;
  }
  return movesTo === '' ? { do: 'delete', count } : { do: 'move', count, target: movesTo };
}

/** Returns the Machines to delete. Those in deletion are counted first, as they lead the order. */
export function chooseDeleted(order: readonly MachineFacts[], count: number): readonly MachineFacts[] {
  return order.slice(0, count).filter(({ isDeleting }) => !isDeleting);
}

export interface ChosenMoves {
  /** Deleted instead of moved. */
  readonly deleted: readonly MachineFacts[];
  readonly moved: readonly MachineFacts[];
}

/** A Machine without Node, or one that is updated in place, stays. Then another one moves. */
export function chooseMoves(order: readonly MachineFacts[], count: number): ChosenMoves {
  const chosen = order.filter(machine => leaves(machine)).slice(0, count);
  return {
    deleted: chosen.filter(machine => machine.mustBeRemediated && !machine.isDeleting),
    moved: chosen.filter(machine => !machine.mustBeRemediated && !machine.isDeleting),
  };
}

function leaves({ mustBeRemediated, isDeleting, isUpdatingInPlace, hasNode }: MachineFacts): boolean {
  return mustBeRemediated || isDeleting || (hasNode && !isUpdatingInPlace);
}
