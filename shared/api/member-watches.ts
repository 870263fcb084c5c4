// What the watches of members of a Cluster have in common: which primaries an expanded source selects, and the versions of
// the parts that they read. A version must not return, so that two processes that see different events cannot take a new
// state for an old one.
import { groupOf, type Name, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { type Condition, getCondition, pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { type Cluster, clusterGroup, coreKind, readCluster } from './cluster/reader.ts';

/** Selects the primaries in the namespace of the source whose label names it. Default value: its name. */
export function primariesLabelled(
  label: string,
  toValue: (name: string) => string = name => name,
): Required<Pick<Watch, 'matches' | 'matchParts' | 'scopeOf'>> {
  return {
    matchParts: [],
    matches: ({ metadata }, { namespace = '', name }) =>
      (metadata.namespace ?? '') === namespace && metadata.labels?.[label] === toValue(name),
    // After a gap between watches, the source has neither name nor namespace.
    scopeOf: ({ namespace, name }) => ({
      ...withoutUndefined({ namespace }),
      ...(name === undefined ? {} : { labels: { [label]: toValue(name) } }),
    }),
  };
}

/** The fields of the status of a MachineDeployment that its Cluster and its topology read, besides conditions. */
export const replicaFields: readonly string[] = [
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'upToDateReplicas',
  'versions',
];

/** The version of a condition: its status, and the time of its transition, which does not return. */
export function conditionVersion(conditions: readonly Condition[] | undefined, type: string): readonly unknown[] {
  const condition = getCondition(conditions, type);
  return [condition?.status, condition?.lastTransitionTime];
}

interface ReadParts {
  /** The types of conditions of the Cluster. */
  readonly conditions?: readonly string[];
  /** The dotted paths of the fields that `others` reads. */
  readonly fields?: readonly string[];
  /** What else the members read. */
  others?(cluster: Cluster): readonly unknown[];
}

/**
 * Clusters, whose members read their pause and these parts. The rest of the spec, such as the version of a topology, enqueues
 * no member.
 */
export function clusterWatch({ conditions = [], fields = [], others = () => [] }: ReadParts): Omit<Watch, 'map'> {
  const contentOf = (cluster: Cluster): readonly unknown[] => [
    cluster.spec.paused,
    ...conditions.map(type => conditionVersion(cluster.status.conditions, type)),
    ...others(cluster),
  ];
  return {
    source: coreKind('Cluster'),
    as: 'object',
    parts: ['spec.paused', ...(conditions.length === 0 ? [] : ['status.conditions']), ...fields],
    // A generation does not return, so a pause is never taken for an older one.
    versionOf(object) {
      const cluster = readCluster(object);
      return JSON.stringify([cluster.metadata.generation, ...contentOf(cluster)]);
    },
    contentOf: object => JSON.stringify(contentOf(readCluster(object))),
    ...primariesLabelled(clusterNameLabel),
  };
}

/** Clusters, whose pause concerns their members. */
export function clusterPauses(): Watch {
  return { ...clusterWatch({}), map: ({ type }) => (type === 'MODIFIED' ? 'expand' : []) };
}

/** The controlled objects of a kind. The selector of a controller may match an object that has none. */
export function controlledWatch(controlled: string, controller: string): Watch {
  return {
    source: coreKind(controlled),
    as: 'metadata',
    map: ({ object }) => toController(object, controller),
    expandsTo: 'namespace',
    matchParts: [],
    matches: ({ metadata }, { namespace }) => metadata.namespace === namespace,
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
  };
}

function toController({ metadata }: Unstructured, kind: string): readonly Name[] | 'expand' {
  const { ownerReferences = [], namespace = '' } = metadata;
  const controller = ownerReferences.find(owner => owner.controller === true);
  if (controller === undefined) {
    return 'expand';
  }
  return controller.kind === kind && groupOf(controller.apiVersion) === clusterGroup
    ? [{ namespace, name: controller.name }]
    : [];
}

/** The owners of this kind. None if the object is paused. */
export function ownersOfKind({ metadata }: Unstructured, owner: string): readonly Name[] {
  const { annotations = {}, namespace = '', ownerReferences = [] } = metadata;
  return pausedAnnotation in annotations
    ? []
    : ownerReferences
        .filter(({ apiVersion, kind }) => kind === owner && groupOf(apiVersion) === clusterGroup)
        .map(({ name }) => ({ namespace, name }));
}
