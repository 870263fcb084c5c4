// The plan of one pass over a MachinePool, derived from the objects that were read. Both the actions and the report use it.
import type { Instant } from '@capi-serverless/apimachinery';
import {
  concluded,
  haveSucceeded,
  inOrder,
  isDeleting,
  noOutcomes,
  type Outcomes,
  onlyIf,
} from '@capi-serverless/reconciler';
import { bootstrapPhase } from './phases/bootstrap.ts';
import { countMembers, countReplicas } from './phases/counters.ts';
import { infrastructureChanges } from './phases/infrastructure.ts';
import { nodeRefsPhase } from './phases/node-refs.ts';
import { ownMetadataPhase, ownPatchPhase } from './phases/own-metadata.ts';
import { deletionPhase } from './phases/pool-deletion.ts';
import { type MembersPhase, membersPhase } from './phases/pool-machines.ts';
import { conclude, type PoolCounters, type PoolPhase, type PoolProgress } from './phases/pool-progress.ts';
import type { ObservedPool } from './seen.ts';

export interface PoolPlan extends PoolPhase {
  readonly seen: ObservedPool;
  readonly now: Instant;
  /** The counters after the pass. `undefined`: the stored ones are kept. */
  readonly countersAfter: (progress: PoolProgress, outcomes: Outcomes) => PoolCounters | undefined;
}

export function plan(seen: ObservedPool, { now }: { readonly now: Instant }): PoolPlan {
  const { pool, cluster } = seen;
  if (isDeleting(pool)) {
    const own = ownMetadataPhase({ pool, cluster, values: concluded() });
    const phases = inOrder([own, deletionPhase(seen, now), ownPatchPhase(pool)]);
    return { seen, now, ...phases, countersAfter: () => undefined };
  }
  const bootstrap = bootstrapPhase(seen);
  const { actions, needs, scoped } = seen.externals.infrastructure;
  const isOwned = (outcomes: Outcomes) => haveSucceeded(needs, outcomes);
  const infrastructure: PoolPhase = {
    actions,
    steps: [{ change: {}, needs }, ...onlyIf(isOwned, concluded(...infrastructureChanges(seen))).steps],
  };
  const members = membersPhase(seen, now);
  // The number and the ids of the machines determine which Nodes the pool names.
  const before = conclude(pool, infrastructure, { outcomes: noOutcomes, now });
  return {
    seen,
    now,
    ...inOrder([
      bootstrap,
      infrastructure,
      ownMetadataPhase({ pool, cluster, values: inOrder([bootstrap, infrastructure]) }),
      onlyIf(isOwned, inOrder([members, nodeRefsPhase({ seen, before, now })])),
      ownPatchPhase(pool),
    ]),
    countersAfter: (progress, outcomes) =>
      scoped.state === 'inScope' && isOwned(outcomes) ? countersOf(seen, members, { progress, outcomes }) : undefined,
  };
}

interface Ended {
  readonly progress: PoolProgress;
  readonly outcomes: Outcomes;
}

function countersOf(
  { pool, nodes, members: { state } }: ObservedPool,
  members: MembersPhase,
  { progress, outcomes }: Ended,
): PoolCounters | undefined {
  const machines = members.machinesAfter(outcomes);
  if (machines === undefined) {
    return countReplicas(pool, { ...progress, nodes });
  }
  return state === 'failed' ? undefined : countMembers(machines);
}
