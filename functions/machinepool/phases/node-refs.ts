// The Nodes of a pool: which ones it names, how many are ready and available, and when they are read again.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { getCondition, v1Beta1False, v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { concluded, type EventDraft, haveSucceeded, inOrder, onlyIf } from '@capi-serverless/reconciler';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import type { PoolNode } from '../../../shared/api/node/pool-reader.ts';
import type { ObservedPool } from '../seen.ts';
import { deleteRetiredNodes, markNodes, matchNodes, toReference } from './nodes.ts';
import { byProviderId } from './pool-machines.ts';
import {
  isInitialized,
  type NodeCounts,
  type NodeReference,
  noClient,
  noNodeWatch,
  type PoolChange,
  type PoolPhase,
  type PoolProgress,
  whenDown,
} from './pool-progress.ts';

const prefix = 'failed to reconcile nodeRefs';
const type = 'ReplicasReady';
const secondMs = 1000;
/** The time until the Nodes of a pool that is not complete are read again. After half an hour, it grows with the age of the wait. */
const waitMs = 30_000;
const longestWaitMs = 600_000;
const ageParts = 60;

/** The state of the pool after the infrastructure phase. */
export interface NodeRefsScope {
  readonly seen: ObservedPool;
  readonly before: Pick<PoolProgress, 'replicas' | 'nodeCounts' | 'spec'>;
  readonly now: Instant;
}

export function nodeRefsPhase(scope: NodeRefsScope): PoolPhase {
  const { seen, before } = scope;
  const { pool, cluster, nodes } = seen;
  if (nodes.state === 'down' && isInitialized(cluster)) {
    return concluded(whenDown(cluster, `${prefix}: ${noNodeWatch}`));
  }
  const ids = idsAfter(scope);
  const listed = nodes.state === 'listed' ? nodes.nodes : undefined;
  if (listed !== undefined && isComplete(scope, listed)) {
    const { actions, needs } = mark(seen, matchNodes(ids, byProviderId(listed)));
    return { actions, steps: [{ change: { v1beta1: [v1Beta1True(type)] } }, { change: {}, needs }] };
  }
  if (ids.length === 0 && pool.spec.replicas !== 0) {
    return concluded();
  }
  if (nodes.state === 'down') {
    return concluded(whenDown(cluster, `${prefix}: ${noClient}`));
  }
  if (listed === undefined) {
    return concluded({ errors: [`${prefix}: failed to get Node references`] });
  }
  const retired = deleteRetiredNodes({ pool, ids, nodes: listed, target: targetOf(seen), prefix });
  const deletion: PoolPhase = { actions: retired.actions, steps: [{ change: {}, needs: retired.needs }] };
  const matched = matchNodes(ids, byProviderId(listed));
  const rest =
    ids.length > 0 && matched.length === 0
      ? concluded(notReady(scope))
      : referPhase(scope, matched, before.replicas ?? 0);
  return inOrder([deletion, onlyIf(outcomes => haveSucceeded(retired.needs, outcomes), rest)]);
}

function idsAfter({ seen, before }: NodeRefsScope): readonly string[] {
  return before.spec.providerIDList ?? seen.pool.spec.providerIDList;
}

/** All Nodes are counted as ready, none of them was replaced, and the counts belong to the present number of replicas. */
function isComplete({ seen, before }: NodeRefsScope, nodes: readonly PoolNode[]): boolean {
  const { nodeRefs } = seen.pool.status;
  const { readyReplicas, availableReplicas, unavailableReplicas } = before.nodeCounts;
  const replicas = before.replicas ?? 0;
  const uids = new Map([...byProviderId(nodes).values()].map(({ name, uid }) => [name, uid]));
  return (
    replicas === readyReplicas &&
    replicas === availableReplicas + unavailableReplicas &&
    nodeRefs.length === readyReplicas &&
    nodeRefs.every(({ name, uid }) => uids.get(name) === uid)
  );
}

function referPhase(scope: NodeRefsScope, matched: readonly PoolNode[], replicas: number): PoolPhase {
  const { seen, now } = scope;
  const { pool } = seen;
  const minReadyMs = pool.spec.template.spec.minReadySeconds * secondMs;
  const nodeCounts = countNodes(matched, { replicas, minReadyMs, now });
  const nodeRefs = matched.map(toReference);
  const { actions, needs } = mark(seen, matched);
  const isReady = replicas === nodeCounts.readyReplicas && matched.length === nodeCounts.readyReplicas;
  const change: PoolChange = isReady
    ? { v1beta1: [v1Beta1True(type)], requeues: untilAvailable(matched, minReadyMs, now) }
    : notReady(scope);
  return {
    actions,
    steps: [{ change: { nodeRefs, nodeCounts, events: newReferences(pool, nodeRefs) } }, { change, needs }],
  };
}

interface Counting {
  readonly replicas: number;
  readonly minReadyMs: number;
  readonly now: Instant;
}

function countNodes(nodes: readonly PoolNode[], { replicas, minReadyMs, now }: Counting): NodeCounts {
  const ready = nodes.filter(({ isReady }) => isReady);
  const available = ready.filter(({ readySince }) => minReadyMs === 0 || isBefore(readySince, now - minReadyMs));
  return {
    readyReplicas: ready.length,
    availableReplicas: available.length,
    unavailableReplicas: replicas - available.length,
  };
}

function isBefore(time: Instant | undefined, other: Instant): boolean {
  return time !== undefined && time < other;
}

/** The time until the next ready Node has been ready for long enough. */
function untilAvailable(nodes: readonly PoolNode[], minReadyMs: number, now: Instant): readonly number[] {
  return nodes.flatMap(({ isReady, readySince }) => {
    const wait = (readySince ?? 0) + minReadyMs - now;
    return isReady && minReadyMs > 0 && wait >= 0 ? [wait + secondMs] : [];
  });
}

/** Upstream has no timer while no Node has joined, because it watches all Nodes. */
function notReady({ seen, now }: NodeRefsScope): PoolChange {
  const stored = getCondition(seen.pool.status.deprecated.v1beta1.conditions, type);
  const since = stored?.status === 'False' ? instantOf(stored.lastTransitionTime) : undefined;
  const age = now - (since ?? now);
  return {
    v1beta1: [v1Beta1False(type, { reason: 'WaitingForReplicasReady', severity: 'Info' })],
    requeues: [Math.min(Math.max(waitMs, age / ageParts), longestWaitMs)],
  };
}

/** Upstream records the Event in each pass. */
function newReferences(pool: WholeMachinePool, nodeRefs: readonly NodeReference[]): readonly EventDraft[] {
  const stored = pool.status.nodeRefs;
  const isSame =
    stored.length === nodeRefs.length &&
    stored.every(({ name, uid }, at) => name === nodeRefs[at]?.name && uid === nodeRefs[at]?.uid);
  return isSame
    ? []
    : [{ type: 'Normal', reason: 'SuccessfulSetNodeRefs', message: `[${nodeRefs.map(printReference).join(' ')}]` }];
}

/** The form in which Go prints the reference. */
function printReference({ name, uid }: NodeReference): string {
  return `{Kind:Node Namespace: Name:${name} UID:${uid} APIVersion:v1 ResourceVersion: FieldPath:}`;
}

function mark(seen: ObservedPool, nodes: readonly PoolNode[]): ReturnType<typeof markNodes> {
  // Two ids may name one Node.
  return markNodes({ pool: seen.pool, nodes: [...new Set(nodes)], target: targetOf(seen), prefix });
}

export function targetOf({ cluster }: Pick<ObservedPool, 'cluster'>) {
  const { uid, namespace, name } = cluster.metadata;
  return { uid, namespace, name };
}
