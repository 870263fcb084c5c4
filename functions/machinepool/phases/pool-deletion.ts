// The deletion of a MachinePool: first its bootstrap config and its infrastructure, then Nodes of machines that had left
// the pool, then the finalizer. Machines of the pool are left to the garbage collector.
import { type Instant, toDisplayName, toRef } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import {
  concluded,
  haveSucceeded,
  inOrder,
  isDeleting,
  onlyIf,
  patchProblem,
  removeFinalizer,
  removeFinalizerId,
} from '@capi-serverless/reconciler';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import type { External } from '../../../shared/external/external.ts';
import type { ObservedPool } from '../seen.ts';
import { poolFinalizer } from './gate.ts';
import { targetOf } from './node-refs.ts';
import { deleteRetiredNodes } from './nodes.ts';
import { noClient, type PoolPhase } from './pool-progress.ts';

const prefix = 'failed to reconcile delete';
const ofReferences = `${prefix}: failed deleting external references`;
const ofNodes = `${prefix}: failed deleting nodes`;

export function deletionPhase(seen: ObservedPool, now: Instant): PoolPhase {
  const { pool, bootstrap, infrastructure } = seen;
  const objects = [bootstrap, infrastructure];
  const unreadable = objects.find(isUnreadable);
  if (unreadable !== undefined) {
    const { ref, error } = unreadable;
    const object = `${ref.kind} ${toDisplayName({ namespace: pool.metadata.namespace, name: ref.name })}`;
    const named = `failed to get ${object} for MachinePool ${toDisplayName(pool.metadata)}`;
    return concluded({ errors: [`${ofReferences}: ${named}: ${error}`] });
  }
  const left = objects.filter(isFound);
  // The end of their deletion enqueues the pool.
  return left.length > 0 ? deleteObjects(left, pool) : inOrder(nodesPhase(seen, now));
}

type Found = Extract<External, { state: 'found' }>;

function isFound(external: External): external is Found {
  return external.state === 'found';
}

function isUnreadable(external: External): external is Extract<External, { state: 'unreadable' }> {
  return external.state === 'unreadable';
}

function deleteObjects(left: readonly Found[], { metadata }: WholeMachinePool): PoolPhase {
  const deletions = left
    .filter(({ object }) => !isDeleting(object))
    .map(({ object }) => {
      const { apiVersion, kind } = object;
      const { uid, name } = object.metadata;
      const pool = `MachinePool "${metadata.name}" in namespace "${metadata.namespace}"`;
      return {
        action: { id: `delete:${kind}`, onError: 'continue', do: 'delete', ref: toRef(object), uid } as const,
        problem: `${ofReferences}: failed to delete ${apiVersion}, Kind=${kind} "${name}" for ${pool}`,
      };
    });
  return {
    actions: deletions.map(({ action }) => action),
    steps: [{ change: {}, needs: deletions.map(({ action, problem }) => ({ id: action.id, problem })) }],
  };
}

function nodesPhase(seen: ObservedPool, now: Instant): readonly PoolPhase[] {
  const { pool, nodes } = seen;
  const end: PoolPhase = {
    actions: removeFinalizer(pool.object, poolFinalizer),
    steps: [{ change: {}, needs: [{ id: removeFinalizerId, problem: patchProblem(pool.object) }] }],
  };
  if (!needsNodes(pool, now)) {
    return [end];
  }
  if (nodes.state !== 'listed') {
    const cause = nodes.state === 'failed' ? nodes.error : noClient;
    return [concluded({ errors: [`${ofNodes}: ${cause}`] })];
  }
  const ids = pool.spec.providerIDList;
  const { actions, needs } = deleteRetiredNodes({
    pool,
    ids,
    nodes: nodes.nodes,
    target: targetOf(seen),
    prefix: ofNodes,
  });
  return [{ actions, steps: [{ change: {}, needs }] }, onlyIf(outcomes => haveSucceeded(needs, outcomes), end)];
}

/** Whether the deletion still waits for Nodes. Without a timeout, it has no end. */
export function needsNodes({ metadata, spec, status }: WholeMachinePool, now: Instant): boolean {
  const timeoutMs = spec.template.spec.deletion.nodeDeletionTimeoutSeconds * 1000;
  const deletedAt = instantOf(metadata.deletionTimestamp) ?? now;
  const isOver = timeoutMs !== 0 && deletedAt + timeoutMs < now;
  return status.nodeRefs.length > 0 && !isOver;
}
