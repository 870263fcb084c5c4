// What is due for each Cluster, and what of it one pass does.
import { compareText } from '@capi-serverless/apimachinery';
import type { ClusterResourceSet, ResourceName } from '../../../shared/api/cluster-resource-set/reader.ts';
import type { AppliedResource, ResourceSetBinding } from '../../../shared/api/cluster-resource-set-binding/reader.ts';
import type { ClusterWork, DueResource, MatchedCluster, SetResource } from '../seen.ts';
import { mostObjects } from './manifest.ts';

/** Returns what is recorded about the resources of this ClusterResourceSet. The name alone identifies it. */
export function recordedOf(binding: ResourceSetBinding | undefined, setName: string): readonly AppliedResource[] {
  return binding?.spec.bindings.find(entry => entry.clusterResourceSetName === setName)?.resources ?? [];
}

export function findRecorded(
  recorded: readonly AppliedResource[],
  { kind, name }: ResourceName,
): AppliedResource | undefined {
  return recorded.find(entry => entry.kind === kind && entry.name === name);
}

/** Returns whether the content of the resource must not be read: it is a Secret that is applied once and everywhere. */
export function isSettledSecret(
  set: ClusterResourceSet,
  name: ResourceName,
  bindings: readonly (ResourceSetBinding | undefined)[],
): boolean {
  return (
    name.kind === 'Secret' &&
    set.spec.strategy === 'ApplyOnce' &&
    bindings.every(binding => findRecorded(recordedOf(binding, set.metadata.name), name)?.applied === true)
  );
}

/** A resource that cannot be read, or that has another type, ends the work for all Clusters. A missing one does not. */
export function isBlocked(resources: readonly SetResource[]): boolean {
  return resources.some(({ state }) => state === 'unreadable' || state === 'wrongType');
}

export interface ClusterWithBinding {
  readonly cluster: MatchedCluster;
  readonly binding: ResourceSetBinding | undefined;
}

/**
 * Returns the Clusters in the order of their last attempts, so that a Cluster that fails does not use the limit of each
 * pass. A resource has no more objects than a pass, so the first one is always picked.
 */
export function pickWork(
  set: ClusterResourceSet,
  resources: readonly SetResource[],
  clusters: readonly ClusterWithBinding[],
): readonly ClusterWork[] {
  const known = clusters.map(each => {
    const recorded = recordedOf(each.binding, set.metadata.name);
    const due = isBlocked(resources) ? [] : dueOf(set.spec.strategy, resources, recorded);
    return { ...each, due, lastAttempt: lastAttemptOf(due, recorded) };
  });
  let left = mostObjects;
  return known
    .toSorted((a, b) => compareText(a.lastAttempt, b.lastAttempt) || compareText(a.cluster.name, b.cluster.name))
    .map(({ cluster, binding, due }) => {
      const picked: DueResource[] = [];
      for (const resource of due) {
        if (resource.manifests.length <= left) {
          picked.push(resource);
          left -= resource.manifests.length;
        }
      }
      return { cluster, binding, due: picked, isPostponed: picked.length < due.length };
    });
}

function dueOf(
  strategy: string,
  resources: readonly SetResource[],
  recorded: readonly AppliedResource[],
): readonly DueResource[] {
  return resources.flatMap((resource, index) => {
    if (resource.state !== 'found' || resource.content?.ok !== true) {
      return [];
    }
    const { kind, name, content } = resource;
    const { hash, manifests } = content.value;
    const entry = findRecorded(recorded, resource);
    const isDone = entry?.applied === true && (strategy === 'ApplyOnce' || entry.hash === hash);
    return isDone ? [] : [{ index, kind, name, hash, manifests }];
  });
}

/** "" if nothing is due, or if a resource was never tried. */
function lastAttemptOf(due: readonly DueResource[], recorded: readonly AppliedResource[]): string {
  return due.map(resource => findRecorded(recorded, resource)?.lastAppliedTime ?? '').toSorted()[0] ?? '';
}
