// Whether the Node of a Machine in deletion is drained and deleted, or left to the provider.
import type { Checked } from '@capi-serverless/apimachinery';
import { isExternallyManaged } from '@capi-serverless/cluster-api/contract';
import { type Cluster, isDefined } from '../../../../shared/api/cluster/reader.ts';
import { readFirstFailures } from '../first-failures.ts';
import { deadAfterMs } from '../node/connection.ts';
import { connectionDown } from '../node/lookup.ts';
import type { DeletionQuestion, DeletionScope, NodeRemovalScope } from './deletion-facts.ts';

export type NodeRemoval =
  /** The Node is drained and deleted. */
  | { readonly state: 'removes'; readonly scope: NodeRemovalScope }
  | { readonly state: 'stays' }
  /** The Machine names no Node, and the look-up of its Node failed. Its Node may run Pods. */
  | { readonly state: 'awaitsLookup'; readonly cause: 'aborted' | 'failed' | 'notConnected'; readonly error: string }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'asks'; readonly question: DeletionQuestion };

/**
 * The Node stays if the Cluster or its control plane is being deleted, if no Node is known, or if the Machine is the last
 * one of the control plane: nothing would answer.
 */
export function nodeRemovalOf(scope: DeletionScope): NodeRemoval {
  const { cluster, nodeName } = scope;
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
    return { state: 'stays' };
  }
  return nodeName === '' ? withoutNode(scope) : ofCluster({ ...scope, cluster });
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
        ? { state: 'stays' }
        : { state: 'awaitsLookup', cause: lookup.state, error: connectionDown };
    }
    default:
      return { state: 'stays' };
  }
}

function ofCluster(scope: NodeRemovalScope): NodeRemoval {
  const { cluster, facts } = scope;
  if (!isDefined(cluster.spec.controlPlaneRef)) {
    return ofMembers(scope);
  }
  const { controlPlane } = facts;
  if (controlPlane === undefined) {
    return asksFor('controlPlane', cluster);
  }
  if (controlPlane.state === 'unreadable') {
    return problem(controlPlane.error);
  }
  if (controlPlane.state === 'found') {
    const { metadata } = controlPlane.object;
    if (metadata.deletionTimestamp !== undefined) {
      return { state: 'stays' };
    }
    if (isExternallyManaged(controlPlane.object)) {
      return { state: 'removes', scope };
    }
  }
  return ofMembers(scope);
}

function ofMembers(scope: NodeRemovalScope): NodeRemoval {
  const members: Checked<boolean> | undefined = scope.facts.hasMembers;
  if (members === undefined) {
    return asksFor('hasMembers', scope.cluster);
  }
  if (!members.ok) {
    return problem(`failed to list machines: ${members.error}`);
  }
  return members.value ? { state: 'removes', scope } : { state: 'stays' };
}

function asksFor(fact: 'controlPlane' | 'hasMembers', cluster: Cluster): NodeRemoval {
  return { state: 'asks', question: { fact, cluster } };
}

function problem(error: string): NodeRemoval {
  return { state: 'failed', error: `failed to check if Kubernetes Node deletion is allowed: ${error}` };
}
