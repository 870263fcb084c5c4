// A Kubernetes API with the objects of manifests. uids, versions and status are those in the manifests.

import {
  crdNameOf,
  groupOf,
  type Instant,
  type Intent,
  isJsonObject,
  type Kubernetes,
  type ObjectMeta,
  pluralOf,
  toDisplayName,
  valueAt,
  versionOf,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type ApiCore, createApiCore, StatusError, type Stored } from '@capi-serverless/apiserver/core';
import { readFiles } from '../../local/findings/read-files.ts';
import {
  defaultNamespace,
  inStoredVersion,
  ManifestError,
  parseManifests,
  type StoredObjects,
} from '../../local/manifests.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { UsageError } from '../../local/usage-error.ts';
import { coreCrdOf, coreCrds } from '../../shared/api/crds.ts';
import { createMemoryKubernetes } from '../../shared/kubernetes/memory/memory-kubernetes.ts';
import { toAssumedDefinition } from './assumed-definition.ts';

interface Seeded {
  readonly core: ApiCore;
  readonly kubernetes: Kubernetes;
  /** Sentences about the assumptions. */
  readonly assumptions: readonly string[];
}

const definitionKind = 'CustomResourceDefinition';
/** The contract version of current providers. */
const assumedContract = 'v1beta2';
const contractPrefix = 'cluster.x-k8s.io/v';

/** An object from a manifest or an API server. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
  readonly [field: string]: unknown;
}

/**
 * Reads files, folders, and the standard input for `-`. `namespace` is that of objects that name none. Throws UsageError
 * for a file that cannot be read or contains no objects.
 */
export async function readObjects(files: readonly string[], namespace = defaultNamespace): Promise<readonly Intent[]> {
  const read = await Promise.all(files.map(readFiles));
  return orUsageError(() => {
    const objects = read.flat().flatMap(({ name, text }) => parseManifests(text, name, namespace));
    if (objects.length === 0) {
      throw new UsageError(`${files.join(', ')} contains no .yaml, .yml or .json file`);
    }
    return objects;
  });
}

/** Like `readObjects`, in the version that is stored. Throws UsageError also for an object that cannot be converted. */
export async function readStoredObjects(files: readonly string[], namespace: string): Promise<StoredObjects> {
  const objects = await readObjects(files, namespace);
  return orUsageError(() => inStoredVersion(objects));
}

function orUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof ManifestError ? new UsageError(thrown.message, { cause: thrown }) : thrown;
  }
}

/**
 * Returns a server with exactly these objects. A kind without a definition gets a definition that accepts any fields.
 * Throws UsageError for a duplicate object, for an object in a version that is never read, and for one of Cluster API
 * that an API server would refuse.
 */
export function seed(objects: readonly GivenObject[], now: Instant): Seeded {
  const given = objects.filter(object => object.kind === definitionKind);
  const others = objects.filter(object => object.kind !== definitionKind);
  const { definitions, assumptions } = toDefinitions(given.map(toFresh), others);
  const options = { now: () => now, ids: { uid: countingUids(), nameSuffix: () => 'aaaaa' } };
  const empty = createApiCore(options);
  for (const definition of definitions) {
    define(empty, definition);
  }
  const snapshot = empty.snapshot();
  const stored = others.map((object, index) => toStored(object, { now, index, first: snapshot.resourceVersion + 1 }));
  refuseRepetitions(stored);
  refuseOtherVersions(stored);
  refuseWrongTypes(empty, stored);
  const newest = Math.max(...stored.map(({ metadata }) => Number(metadata.resourceVersion)), snapshot.resourceVersion);
  const kept = snapshot.objects.filter(object => !stored.some(other => keyOf(other) === keyOf(object)));
  const core = createApiCore({
    ...options,
    snapshot: { ...snapshot, resourceVersion: newest, objects: [...kept, ...stored] },
  });
  return { core, kubernetes: createMemoryKubernetes(core), assumptions };
}

/** The order is: definitions of the files, built-in definitions, then an assumed definition for every other kind. */
function toDefinitions(given: readonly Intent[], objects: readonly GivenObject[]) {
  const known = new Map<string, Intent>(given.map(crd => [crd.metadata.name, crd]));
  for (const crd of [...coreCrds, ...simulatedCrds]) {
    if (!known.has(crd.metadata.name)) {
      known.set(crd.metadata.name, crd);
    }
  }
  const assumptions: string[] = [];
  for (const { apiVersion, kind, metadata } of [...objects, ...objects.flatMap(madeFrom)]) {
    const group = groupOf(apiVersion);
    const name = crdNameOf({ group, kind });
    if (!group.includes('.') || known.has(name)) {
      continue;
    }
    const version = versionOf(apiVersion);
    const labels = { [`cluster.x-k8s.io/${assumedContract}`]: version };
    known.set(
      name,
      toAssumedDefinition({ group, kind, plural: pluralOf(kind), version, labels, isNamed: !!metadata.namespace }),
    );
    assumptions.push(
      `${definitionKind} ${name} is in none of the files: taken for contract ${assumedContract} in version ${version}`,
    );
  }
  return { definitions: [...known.values()], assumptions };
}

/** A topology creates objects of another kind from a template. The files may contain no object of this kind. */
function madeFrom({ kind, ...template }: GivenObject): readonly GivenObject[] {
  return kind.endsWith('Template') ? [{ ...template, kind: kind.slice(0, -'Template'.length) }] : [];
}

/** If the embedded server refuses a definition, an assumed definition that accepts any fields replaces it. */
function define({ create, registry }: ApiCore, definition: Intent): void {
  const endpoint = registry.endpointOfKind(definition.apiVersion, definition.kind);
  try {
    create(endpoint, '', definition);
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) {
      throw thrown;
    }
    create(endpoint, '', toPermissive(definition));
  }
}

/** Returns the definition as it would be applied, with only the contract labels. */
function toFresh({ apiVersion, kind, metadata, spec }: GivenObject): Intent {
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => key.startsWith(contractPrefix));
  return { apiVersion, kind, metadata: { name: metadata.name, labels: Object.fromEntries(labels) }, spec };
}

/** Contains names, versions and contract labels. */
function toPermissive(crd: Intent): Intent {
  const text = (path: string): string => String(valueAt(crd['spec'], path) ?? '');
  const versions = valueAt(crd['spec'], 'versions');
  const names = Array.isArray(versions) ? versions.filter(isJsonObject).map(version => String(version['name'])) : [];
  const common = { group: text('group'), kind: text('names.kind'), plural: text('names.plural') };
  const { labels = {} } = crd.metadata;
  return toAssumedDefinition({ ...common, isNamed: text('scope') !== 'Cluster', version: names.join('_'), labels });
}

/** The fields that an API server sets and that manual manifests do not contain. */
function toStored(
  object: GivenObject,
  of: { readonly now: Instant; readonly index: number; readonly first: number },
): Stored {
  const { uid, resourceVersion = '', generation, creationTimestamp } = object.metadata;
  const version = /^[1-9]\d*$/.test(resourceVersion) ? resourceVersion : String(of.first + of.index);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: uid ?? `unknown-${of.index + 1}`,
      resourceVersion: version,
      generation: generation ?? 1,
      creationTimestamp: creationTimestamp ?? toTimestamp(of.now),
    },
  };
}

/** Throws UsageError for an object that is in the list twice. */
export function refuseRepetitions(objects: readonly GivenObject[]): void {
  const seen = new Set<string>();
  for (const object of objects) {
    if (seen.has(keyOf(object))) {
      throw new UsageError(`${object.kind} ${toDisplayName(object.metadata)} is in the files twice`);
    }
    seen.add(keyOf(object));
  }
}

/** A plan would leave unreadable fields out, as if the object had been stored without them. */
function refuseWrongTypes({ registry }: ApiCore, objects: readonly Stored[]): void {
  const problems = objects
    .filter(object => coreCrdOf(object) !== undefined)
    .flatMap(object => {
      const { version } = registry.endpointOfKind(object.apiVersion, object.kind);
      const name = `${object.kind} ${toDisplayName(object.metadata)}`;
      // A problem without a field only says that rules were not evaluated.
      const fields = (version.schema?.problems(object) ?? []).filter(({ field }) => field !== '<nil>');
      return fields.map(({ field, message }) => `${name}: ${field}: ${message}`);
    });
  if (problems.length > 0) {
    throw new UsageError(`An API server would refuse the files: ${problems.join('; ')}`);
  }
}

/** A version that cannot be converted would be read as the known version. Throws UsageError. */
export function refuseOtherVersions(objects: readonly GivenObject[]): void {
  for (const { apiVersion, kind, metadata } of objects) {
    const spec = coreCrdOf({ apiVersion, kind })?.spec;
    if (spec !== undefined && !spec.versions.some(({ name }) => name === versionOf(apiVersion))) {
      const [version] = spec.versions;
      const resource = `${spec.names.plural}.${version?.name}.${spec.group}`;
      throw new UsageError(
        `${kind} ${toDisplayName(metadata)} is in version ${versionOf(apiVersion)}; print it with kubectl get ${resource} -o yaml`,
      );
    }
  }
}

function keyOf({ apiVersion, kind, metadata }: Pick<GivenObject, 'apiVersion' | 'kind' | 'metadata'>): string {
  return JSON.stringify([groupOf(apiVersion), kind, metadata.namespace ?? '', metadata.name]);
}

function countingUids(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `definition-${count}`;
  };
}
