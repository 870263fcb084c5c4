// Reads the manifests of a user and applies them. Errors contain the position and the remedy.

import {
  type ApiFailure,
  andThen,
  type Checked,
  groupOf,
  type Intent,
  invalid,
  type ObjectRef,
  toDisplayName,
  type Unstructured,
  valid,
  versionOf,
  type Writes,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { isMap, type Node } from 'yaml';
import * as z from 'zod/mini';
import { toStoredForm } from '../shared/conversion/stored-form.ts';
import { type ManifestNode, positionOf, readManifestNodes, type UnreadableManifest } from './manifest-nodes.ts';

/** The error contains the file, the document in it, the line, the problem and the remedy. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const filled = z.string().check(z.minLength(1));
const texts = z.nullish(z.record(z.string(), z.string()));

/** The parts that are checked before a request. The server validates the other parts. */
const manifestSchema = z.looseObject({
  apiVersion: filled,
  kind: filled,
  metadata: z.looseObject({ name: filled, namespace: z.nullish(z.string()), labels: texts, annotations: texts }),
});

type Manifest = z.infer<typeof manifestSchema>;

/** The remedy for a missing field. */
const remedies: Readonly<Record<string, string>> = {
  apiVersion: 'write the group and version of the kind, such as cluster.x-k8s.io/v1beta2',
  kind: 'write the kind, such as Cluster',
  metadata: 'write metadata with a name in it',
  name: 'give the object a name',
};
const textRemedy = 'write text; numbers and booleans need quotes';
const shapeRemedy = 'write apiVersion, kind, metadata and spec as keys of an object';

/** The cluster-scoped kinds that a manifest may contain. Every other kind gets a namespace. */
const clusterScopedKinds: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'ExtensionConfig',
  'Namespace',
]);

/** The namespace of objects that name none, as `kubectl -n` sets it. */
export const defaultNamespace = 'default';

/**
 * Returns the objects of a file in order: every document, and every item of a List. Throws ManifestError for the first
 * problem.
 */
export function parseManifests(text: string, fileName: string, namespace = defaultNamespace): readonly Intent[] {
  const objects = readManifestNodes(text, fileName).map(manifest => {
    const read = andThen(manifest, node => toObject(node, namespace));
    if (!read.ok) {
      const { number, line, problem } = read.error;
      throw new ManifestError(`${fileName}: document ${number}, line ${line}: ${problem}`);
    }
    return read.value;
  });
  if (objects.length === 0) {
    throw new ManifestError(`${fileName}: holds no object; ${shapeRemedy}`);
  }
  return objects;
}

/** Objects in the version that is stored. */
export interface StoredObjects {
  readonly objects: readonly Intent[];
  /** Sentences about objects that were in older versions. */
  readonly notes: readonly string[];
}

/** Converts the objects of Cluster API that are in an older version. Throws ManifestError for the first problem. */
export function inStoredVersion(objects: readonly Intent[]): StoredObjects {
  const stored = objects.map(object => {
    const read = toStoredForm(object);
    const name = `${object.kind} ${toDisplayName(object.metadata)}`;
    if (!read.ok) {
      throw new ManifestError(`${name} in version ${versionOf(object.apiVersion)}: ${read.error}`);
    }
    const { deprecation } = read.value;
    return { object: read.value.object, note: deprecation === undefined ? [] : [`${name}: ${deprecation}`] };
  });
  return { objects: stored.map(({ object }) => object), notes: stored.flatMap(({ note }) => note) };
}

/** Returns the object of a manifest, or the reason why there is none, with a remedy. */
export function toObject(manifest: ManifestNode, namespace = defaultNamespace): Checked<Intent, UnreadableManifest> {
  const parsed = manifestSchema.safeParse(manifest.value);
  if (parsed.success) {
    return valid(toIntent(parsed.data, namespace));
  }
  const path = parsed.error.issues[0]?.path.map(String) ?? [];
  const { fileName, number, node } = manifest;
  return invalid({ fileName, number, problem: toProblem(path, node), ...positionOf(manifest, path) });
}

function toIntent({ metadata, ...object }: Manifest, otherwise: string): Intent {
  const { namespace, ...given } = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
  const home = typeof namespace === 'string' && namespace !== '' ? namespace : otherwise;
  const place = clusterScopedKinds.has(object.kind) ? {} : { namespace: home };
  return { ...object, metadata: { ...given, name: metadata.name, ...place } };
}

function toProblem(path: readonly string[], node: Node): string {
  const field = path.at(-1);
  if (field === undefined || !isMap(node)) {
    return `is not an object; ${shapeRemedy}`;
  }
  const found = node.getIn(path);
  const missing = found === undefined || found === null || found === '';
  return missing
    ? `${path.join('.')} is missing; ${remedies[field] ?? textRemedy}`
    : `${path.join('.')} is not valid; ${field === 'metadata' ? remedies[field] : textRemedy}`;
}

type ManifestResult =
  | { readonly outcome: 'created' | 'patched'; readonly ref: ObjectRef; readonly object: Unstructured }
  | { readonly outcome: 'refused'; readonly ref: ObjectRef; readonly failure: ApiFailure };

/** The number of writes in parallel. */
const parallelWrites = 16;

/** Fields that the API server sets. Files that were read from a server contain them. */
const serverFields: readonly string[] = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];

/**
 * Creates or merges each object without its status. Order: cluster-scoped objects, namespaced objects, ExtensionConfigs
 * after their Secrets, Clusters last. Returns one result per object, in the given order. A refused object does not stop
 * the others.
 */
export async function applyManifests(
  writes: Pick<Writes, 'create' | 'mergePatch'>,
  objects: readonly Intent[],
  options: { readonly fieldManager: string },
): Promise<readonly ManifestResult[]> {
  const results = new Map<Intent, ManifestResult>();
  for (const wave of [0, 1, 2, 3]) {
    const members = objects.filter(object => waveOf(object) === wave);
    for (let start = 0; start < members.length; start += parallelWrites) {
      const batch = members.slice(start, start + parallelWrites);
      await Promise.all(batch.map(async object => results.set(object, await applyOne(writes, object, options))));
    }
  }
  return objects.flatMap(object => results.get(object) ?? []);
}

/** Returns lines for users: the result of the object, and below it each field that the API server refused. */
export function toResultLines(result: ManifestResult): readonly string[] {
  const name = `${result.ref.kind} ${toDisplayName(result.ref)}`;
  if (result.outcome !== 'refused') {
    return [`${name} ${result.outcome}`];
  }
  const causes = result.failure.causes ?? [];
  return causes.length === 0
    ? [`${name} refused: ${result.failure.message}`]
    : [`${name} refused:`, ...causes.map(cause => `  ${cause}`)];
}

function waveOf({ apiVersion, kind }: Intent): number {
  if (kind === 'ExtensionConfig') {
    return 2;
  }
  if (clusterScopedKinds.has(kind)) {
    return 0;
  }
  return kind === 'Cluster' && groupOf(apiVersion) === 'cluster.x-k8s.io' ? 3 : 1;
}

async function applyOne(
  writes: Pick<Writes, 'create' | 'mergePatch'>,
  manifest: Intent,
  options: { readonly fieldManager: string },
): Promise<ManifestResult> {
  const { apiVersion, kind, metadata, status: _, ...fields } = manifest;
  const { name, namespace } = metadata;
  const ref = { apiVersion, kind, name, ...withoutUndefined({ namespace }) };
  const own = Object.fromEntries(Object.entries(metadata).filter(([field]) => !serverFields.includes(field)));
  const created = await writes.create({ ...fields, apiVersion, kind, metadata: { ...own, name } }, options);
  if (created.ok) {
    return { outcome: 'created', ref, object: created.value };
  }
  if (created.failure.reason !== 'AlreadyExists') {
    return { outcome: 'refused', ref, failure: created.failure };
  }
  const patched = await writes.mergePatch(ref, { ...fields, metadata: own }, options);
  return patched.ok
    ? { outcome: 'patched', ref, object: patched.value }
    : { outcome: 'refused', ref, failure: patched.failure };
}
