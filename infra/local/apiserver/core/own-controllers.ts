// The core's own controllers as explicit steps: garbage is collected, namespaces and definitions that go are emptied.
import { collectGarbage } from './collect-garbage.ts';
import type { Context } from './context.ts';
import { finalizeDefinitions, finalizeNamespaces } from './finalize.ts';
import { sameJson } from './json.ts';
import type { Resource } from './kinds.ts';
import type { Change } from './log.ts';

/** What a controller did: the one that collects garbage, or the one that empties namespaces. */
export interface OwnChange {
  readonly by: 'generic-garbage-collector' | 'namespace-controller';
  readonly resource: Resource;
  readonly change: Change;
}

export interface ControllerSteps {
  /** Calls the listener after every change that these controllers make in the way of requests. */
  onOwnChange(listener: (change: OwnChange) => void): void;
  /** One round of the garbage collector; returns the number of its writes. */
  collectGarbage(): number;
  /** One round of the controllers that empty terminating namespaces and definitions; returns the number of writes. */
  finalize(): number;
  /** Whether a change since the last round may have left work to them. */
  hasWork(): boolean;
  /** Both of them until nothing is left to do. */
  settle(): void;
}

export interface Controllers {
  readonly steps: ControllerSteps;
  /** To be told every change of the store. */
  notice(resource: Resource, change: Change): void;
}

/** No chain of owners is that long: more rounds mean that two steps undo each other. */
const maxRounds = 100;

export function createControllers(context: Context): Controllers {
  const listeners = new Set<(change: OwnChange) => void>();
  let work = false;
  let by: OwnChange['by'] | undefined;
  const as = (who: OwnChange['by'], round: () => number): number => {
    by = who;
    try {
      return round();
    } finally {
      by = undefined;
    }
  };
  const collect = (): number => {
    work = false;
    return as('generic-garbage-collector', () => collectGarbage(context));
  };
  const finalize = (): number =>
    as('namespace-controller', () => finalizeNamespaces(context)) + finalizeDefinitions(context);
  return {
    steps: {
      onOwnChange: listener => void listeners.add(listener),
      collectGarbage: collect,
      finalize,
      hasWork: () => work,
      settle() {
        for (let round = 0; collect() + finalize() > 0; round += 1) {
          if (round === maxRounds) {
            throw new Error(`Collecting garbage did not come to rest in ${maxRounds} rounds`);
          }
        }
      },
    },
    notice(resource, change) {
      work ||= leavesWork(change);
      if (by !== undefined) {
        for (const listener of listeners) {
          listener({ by, resource, change });
        }
      }
    },
  };
}

/** Owners that went away, dependents whose owners may not exist, and deletions that something of ours holds up. */
function leavesWork({ type, object, previous }: Change): boolean {
  const { deletionTimestamp, ownerReferences } = object.metadata;
  return (
    type === 'DELETED' ||
    deletionTimestamp !== undefined ||
    (ownerReferences !== undefined && !sameJson(ownerReferences, previous?.metadata.ownerReferences))
  );
}
