// The common types of all Kubernetes objects. Types only: no parsing, no I/O.
import { withoutUndefined } from './json.ts';

/** Milliseconds since the epoch, UTC. */
export type Instant = number;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata of an object that the API server has stored. Times are RFC 3339, UTC. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** A stored object of any kind. Unknown fields are kept unchanged. */
export interface Unstructured {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

/** The object of a watch event or a metadata-only read, without spec and status. */
export interface PartialObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object to be written. Values may contain `{ uidOf: actionId }` for the uid from an earlier action's response. */
export interface Intent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<ObjectMeta> & { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The body of a JSON merge patch (RFC 7386). */
export type MergePatch = Readonly<Record<string, unknown>>;

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** A kind in one version. `scope` determines the URL. The plural is derived from the kind (`names/plural.ts`). */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

export type GroupKind = Pick<Kind, 'group' | 'kind'>;

/** Identifies one object of one kind. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The name of the resource, if an API server was asked for it. Default: the plural of the kind. */
  readonly plural?: string;
}

/** A namespaced name. `namespace` is "" for cluster-scoped objects. */
export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** Selects objects of one kind. An absent namespace means all namespaces. Labels and fields are compared for equality. */
export interface ListQuery {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * A field selector, for instance `{ 'spec.nodeName': 'n1' }`. An absent field equals "". The server refuses fields that
   * the kind does not support. All kinds support `metadata.name`, and namespaced kinds support `metadata.namespace`.
   */
  readonly fields?: Readonly<Record<string, string>>;
  /** Only objects with all of these label keys, whatever their values. */
  readonly withLabels?: readonly string[];
  /** 'metadata' requests PartialObjectMetadata: neither spec nor status is transferred. Default: whole objects. */
  readonly as?: 'metadata' | 'object';
  /**
   * The dotted paths of the fields to read with `as: 'object'`, besides metadata. The other fields are dropped before the
   * answer is parsed. Default: all fields.
   */
  readonly parts?: readonly string[];
  /** The number of objects per page. Default: `pageSize`. */
  readonly limit?: number;
  /** No page is read after one with such an object. */
  readonly until?: (object: Unstructured) => boolean;
}

/** Converts a raw value to a T, or throws an Error with the field and the problem. */
export type Parser<T> = (raw: unknown) => T;

/** Returns `group/version`, or `version` for the core group. */
export function toApiVersion(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** Returns the group of an apiVersion, or "" for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** The version part of an apiVersion. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** Returns the reference of this object, stored or not. */
export function toRef({ apiVersion, kind, metadata: { name, namespace } }: NamedObject): ObjectRef {
  return { apiVersion, kind, name, ...withoutUndefined({ namespace }) };
}

/** What every object has. */
interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Returns `ns/name`, or `name` for cluster-scoped objects. Messages and logs contain this form. */
export function toDisplayName(of: { readonly namespace?: string; readonly name: string }): string {
  return of.namespace === undefined || of.namespace === '' ? of.name : `${of.namespace}/${of.name}`;
}
