// Discovery documents, unaggregated and aggregated. Pure.
// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
import { compareApiVersions, type JsonObject, toApiVersion } from '@capi-serverless/apimachinery';
import type { Resource, ServedVersion } from '../core/kinds.ts';

export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
/** In the order in which kube-apiserver lists them. */
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const readingVerbs = ['get', 'list', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

function verbsOf({ collectionDeletable, custom, readOnly, review }: Resource): readonly string[] {
  if (review !== undefined) {
    return ['create'];
  }
  if (readOnly === true) {
    return readingVerbs;
  }
  return (custom ? customVerbs : verbs).filter(verb => collectionDeletable || verb !== 'deletecollection');
}

interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of the body, if it is not that of the resource. */
  readonly of?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** kubectl evicts Pods only if it finds this. */
const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function subresourcesOf(resource: Resource, version: ServedVersion): readonly Subresource[] {
  return [
    ...(resource.evictable === true ? [{ name: 'eviction', verbs: ['create'], of: evictionKind }] : []),
    ...(resource.group === '' && resource.plural === 'namespaces' ? [{ name: 'finalize', verbs: ['update'] }] : []),
    ...(version.status ? [{ name: 'status', verbs: subresourceVerbs }] : []),
    ...(version.scale === undefined ? [] : [{ name: 'scale', verbs: subresourceVerbs, of: scaleKind }]),
  ];
}

/** Returns the group names without the core group. */
function groupsOf(resources: readonly Resource[]): readonly string[] {
  return [...new Set(resources.map(({ group }) => group))].filter(group => group !== '');
}

/** Sorts versions with the highest priority first. */
export function versionsOf(resources: readonly Resource[], group: string): readonly string[] {
  const own = resources.filter(resource => resource.group === group);
  const names = new Set(own.flatMap(({ versions }) => versions.map(({ name }) => name)));
  return [...names].sort((a, b) => compareApiVersions(b, a));
}

export function showCoreVersions(): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

export function showGroups(resources: readonly Resource[]): JsonObject {
  const groups = groupsOf(resources).map(group => describeGroup(resources, group));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(group => group !== undefined) };
}

/** Returns undefined if the group has no served resource. */
export function showGroup(resources: readonly Resource[], group: string): JsonObject | undefined {
  const described = describeGroup(resources, group);
  return described === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...described };
}

function describeGroup(resources: readonly Resource[], group: string): JsonObject | undefined {
  const versions = versionsOf(resources, group).map(version => ({
    groupVersion: toApiVersion({ group, version }),
    version,
  }));
  const [preferredVersion] = versions;
  return preferredVersion === undefined || group === '' ? undefined : { name: group, versions, preferredVersion };
}

interface Served {
  readonly resource: Resource;
  readonly version: ServedVersion;
}

export function servedIn(resources: readonly Resource[], group: string, version: string): readonly Served[] {
  return resources
    .filter(resource => resource.group === group)
    .flatMap(resource =>
      resource.versions.filter(({ name }) => name === version).map(served => ({ resource, version: served })),
    );
}

/** Returns undefined if the version has no served resource. Each resource precedes its subresources. */
export function showResources(resources: readonly Resource[], group: string, version: string): JsonObject | undefined {
  const served = servedIn(resources, group, version);
  return served.length === 0
    ? undefined
    : {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: toApiVersion({ group, version }),
        resources: served.flatMap(describeResource),
      };
}

function describeResource({ resource, version }: Served): readonly JsonObject[] {
  const { kind, plural: name, namespaced, names } = resource;
  const main = {
    name,
    singularName: names.singular,
    namespaced,
    kind,
    verbs: verbsOf(resource),
    ...commonNames(resource),
  };
  const subresources = subresourcesOf(resource, version).map(subresource => ({
    name: `${name}/${subresource.name}`,
    singularName: '',
    namespaced,
    ...(subresource.of ?? { kind }),
    verbs: subresource.verbs,
  }));
  return [main, ...subresources];
}

function commonNames({ names: { shortNames, categories } }: Resource): JsonObject {
  return {
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

/** Returns the core group, or all other groups. */
export function showAggregated(resources: readonly Resource[], of: 'core' | 'groups'): JsonObject {
  const groups = of === 'core' ? [''] : groupsOf(resources);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(group => ({
      metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
      versions: versionsOf(resources, group).map(version => ({
        version,
        resources: servedIn(resources, group, version).map(aggregateResource),
        freshness: 'Current',
      })),
    })),
  };
}

function aggregateResource({ resource, version }: Served): JsonObject {
  const { group, kind, plural, namespaced, names } = resource;
  const responseKind = { group, version: version.name, kind };
  const subresources = subresourcesOf(resource, version).map(subresource => ({
    subresource: subresource.name,
    responseKind: subresource.of ?? responseKind,
    verbs: subresource.verbs,
  }));
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: names.singular,
    verbs: verbsOf(resource),
    ...commonNames(resource),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
