// The Cluster of a ClusterResourceSetBinding. Bindings made before Cluster API v1.4 name it in an owner reference only.
import {
  type Checked,
  groupOf,
  invalid,
  type MergePatch,
  type OwnerReference,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterGroup } from '../../../shared/api/cluster/reader.ts';
import type { ResourceSetBinding } from '../../../shared/api/cluster-resource-set-binding/reader.ts';

const problem = 'failed to find cluster name in ownerRefs';

export function clusterNameOf({ metadata, spec }: ResourceSetBinding): Checked<string> {
  if (spec.clusterName !== '') {
    return valid(spec.clusterName);
  }
  const owner = metadata.ownerReferences.find(isCluster);
  if (owner === undefined) {
    return invalid(`${problem}: no cluster ownerRef`);
  }
  return owner.name === '' ? invalid(`${problem}: ref name is empty`) : valid(owner.name);
}

/** Returns the change that stores the name in the spec and removes the owner reference. It may be empty. */
export function nameChange({ metadata, spec }: ResourceSetBinding, clusterName: string): MergePatch {
  const owners = metadata.ownerReferences.filter(owner => !(isCluster(owner) && owner.name === clusterName));
  return {
    ...(owners.length === metadata.ownerReferences.length ? {} : { metadata: { ownerReferences: owners } }),
    ...(spec.clusterName === '' ? { spec: { clusterName } } : {}),
  };
}

function isCluster({ apiVersion, kind }: OwnerReference): boolean {
  return groupOf(apiVersion) === clusterGroup && kind === 'Cluster';
}
