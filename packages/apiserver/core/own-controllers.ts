// The controllers of the core as explicit steps: garbage collection, and cleanup of terminating namespaces and
// definitions.

import { sameJson } from '@capi-serverless/apimachinery';
import { collectGarbage } from './collect-garbage.ts';
import type { Context } from './context.ts';
import { finalizeDefinitions, finalizeNamespaces } from './finalize.ts';
import type { Resource } from './kinds.ts';
import type { LoggedChange } from './log.ts';

/** A change by the garbage collector or by the namespace controller. */
export interface OwnChange {
  readonly by: 'generic-garbage-collector' | 'namespace-controller';
  readonly resource: Resource;
  readonly change: LoggedChange;
}

export interface ControllerSteps {
  /** Calls the listener after each write of these controllers. */
  onOwnChange(listener: (change: OwnChange) => void): void;
  /** Runs one round of the garbage collector. Returns the number of its writes. */
  collectGarbage(): number;
  /** Runs one round of cleanup for terminating namespaces and definitions. Returns the number of writes. */
  finalize(): number;
  /** Returns true if a change since the last round may require work. */
  hasWork(): boolean;
  /** Runs both controllers until no work remains. */
  settle(): void;
}

interface Controllers {
  readonly steps: ControllerSteps;
  /** Called with every change of the store. */
  notice(resource: Resource, change: LoggedChange): void;
}

/** The maximum number of rounds. No owner chain is that long, so more rounds mean that two steps revert each other. */
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
            throw new Error(`Collecting garbage did not settle in ${maxRounds} rounds`);
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

/**
 * Counts deleted owners, dependents with possibly absent owners, and deletions that a finalizer of the server blocks.
 */
function leavesWork({ type, object, previous }: LoggedChange): boolean {
  const { deletionTimestamp, ownerReferences } = object.metadata;
  return (
    type === 'DELETED' ||
    deletionTimestamp !== undefined ||
    (ownerReferences !== undefined && !sameJson(ownerReferences, previous?.metadata.ownerReferences))
  );
}
