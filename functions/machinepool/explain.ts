// The public interface of the MachinePool reconciler for CLI commands.
import type { EarlyEnd } from '@capi-serverless/reconciler';
import { type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import { ownActionId } from '../../shared/external/object-owner.ts';
import { patchPoolId } from './phases/own-metadata.ts';
import type { PoolPlan } from './plan.ts';
import { machinePoolReconciler } from './reconciler.ts';
import { remediesOfPool, waitOfPool } from './why/describe-pool.ts';

export const face = toFace({
  reconciler: machinePoolReconciler,
  asReported: { workloadApi: workloadApiAsReported },
  whyOf: whyOfPool,
  conclude: concludePool,
  waitOf: waitOfPool,
  remediesOf: remediesOfPool,
});

/** Describes the reason of each action of the MachinePool reconciler, and what a pass concludes. */
export function whyOfPool({ action, changedPaths }: ExplainedAction<PoolPlan | EarlyEnd>): string | undefined {
  switch (action.do) {
    case 'apply':
      return 'the provider represents this machine by an object, so the pool has a Machine for it';
    case 'delete':
      return action.target === undefined
        ? 'the MachinePool is being deleted, so its bootstrap config and its infrastructure are deleted'
        : 'the machine of this Node has left the pool';
    default:
      return whyOfPatch(action.id, changedPaths);
  }
}

function whyOfPatch(id: string, changedPaths: readonly string[]): string | undefined {
  if (id === patchPoolId) {
    return changedPaths.some(path => path.startsWith('spec.'))
      ? 'the providers report the ids of the machines, or the Secret with the bootstrap data'
      : 'the MachinePool lacks the owner reference or the label of its Cluster';
  }
  if (id === ownActionId('bootstrap') || id === ownActionId('infrastructure')) {
    return 'the MachinePool is the controller of the objects that it names';
  }
  if (id.startsWith('node:')) {
    return 'the Node belongs to this pool, so it names the pool and loses the taint of new Nodes';
  }
  return id.startsWith('machine:') ? 'the condition UpToDate of the Machine is not current' : undefined;
}

export function concludePool(plan: PoolPlan | EarlyEnd): readonly string[] {
  if (!('countersAfter' in plan)) {
    return [];
  }
  const { nodes, pool } = plan.seen;
  switch (nodes.state) {
    case 'listed':
      return [`The workload cluster has ${nodes.nodes.length} Nodes.`];
    case 'down':
      return [`The workload cluster of Cluster ${pool.spec.clusterName} does not answer, so Nodes are not counted.`];
    case 'failed':
      return [`The Nodes could not be read: ${nodes.error}`];
    case 'unread':
      return [];
  }
}
