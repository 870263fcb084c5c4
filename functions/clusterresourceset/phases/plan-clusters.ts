// The writes of one pass for the Clusters of a ClusterResourceSet. Each Cluster: its binding, the objects, then what was
// applied.
import { type Instant, type MergePatch, sameJson, toRef } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { placeOwner } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { ClusterResourceSet } from '../../../shared/api/cluster-resource-set/reader.ts';
import { type ResourceSetBinding, readBinding } from '../../../shared/api/cluster-resource-set-binding/reader.ts';
import type { DueResource, MatchedCluster, ObservedClusterWork, ObservedWorkload, SetResource } from '../seen.ts';
import { manifestText, type ObjectManifest } from './manifest.ts';
import { isBlocked } from './pick-work.ts';
import { type AppliedNow, bindingChange, newBinding, setOwner } from './plan-binding.ts';
import { type ObjectWrite, placeOf, planObject } from './plan-object.ts';

/** One object, and the action that writes it. */
export interface PlannedObject {
  readonly id: string;
  readonly manifest: ObjectManifest;
  readonly write: ObjectWrite;
}

export interface PlannedResource {
  readonly resource: DueResource;
  readonly objects: readonly PlannedObject[];
}

export interface PlannedCluster {
  readonly cluster: MatchedCluster;
  /** Something is due, and the workload cluster does not answer. */
  readonly isDown: boolean;
  readonly isPostponed: boolean;
  /** In the order of the spec. */
  readonly resources: readonly PlannedResource[];
}

export interface PlannedClusters {
  readonly owning: readonly Action[];
  /** Whether a resource prevents all work. */
  readonly isBlocked: boolean;
  readonly clusters: readonly PlannedCluster[];
  readonly actions: readonly Action[];
}

interface ClustersInput {
  readonly set: ClusterResourceSet;
  readonly resources: readonly SetResource[];
  readonly clusters: readonly ObservedClusterWork[];
  readonly now: Instant;
}

export function createBindingId({ name }: MatchedCluster): string {
  return `binding:create:${name}`;
}

export function patchBindingId({ name }: MatchedCluster): string {
  return `binding:patch:${name}`;
}

export function planClusters(input: ClustersInput): PlannedClusters {
  const { set, resources } = input;
  const owning = input.clusters.length === 0 ? [] : ownResources(set, resources);
  const blocked = isBlocked(resources);
  const clusters = blocked ? [] : input.clusters.map(seen => ({ seen, plan: planCluster(set, seen) }));
  const isOwned = (outcomes: Outcomes): boolean => owning.every(({ id }) => failureOf(outcomes, id) === undefined);
  return {
    owning,
    isBlocked: blocked,
    clusters: clusters.map(({ plan }) => plan),
    actions: [
      ...owning,
      ...clusters.flatMap(({ seen, plan }) => actionsOf(plan, { ...input, binding: seen.binding, isOwned })),
    ],
  };
}

function planCluster(
  { spec }: ClusterResourceSet,
  { cluster, due, isPostponed, workload }: ObservedClusterWork,
): PlannedCluster {
  return {
    cluster,
    isDown: workload.state === 'down',
    isPostponed,
    resources:
      workload.state === 'connected'
        ? due.map(resource => ({ resource, objects: planObjects(cluster, resource, { workload, ...spec }) }))
        : [],
  };
}

interface ObjectsContext {
  readonly workload: Extract<ObservedWorkload, { state: 'connected' }>;
  readonly strategy: string;
}

function planObjects(
  cluster: MatchedCluster,
  { index, manifests }: DueResource,
  { workload, strategy }: ObjectsContext,
): readonly PlannedObject[] {
  return manifests.map((manifest, number) => ({
    id: `object:${cluster.name}:${index}:${number}`,
    manifest,
    write: planObject(manifest, placeOf(manifest, workload.discovered, strategy), {
      live: workload.live.get(manifest) ?? { state: 'unread' },
      strategy,
    }),
  }));
}

interface ActionsContext extends ClustersInput {
  readonly binding: ResourceSetBinding | undefined;
  /** Returns whether all resources have their owner reference. Without it, nothing is applied. */
  isOwned(outcomes: Outcomes): boolean;
}

function actionsOf(plan: PlannedCluster, { set, resources, binding, now, isOwned }: ActionsContext): readonly Action[] {
  const { cluster } = plan;
  const object = newBinding(set, cluster);
  const planned = binding ?? readBinding({ ...object, metadata: { ...object.metadata, uid: '', resourceVersion: '' } });
  const storedBinding = (outcomes: Outcomes): ResourceSetBinding => {
    const created = outcomes.get(createBindingId(cluster));
    return created?.state === 'done' && created.object !== undefined ? readBinding(created.object) : planned;
  };
  const isReady = (outcomes: Outcomes): boolean =>
    isOwned(outcomes) && failureOf(outcomes, createBindingId(cluster)) === undefined;
  const changeOf = (outcomes: Outcomes): MergePatch => {
    const applied = appliedOf(resources, plan.resources, outcomes);
    return bindingChange(set, storedBinding(outcomes), { applied, now: toTimestamp(now) });
  };
  const create: Action = {
    id: createBindingId(cluster),
    onError: 'continue',
    when: isOwned,
    do: 'create',
    object,
    ours: () => true,
  };
  return [
    ...(binding === undefined ? [create] : []),
    ...plan.resources.flatMap(({ objects }) =>
      objects.flatMap(each => writeObject(each, { cluster, strategy: set.spec.strategy, isReady })),
    ),
    {
      id: patchBindingId(cluster),
      onError: 'continue',
      when: outcomes => isReady(outcomes) && Object.keys(changeOf(outcomes)).length > 0,
      do: 'patch',
      ref: toRef(planned.object),
      body: changeOf,
      resourceVersion: outcomes => storedBinding(outcomes).metadata.resourceVersion,
    },
  ];
}

interface ObjectContext {
  readonly cluster: MatchedCluster;
  readonly strategy: string;
  isReady(outcomes: Outcomes): boolean;
}

function writeObject(
  { id, manifest, write }: PlannedObject,
  { cluster, strategy, isReady }: ObjectContext,
): readonly Action[] {
  if (write.do === 'refuse' || write.do === 'nothing') {
    return [];
  }
  return [
    {
      id,
      onError: 'continue',
      when: isReady,
      do: 'manifest',
      place: write.place,
      object: manifest.object,
      ...(write.do === 'patch' ? { change: write.change } : {}),
      keepsExisting: strategy === 'ApplyOnce',
      target: cluster,
    },
  ];
}

/** In the order of the spec. Contains the resources whose data could not be read. */
function appliedOf(
  resources: readonly SetResource[],
  planned: readonly PlannedResource[],
  outcomes: Outcomes,
): readonly AppliedNow[] {
  return resources.flatMap((resource, index) => {
    const { kind, name } = resource;
    if (resource.state === 'found' && resource.content?.ok === false) {
      return [{ kind, name, isApplied: false, hash: undefined }];
    }
    return planned.filter(each => each.resource.index === index).map(each => appliedNow(each, outcomes));
  });
}

function appliedNow({ resource, objects }: PlannedResource, outcomes: Outcomes): AppliedNow {
  const { kind, name, hash } = resource;
  const isApplied = objects.every(object => objectResult(object, resource, outcomes).state === 'applied');
  return { kind, name, hash, isApplied };
}

export type ObjectResult =
  | { readonly state: 'applied' }
  /** The time of the pass was over. */
  | { readonly state: 'postponed' }
  | { readonly state: 'failed'; readonly error: string };

/** For objects of Secrets, the error contains only the reason, because API servers quote values. */
export function objectResult(
  { id, manifest, write }: PlannedObject,
  resource: Pick<DueResource, 'kind'>,
  outcomes: Outcomes,
): ObjectResult {
  if (write.do === 'refuse') {
    return { state: 'failed', error: write.error };
  }
  const failure = failureOf(outcomes, id);
  if (failure === undefined) {
    return { state: 'applied' };
  }
  if (failure.reason === 'Aborted') {
    return { state: 'postponed' };
  }
  const verb = write.do === 'patch' ? 'patching' : 'creating';
  const tail = resource.kind === 'Secret' ? failure.reason : failure.message;
  return { state: 'failed', error: `${verb} object ${manifestText(manifest)}: ${tail}` };
}

/**
 * Returns the writes of missing owner references, which do not depend on a connection. With them, `clusterctl move` takes
 * the objects along, and the garbage collector deletes them with the last ClusterResourceSet.
 */
function ownResources(set: ClusterResourceSet, resources: readonly SetResource[]): readonly Action[] {
  return resources.flatMap((resource): readonly Action[] => {
    if (resource.state !== 'found') {
      return [];
    }
    const { kind, name, metadata } = resource;
    const { ownerReferences = [], resourceVersion, uid } = metadata;
    const owners = placeOwner(ownerReferences, setOwner(set));
    return owners === ownerReferences
      ? []
      : [
          {
            id: `own:${kind}:${name}`,
            onError: 'continue',
            do: 'patch',
            ref: { apiVersion: 'v1', kind, namespace: set.metadata.namespace, name },
            body: { metadata: { ownerReferences: owners } },
            resourceVersion,
            allows: newer => newer.uid === uid && sameJson(newer.ownerReferences ?? [], ownerReferences),
          },
        ];
  });
}
