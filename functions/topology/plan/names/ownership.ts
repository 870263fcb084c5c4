// Determines whether an object with a chosen name was created by this reconciler for the same purpose.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { deploymentNameLabel, ownedLabel, poolNameLabel } from '../../../../shared/topology/model/keys.ts';
import { isShimReference } from './shim-name.ts';

interface Claim {
  readonly cluster: Cluster;
  /** "" for objects that exist once per Cluster. */
  readonly topologyName: string;
  /** Undefined if there is no shim. */
  readonly shimUid: string | undefined;
}

/**
 * Returns true if the object has the topology labels, is not being deleted, and is owned by the Cluster or its shim.
 * MachineDeployments and MachinePools are created without an owner. For them, it is sufficient that they have no other
 * owner.
 */
export function isOurs({ metadata, kind }: Unstructured, { cluster, topologyName, shimUid }: Claim): boolean {
  const { labels = {}, ownerReferences = [], deletionTimestamp } = metadata;
  const isMarked = labels[clusterNameLabel] === cluster.metadata.name && Object.hasOwn(labels, ownedLabel);
  const isOfTopology = (labels[deploymentNameLabel] ?? labels[poolNameLabel] ?? '') === topologyName;
  const uids = [cluster.metadata.uid, shimUid];
  const isOwned =
    ownerReferences.some(({ uid }) => uids.includes(uid)) || (isMadeWithoutOwner(kind) && ownerReferences.length === 0);
  return isMarked && isOfTopology && isOwned && deletionTimestamp === undefined;
}

/** Returns true if the uid of the shim is required to determine the owner of this object. */
export function namesShim({ metadata }: Unstructured, { metadata: { name } }: Cluster): boolean {
  return (metadata.ownerReferences ?? []).some(reference => isShimReference(reference, name));
}

function isMadeWithoutOwner(kind: string): boolean {
  return kind === 'MachineDeployment' || kind === 'MachinePool';
}
