// The kinds being served: built-in ones and those that CustomResourceDefinitions establish.
import { groupOf, type Instant, versionOf } from '../../../../shared/api/object.ts';
import type { Draft, Stored } from './object.ts';
import type { ObjectSchema } from './schema/object-schema.ts';
import { type Cause, NoSuchRouteError } from './status.ts';

/** A column of a table, as CustomResourceDefinitions name them. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** A path, or several of which the first that leads to a text counts. */
export type SelectableField = readonly string[] | { readonly anyOf: readonly (readonly string[])[] };

/** What users may call the resource. */
export interface ResourceNames {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface ServedVersion {
  readonly name: string;
  /** Whether `/status` exists; if so, writes to the main resource leave the status alone. */
  readonly status: boolean;
  /** Absent where every member is taken as it comes. */
  readonly schema?: ObjectSchema;
  /** As the definition has it, for OpenAPI. */
  readonly openApi?: unknown;
  /** Shown after the name; absent: the age alone. */
  readonly columns?: readonly Column[];
  /** What field selectors can name besides name and namespace, and where the stored object has it: the first that is there. */
  readonly selectableFields?: Readonly<Record<string, SelectableField>>;
  /** Told to whoever uses this version. */
  readonly deprecation?: string;
}

/** What decides besides the object itself. */
export interface Surroundings {
  readonly now: Instant;
  /** All other objects of the kind. */
  others(): readonly Stored[];
}

/** What a kind does differently from all others. Every function is pure. */
export interface Strategy {
  /** Fills in what is read into every body, whoever sends it; what it adds belongs to the writer. May refuse. */
  complete?(draft: Draft): Draft;
  /** Fills in what the server decides; runs before validation on every write of the main resource. May refuse. */
  prepare?(draft: Draft, live: Stored | undefined, around: Surroundings): Draft;
  validate?(draft: Draft, live: Stored | undefined): readonly Cause[];
  /** What is accepted but unwise. */
  warnings?(draft: Draft): readonly string[];
  /** Changes the object when its deletion begins. */
  beforeDelete?(object: Stored, now: Instant): Stored;
  /** True while something besides `metadata.finalizers` keeps a deleted object. */
  holds?(object: Draft): boolean;
  /** Refuses the deletion by saying why. */
  forbidsDelete?(object: Stored): string | undefined;
}

/** How another resource shows objects that are stored as those of `endpoint`. Both functions are pure. */
export interface Elsewhere {
  readonly endpoint: Endpoint;
  toStored<T extends Draft>(draft: T): T;
  toShown(object: Stored): Stored;
}

/** One resource of one group, in all its versions. */
export interface Resource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names: ResourceNames;
  readonly namespaced: boolean;
  /** Only those that are served. */
  readonly versions: readonly ServedVersion[];
  readonly storageVersion: string;
  readonly custom: boolean;
  /** Whether `metadata.generation` is counted. */
  readonly countsGeneration: boolean;
  /** Whether an update without resourceVersion overwrites the latest state. */
  readonly unconditionalUpdate: boolean;
  /** Whether all objects, or those that are selected, can be deleted by one request. */
  readonly collectionDeletable: boolean;
  readonly nameRule: 'subdomain' | 'label';
  /** The kind is going away: nothing new is accepted. */
  readonly terminating: boolean;
  /** In the shape in which objects are stored. */
  readonly strategy: Strategy;
  /** Absent: it has a store of its own. */
  readonly storedAs?: Elsewhere;
}

/** One served version of a resource: what a URL, or apiVersion and kind, lead to. */
export interface Endpoint {
  readonly resource: Resource;
  readonly version: ServedVersion;
}

/** One object behind an endpoint. `namespace` is "" for cluster-scoped resources. */
export interface Address {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
}

export function resourceKey(resource: { readonly group: string; readonly plural: string }): string {
  return `${resource.plural}.${resource.group}`;
}

/** The endpoint whose shape stored objects have. */
export function storageOf(endpoint: Endpoint): Endpoint {
  return endpoint.resource.storedAs?.endpoint ?? endpoint;
}

export interface Registry {
  install(resource: Resource): void;
  uninstall(resource: Resource): void;
  all(): readonly Resource[];
  /** Those with a store of their own: every object is an object of one of them. */
  stored(): readonly Resource[];
  /** The version of the apiVersion does not matter. */
  ofGroupKind(apiVersion: string, kind: string): Resource | undefined;
  /** Throws NoSuchRouteError when the kind is not served in this version. */
  endpointOfKind(apiVersion: string, kind: string): Endpoint;
  /** Throws NoSuchRouteError when there is no such resource in this version. */
  endpointOfResource(group: string, version: string, plural: string): Endpoint;
}

export function createRegistry(): Registry {
  const byKey = new Map<string, Resource>();
  const byGroupKind = new Map<string, Resource>();
  const kindKey = (group: string, kind: string): string => `${kind}.${group}`;
  const ofGroupKind = (apiVersion: string, kind: string): Resource | undefined =>
    byGroupKind.get(kindKey(groupOf(apiVersion), kind));
  return {
    install(resource) {
      byKey.set(resourceKey(resource), resource);
      byGroupKind.set(kindKey(resource.group, resource.kind), resource);
    },
    uninstall(resource) {
      byKey.delete(resourceKey(resource));
      byGroupKind.delete(kindKey(resource.group, resource.kind));
    },
    all: () => [...byKey.values()],
    stored: () => [...byKey.values()].filter(({ storedAs }) => storedAs === undefined),
    ofGroupKind,
    endpointOfKind: (apiVersion, kind) => toEndpoint(ofGroupKind(apiVersion, kind), versionOf(apiVersion)),
    endpointOfResource: (group, version, plural) => toEndpoint(byKey.get(resourceKey({ group, plural })), version),
  };
}

function toEndpoint(resource: Resource | undefined, version: string): Endpoint {
  const served = resource?.versions.find(each => each.name === version);
  if (resource === undefined || served === undefined) {
    throw new NoSuchRouteError();
  }
  return { resource, version: served };
}
