// Whether an object that has a name we would choose is one that we made for this very purpose.
import type { Cluster } from '../../api/cluster/reader.ts';
import type { Unstructured } from '../../api/object.ts';
import { clusterNameLabel } from '../../contract/owner-references.ts';
import { deploymentNameLabel, ownedLabel, poolNameLabel } from '../model/keys.ts';
import { isShimReference } from '../model/shim.ts';

export interface Claim {
  readonly cluster: Cluster;
  /** "" for what the Cluster has one of. */
  readonly topologyName: string;
  /** Undefined where there is no shim. */
  readonly shimUid: string | undefined;
}

/**
 * It carries our labels, is not being deleted, and is owned by the Cluster or its shim. MachineDeployments and MachinePools are
 * made without an owner: for them it is enough that nobody else owns them.
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

/** Whether the shim's uid must be known to judge this object. */
export function namesShim({ metadata }: Unstructured, { metadata: { name } }: Cluster): boolean {
  return (metadata.ownerReferences ?? []).some(reference => isShimReference(reference, name));
}

function isMadeWithoutOwner(kind: string): boolean {
  return kind === 'MachineDeployment' || kind === 'MachinePool';
}
