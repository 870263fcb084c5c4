// One object for a workload cluster, as a ConfigMap or Secret describes it. Its fields may have any type.
import { groupOf, type JsonObject, memberOf, toDisplayName, versionOf } from '@capi-serverless/apimachinery';

/** The time of a function is enough to create this number of objects. */
export const mostObjects = 1_000;

export interface ObjectManifest {
  /** Sent as it is. */
  readonly object: JsonObject;
  /** "" for a field that is absent or no text. The same holds for the other names. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generateName: string;
}

export function toManifest(object: JsonObject): ObjectManifest {
  const metadata = memberOf(object, 'metadata');
  return {
    object,
    apiVersion: textOf(object, 'apiVersion'),
    kind: textOf(object, 'kind'),
    namespace: textOf(metadata, 'namespace'),
    name: textOf(metadata, 'name'),
    generateName: textOf(metadata, 'generateName'),
  };
}

/** The name of the object in messages, for example `/v1, Kind=ConfigMap ns/c1`. */
export function manifestText({ apiVersion, kind, ...named }: ObjectManifest): string {
  return `${groupOf(apiVersion)}/${versionOf(apiVersion)}, Kind=${kind} ${toDisplayName(named)}`;
}

/** Kinds that other kinds need come first. The group is ignored. */
const firstKinds = [
  'Namespace',
  'CustomResourceDefinition',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Secret',
  'ConfigMap',
  'ServiceAccount',
  'LimitRange',
  'Pod',
  'ReplicaSet',
  // Upstream has the singular, so Endpoints are not first.
  'Endpoint',
];

/** Objects of the same rank keep their order. */
export function inOrderOfKinds(manifests: readonly ObjectManifest[]): readonly ObjectManifest[] {
  return manifests.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ kind }: ObjectManifest): number {
  const place = firstKinds.indexOf(kind);
  return place < 0 ? firstKinds.length : place;
}

function textOf(value: unknown, field: string): string {
  const text = memberOf(value, field);
  return typeof text === 'string' ? text : '';
}
