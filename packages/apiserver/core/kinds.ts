// The served kinds: built-in ones and those that CustomResourceDefinitions establish.
import { groupOf, type Instant, type JsonObject, versionOf } from '@capi-serverless/apimachinery';
import type { ObjectDraft, Stored } from './object.ts';
import type { ObjectSchema } from './schema/object-schema.ts';
import { NoSuchRouteError, type StatusCause } from './status.ts';
import type { ListStrategies } from './strategic-merge.ts';

/** A printer column, in the terms of CustomResourceDefinitions. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** A path, or several paths. The first path with a text value is used. */
export type SelectableField = readonly string[] | { readonly anyOf: readonly (readonly string[])[] };

/** The names of the resource for users. */
interface ResourceNames {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** Where an object has its replicas. The paths are members of the object. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Absent if the kind has no selector in text form. */
  readonly selector?: readonly string[];
}

export interface ServedVersion {
  readonly name: string;
  /** True if `/status` exists. In this case, writes to the main resource do not change the status. */
  readonly status: boolean;
  /** Present if `/scale` exists. */
  readonly scale?: ScalePaths;
  /** Absent if every member is accepted. */
  readonly schema?: ObjectSchema;
  /** The schema of the definition, for OpenAPI. */
  readonly openApi?: unknown;
  /** The columns after the name. If absent, only the age is shown. */
  readonly columns?: readonly Column[];
  /** The fields besides name and namespace that field selectors accept, with their path in the stored object. */
  readonly selectableFields?: Readonly<Record<string, SelectableField>>;
  /** The warning for requests of this version. */
  readonly deprecation?: string;
  /** Present if a program converts this version. */
  readonly convertedFrom?: ConvertedForm;
}

/** How objects of a version are converted. */
interface ConvertedForm {
  /** The storage version. */
  readonly endpoint: ResourceEndpoint;
  /** The argument has the storage version. Throws StatusError if it cannot be converted. */
  toServed(object: Stored): Stored;
  /** Throws StatusError if the body cannot be converted. */
  toStored(object: TypedObject): JsonObject;
  /** Returns the fields that the version does not have. */
  unknownFields(object: TypedObject): readonly string[];
  /** Returns the name in this version of a field of the storage version. */
  fieldOf(field: string): string;
}

/** An object with its version and kind. */
export interface TypedObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A custom kind and the version that is stored. */
export interface VersionedKind {
  readonly group: string;
  readonly kind: string;
  readonly storageVersion: string;
}

/** Other state that the rules of a kind read. */
export interface KindRuleContext {
  readonly now: Instant;
  /** Returns all other objects of the kind. */
  others(): readonly Stored[];
  /** Returns the names of the versions of a custom kind that a program converts. */
  convertedVersions(of: VersionedKind): readonly string[];
}

/** The specific behaviour of a kind. Every function is pure. */
export interface Strategy {
  /** Sets values when a body is decoded. The client owns the added values. May refuse the body. */
  complete?(draft: ObjectDraft): ObjectDraft;
  /**
   * Sets values that the server determines. Runs before validation on every write of the main resource. May refuse the
   * write.
   */
  prepare?(draft: ObjectDraft, live: Stored | undefined, around: KindRuleContext): ObjectDraft;
  validate?(draft: ObjectDraft, live: Stored | undefined, around: KindRuleContext): readonly StatusCause[];
  /** Warnings about valid but discouraged values. */
  warnings?(draft: ObjectDraft): readonly string[];
  /** Changes the object when its deletion begins. */
  beforeDelete?(object: Stored, now: Instant): Stored;
  /**
   * The kind has graceful deletion. Returns the seconds between the deletion and the removal of an object. Something
   * else must remove it then, for instance a kubelet.
   */
  graceSeconds?(object: Stored, requested: number | undefined): number;
  /** Returns true while something other than `metadata.finalizers` keeps a deleted object. */
  holds?(object: ObjectDraft): boolean;
  /** Returns the reason for refusing a deletion. */
  forbidsDelete?(object: Stored): string | undefined;
}

/** The user who asks what it may do. */
export interface ReviewedUser {
  readonly name: string;
  readonly groups: readonly string[];
  /** The user may send all requests. */
  readonly mayDoAll: boolean;
}

/** The form in which another resource returns the stored objects of `endpoint`. Both functions are pure. */
export interface StoredForm {
  readonly endpoint: ResourceEndpoint;
  toStored<T extends ObjectDraft>(draft: T): T;
  toServed(object: Stored): Stored;
}

/** One resource of one group, in all its versions. */
export interface Resource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names: ResourceNames;
  readonly namespaced: boolean;
  /** Contains the served versions only. */
  readonly versions: readonly ServedVersion[];
  readonly storageVersion: string;
  readonly custom: boolean;
  /** Whether writes increase `metadata.generation`. */
  readonly countsGeneration: boolean;
  /** Whether an update without resourceVersion overwrites the latest state. */
  readonly unconditionalUpdate: boolean;
  /** Whether deletecollection is supported. */
  readonly collectionDeletable: boolean;
  readonly nameRule: 'subdomain' | 'label';
  /** A create stores the status, although the kind has the status subresource. Default: false. */
  readonly keepsNewStatus?: boolean;
  /** A successful deletion is answered with the deleted object. Default: false. */
  readonly returnsDeleted?: boolean;
  /** Whether the subresource `eviction` exists. Default: false. */
  readonly evictable?: boolean;
  /** How strategic merge patches merge its lists. If absent, such patches are refused. */
  readonly listStrategies?: ListStrategies;
  /** Only get, list and watch exist, so there are no objects. Default: false. */
  readonly readOnly?: boolean;
  /**
   * Returns the status of a created object from its spec. Only `create` exists then, for all users, and nothing is stored.
   * Absent: objects are stored.
   */
  readonly review?: (spec: unknown, user: ReviewedUser) => JsonObject;
  /** The kind is terminating: no object can be created. */
  readonly terminating: boolean;
  /** The functions use objects in the stored form. */
  readonly strategy: Strategy;
  /** If absent, the resource has its own store. */
  readonly storedAs?: StoredForm;
}

/** One served version of a resource, named by a URL or by apiVersion and kind. */
export interface ResourceEndpoint {
  readonly resource: Resource;
  readonly version: ServedVersion;
}

/** One object behind an endpoint. `namespace` is "" for cluster-scoped resources. */
export interface Address {
  readonly endpoint: ResourceEndpoint;
  readonly namespace: string;
  readonly name: string;
}

/** A part of an object with its own URL and field manager entry. */
export type Subresource = 'status' | 'scale';

export function resourceKey(resource: { readonly group: string; readonly plural: string }): string {
  return `${resource.plural}.${resource.group}`;
}

/** The endpoint whose form is stored. */
export function storageOf(endpoint: ResourceEndpoint): ResourceEndpoint {
  return endpoint.resource.storedAs?.endpoint ?? endpoint;
}

export interface ResourceRegistry {
  install(resource: Resource): void;
  uninstall(resource: Resource): void;
  all(): readonly Resource[];
  /** Resources with their own store. Each object belongs to exactly one of them. */
  stored(): readonly Resource[];
  /** Ignores the version of the apiVersion. */
  ofGroupKind(apiVersion: string, kind: string): Resource | undefined;
  /** Throws NoSuchRouteError if the kind is not served in this version. */
  endpointOfKind(apiVersion: string, kind: string): ResourceEndpoint;
  /** Throws NoSuchRouteError if the resource is not served in this version. */
  endpointOfResource(group: string, version: string, plural: string): ResourceEndpoint;
}

export function createRegistry(): ResourceRegistry {
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
    stored: () => [...byKey.values()].filter(({ storedAs, review }) => storedAs === undefined && review === undefined),
    ofGroupKind,
    endpointOfKind: (apiVersion, kind) => toEndpoint(ofGroupKind(apiVersion, kind), versionOf(apiVersion)),
    endpointOfResource: (group, version, plural) => toEndpoint(byKey.get(resourceKey({ group, plural })), version),
  };
}

function toEndpoint(resource: Resource | undefined, version: string): ResourceEndpoint {
  const served = resource?.versions.find(each => each.name === version);
  if (resource === undefined || served === undefined) {
    throw new NoSuchRouteError();
  }
  return { resource, version: served };
}
