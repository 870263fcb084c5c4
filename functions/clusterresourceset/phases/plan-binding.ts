// The ClusterResourceSetBinding of a Cluster: what was applied there, by which ClusterResourceSet.
import {
  type Intent,
  type JsonObject,
  type MergePatch,
  type OwnerReference,
  sameJson,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { placeOwner } from '@capi-serverless/cluster-api/contract';
import {
  addonsApiVersion,
  type ClusterResourceSet,
  type ResourceName,
} from '../../../shared/api/cluster-resource-set/reader.ts';
import type {
  AppliedResource,
  ResourceSetBinding,
  SetBinding,
} from '../../../shared/api/cluster-resource-set-binding/reader.ts';
import type { MatchedCluster } from '../seen.ts';
import { findRecorded, recordedOf } from './pick-work.ts';

const bindingKind = 'ClusterResourceSetBinding';

/** The owner reference of a ClusterResourceSet on its bindings and resources. */
export function setOwner({ metadata }: ClusterResourceSet): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: addonsApiVersion, kind: 'ClusterResourceSet', name, uid };
}

export function newBinding(set: ClusterResourceSet, { namespace, name }: MatchedCluster): Intent {
  return {
    apiVersion: addonsApiVersion,
    kind: bindingKind,
    metadata: { namespace, name, ownerReferences: [setOwner(set)] },
    spec: { clusterName: name },
  };
}

/** The result of one resource in a pass. Without hash, its data could not be read. */
export interface AppliedNow extends ResourceName {
  readonly isApplied: boolean;
  readonly hash: string | undefined;
}

/** Returns the change of the binding. It is empty if the binding records everything. `now` is a timestamp. */
export function bindingChange(
  set: ClusterResourceSet,
  binding: ResourceSetBinding,
  { applied, now }: { readonly applied: readonly AppliedNow[]; readonly now: string },
): MergePatch {
  const owners = placeOwner(binding.metadata.ownerReferences, setOwner(set));
  const resources = applied.reduce(
    (recorded, each) => record(recorded, each, now),
    recordedOf(binding, set.metadata.name),
  );
  const bindings = withRecorded(binding, set.metadata.name, resources);
  return {
    ...(owners === binding.metadata.ownerReferences ? {} : { metadata: { ownerReferences: owners } }),
    ...(sameJson(bindings, binding.spec.bindings) ? {} : { spec: { bindings: toStoredBindings(bindings) } }),
  };
}

/** The time of data that still cannot be read is kept, so that the binding does not change with each pass. */
function record(
  recorded: readonly AppliedResource[],
  { kind, name, isApplied, hash }: AppliedNow,
  now: string,
): readonly AppliedResource[] {
  const before = findRecorded(recorded, { kind, name });
  if (before !== undefined && hash === undefined && before.hash === undefined && !before.applied) {
    return recorded;
  }
  const { hash: _, ...kept } = before ?? {};
  const after: AppliedResource = {
    ...kept,
    kind,
    name,
    ...withoutUndefined({ hash }),
    lastAppliedTime: now,
    applied: isApplied,
  };
  return before === undefined ? [...recorded, after] : recorded.map(entry => (entry === before ? after : entry));
}

function withRecorded(
  { spec }: ResourceSetBinding,
  name: string,
  resources: readonly AppliedResource[],
): readonly SetBinding[] {
  return spec.bindings.some(({ clusterResourceSetName }) => clusterResourceSetName === name)
    ? spec.bindings.map(entry => (entry.clusterResourceSetName === name ? { ...entry, resources } : entry))
    : [...spec.bindings, { clusterResourceSetName: name, resources }];
}

/** Returns the list as it is stored: without empty lists of resources. */
export function toStoredBindings(bindings: readonly SetBinding[]): readonly JsonObject[] {
  return bindings.map(entry => {
    const { resources, ...others } = entry;
    return resources.length === 0 ? others : entry;
  });
}
