// Whether the Node of a Machine in deletion is drained and deleted, or left to the provider.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { isExternallyManaged } from '@capi-serverless/cluster-api/contract';
import { isDefined } from '../../../../shared/api/cluster/reader.ts';
import type { DeletionQuestion, DeletionScope } from './deletion-facts.ts';

type Removal = Checked<boolean> | { readonly ask: DeletionQuestion };

/**
 * No, if the Cluster or its control plane is being deleted, if no Node is known, or if the Machine is the last one of the
 * control plane: nothing would answer.
 */
export function mayRemoveNode({ cluster, nodeName, facts }: DeletionScope): Removal {
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || nodeName === '') {
    return valid(false);
  }
  if (!isDefined(cluster.spec.controlPlaneRef)) {
    return hasMembers(facts.hasMembers);
  }
  const { controlPlane } = facts;
  if (controlPlane === undefined) {
    return { ask: 'controlPlane' };
  }
  if (controlPlane.state === 'unreadable') {
    return problem(controlPlane.error);
  }
  if (controlPlane.state === 'found') {
    const { metadata } = controlPlane.object;
    if (metadata.deletionTimestamp !== undefined) {
      return valid(false);
    }
    if (isExternallyManaged(controlPlane.object)) {
      return valid(true);
    }
  }
  return hasMembers(facts.hasMembers);
}

function hasMembers(members: Checked<boolean> | undefined): Removal {
  if (members === undefined) {
    return { ask: 'hasMembers' };
  }
  return members.ok ? members : problem(`failed to list machines: ${members.error}`);
}

function problem(error: string): Checked<boolean> {
  return invalid(`failed to check if Kubernetes Node deletion is allowed: ${error}`);
}
