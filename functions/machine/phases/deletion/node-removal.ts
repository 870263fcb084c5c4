// Whether the Node of a Machine in deletion is drained and deleted, or left to the provider.
import { isExternallyManaged } from '@capi-serverless/cluster-api/contract';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import { isDefined } from '../../../../shared/api/cluster/reader.ts';
import { readFirstFailures } from '../first-failures.ts';
import { deadAfterMs } from '../node/connection.ts';
import { connectionDown } from '../node/lookup.ts';
import type { ControlPlaneQuestion, DeletionScope, MembersQuestion, NodeRemovalScope } from './deletion-scope.ts';

type RemovalQuestion = ControlPlaneQuestion | MembersQuestion;

export type NodeRemoval =
  /** The Node is drained and deleted. */
  | { readonly state: 'removes'; readonly scope: NodeRemovalScope }
  | { readonly state: 'stays'; readonly cause: StayCause }
  /** The Machine names no Node, and the look-up of its Node failed. Its Node may run Pods. */
  | { readonly state: 'awaitsLookup'; readonly cause: 'aborted' | 'failed' | 'notConnected'; readonly error: string }
  | { readonly state: 'failed'; readonly error: string };

/** Why the Node is neither drained nor deleted. */
export type StayCause = 'noCluster' | 'clusterDeleted' | 'noNode' | 'controlPlaneDeleted' | 'noMembers';

/**
 * The Node stays if the Cluster or its control plane is being deleted, if no Node is known, or if the Machine is the last
 * one of the control plane: nothing would answer.
 */
export function* nodeRemovalOf(scope: DeletionScope): AskingPlan<RemovalQuestion, NodeRemoval> {
  const { cluster, nodeName } = scope;
  if (cluster === undefined) {
    return stays('noCluster');
  }
  if (cluster.metadata.deletionTimestamp !== undefined) {
    return stays('clusterDeleted');
  }
  return nodeName === '' ? withoutNode(scope) : yield* ofCluster({ ...scope, cluster });
}

function stays(cause: StayCause): NodeRemoval {
  return { state: 'stays', cause };
}

/**
 * A failed look-up does not mean that there is no Node. It is repeated until it has failed as long as the probes of Cluster
 * API, and the connection counts as dead.
 */
function withoutNode({ lookup, machine, isConnectionDead, now }: DeletionScope): NodeRemoval {
  switch (lookup.state) {
    case 'aborted':
    case 'failed':
      return { state: 'awaitsLookup', cause: lookup.state, error: lookup.error };
    case 'notConnected': {
      const { nodeLookup: failingSince = now } = readFirstFailures(machine);
      return isConnectionDead && now - failingSince >= deadAfterMs
        ? stays('noNode')
        : { state: 'awaitsLookup', cause: lookup.state, error: connectionDown };
    }
    default:
      return stays('noNode');
  }
}

function* ofCluster(scope: NodeRemovalScope): AskingPlan<RemovalQuestion, NodeRemoval> {
  const { cluster } = scope;
  if (!isDefined(cluster.spec.controlPlaneRef)) {
    return yield* ofMembers(scope);
  }
  const controlPlane = yield* ask<ControlPlaneQuestion>('controlPlane', cluster);
  if (controlPlane.state === 'unreadable') {
    return problem(controlPlane.error);
  }
  if (controlPlane.state === 'found') {
    const { metadata } = controlPlane.object;
    if (metadata.deletionTimestamp !== undefined) {
      return stays('controlPlaneDeleted');
    }
    if (isExternallyManaged(controlPlane.object)) {
      return { state: 'removes', scope };
    }
  }
  return yield* ofMembers(scope);
}

function* ofMembers(scope: NodeRemovalScope): AskingPlan<MembersQuestion, NodeRemoval> {
  const members = yield* ask<MembersQuestion>('hasMembers', scope.cluster);
  if (!members.ok) {
    return problem(`failed to list machines: ${members.error}`);
  }
  return members.value ? { state: 'removes', scope } : stays('noMembers');
}

function problem(error: string): NodeRemoval {
  return { state: 'failed', error: `failed to check if Kubernetes Node deletion is allowed: ${error}` };
}
