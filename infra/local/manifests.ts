// The manifests that a user hands to the local run: read with errors that say where and what to do, then applied.
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import type { ApiFailure } from '../../shared/api/answer.ts';
import { groupOf, type Intent, type ObjectRef, toDisplayName, type Unstructured } from '../../shared/api/object.ts';
import type { Writes } from '../../shared/kubernetes/port.ts';

/** Names the file, the document in it, the line, the problem and the remedy. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const filled = z.string().check(z.minLength(1));
const texts = z.nullish(z.record(z.string(), z.string()));

/** What must hold before the API server is asked; everything else is the server's to judge. */
const manifestSchema = z.looseObject({
  apiVersion: filled,
  kind: filled,
  metadata: z.looseObject({ name: filled, namespace: z.nullish(z.string()), labels: texts, annotations: texts }),
});

type Manifest = z.infer<typeof manifestSchema>;

/** What to do about a missing field. */
const remedies: Readonly<Record<string, string>> = {
  apiVersion: 'write the group and version of the kind, such as cluster.x-k8s.io/v1beta2',
  kind: 'write the kind, such as Cluster',
  metadata: 'write metadata with a name in it',
  name: 'give the object a name',
};
const textRemedy = 'write text; numbers and booleans need quotes';
const shapeRemedy = 'write apiVersion, kind, metadata and spec as keys of an object';
const syntaxRemedy = 'check indentation and quotes there';

/** Cluster-scoped kinds that may stand beside Clusters in a manifest; every other kind gets a namespace. */
const clusterScopedKinds: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'ExtensionConfig',
  'Namespace',
]);

/** One document of a file, with what it takes to say where in the file something stands. */
interface Place {
  readonly fileName: string;
  /** Counted from 1. */
  readonly number: number;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/**
 * The objects of a file, in its order: every document of it, and every item of a List. The namespace is `default` where
 * none is given. Throws ManifestError for the first problem.
 */
export function parseManifests(text: string, fileName: string): readonly Intent[] {
  const lines = new LineCounter();
  const documents: readonly Document.Parsed[] = [...parseAllDocuments(text, { lineCounter: lines })];
  const objects = documents.flatMap((document, at) => parseDocument({ fileName, number: at + 1, document, lines }));
  if (objects.length === 0) {
    throw new ManifestError(`${fileName}: holds no object; ${shapeRemedy}`);
  }
  return objects;
}

function parseDocument(place: Place): readonly Intent[] {
  const [error] = place.document.errors;
  if (error !== undefined) {
    // The message goes on with an excerpt of the file, which may show a Secret.
    const [problem] = error.message.split(/ at line \d|\n/, 1);
    throw toError(place, error.pos[0], `${problem}; ${syntaxRemedy}`);
  }
  const { contents } = place.document;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  return isEmpty ? [] : parseNode(contents, place);
}

function parseNode(node: Node, place: Place): readonly Intent[] {
  const items = isMap(node) ? node.get('items', true) : undefined;
  if (isMap(node) && isSeq(items) && String(node.get('kind')).endsWith('List')) {
    return items.items.flatMap(item => (isNode(item) ? parseNode(item, place) : []));
  }
  const value = toValue(node, place);
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) {
    return [toIntent(parsed.data)];
  }
  const path = parsed.error.issues[0]?.path.map(String) ?? [];
  throw toError(place, offsetOf(node, path), toProblem(path, node));
}

function toValue(node: Node, place: Place): unknown {
  try {
    return node.toJS(place.document);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw toError(place, offsetOf(node, []), `${message}; write the values out instead of referring to them`);
  }
}

function toIntent({ metadata, ...object }: Manifest): Intent {
  const { namespace, ...given } = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
  const home = typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
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

/** Where the deepest part of `path` begins that the file has. */
function offsetOf(node: Node, path: readonly string[]): number {
  const [next, ...rest] = path;
  const child = next !== undefined && isMap(node) ? node.get(next, true) : undefined;
  return isNode(child) && child.range !== undefined ? offsetOf(child, rest) : (node.range?.[0] ?? 0);
}

function toError({ fileName, number, lines }: Place, offset: number, problem: string): ManifestError {
  return new ManifestError(`${fileName}: document ${number}, line ${lines.linePos(offset).line}: ${problem}`);
}

export type ManifestResult =
  | { readonly outcome: 'created' | 'patched'; readonly ref: ObjectRef; readonly object: Unstructured }
  | { readonly outcome: 'refused'; readonly ref: ObjectRef; readonly failure: ApiFailure };

/** How many objects are on their way to the API server at a time. */
const parallelWrites = 16;

/** What the API server sets itself; present in files that were read from one. */
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
 * Creates each object, or merges it into the one that exists; status is left out. Cluster-scoped objects go first and
 * Clusters last, so that a Cluster finds what it refers to. One result per object, in the order given: a refused object
 * stops no other.
 */
export async function applyManifests(
  writes: Pick<Writes, 'create' | 'mergePatch'>,
  objects: readonly Intent[],
  options: { readonly fieldManager: string },
): Promise<readonly ManifestResult[]> {
  const results = new Map<Intent, ManifestResult>();
  for (const wave of [0, 1, 2]) {
    const members = objects.filter(object => waveOf(object) === wave);
    for (let start = 0; start < members.length; start += parallelWrites) {
      const batch = members.slice(start, start + parallelWrites);
      await Promise.all(batch.map(async object => results.set(object, await applyOne(writes, object, options))));
    }
  }
  return objects.flatMap(object => results.get(object) ?? []);
}

/** Lines for a person: what became of the object, and below it each field that the API server refused. */
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
  if (clusterScopedKinds.has(kind)) {
    return 0;
  }
  return kind === 'Cluster' && groupOf(apiVersion) === 'cluster.x-k8s.io' ? 2 : 1;
}

async function applyOne(
  writes: Pick<Writes, 'create' | 'mergePatch'>,
  manifest: Intent,
  options: { readonly fieldManager: string },
): Promise<ManifestResult> {
  const { apiVersion, kind, metadata, status: _, ...fields } = manifest;
  const { name, namespace } = metadata;
  const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
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
