// Reads the ConfigMaps and Secrets of a ClusterResourceSet.
import {
  type Checked,
  compareText,
  invalid,
  type Reads,
  toRecord,
  type Unstructured,
  valid,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import type { ClusterResourceSet, ResourceName } from '../../../shared/api/cluster-resource-set/reader.ts';
import type { ResourceSetBinding } from '../../../shared/api/cluster-resource-set-binding/reader.ts';
import { dataDigest } from '../../../shared/workload/data-digest.ts';
import { strategyProblem } from '../phases/gate.ts';
import type { ObjectManifest } from '../phases/manifest.ts';
import type { DataValue } from '../phases/parse-data.ts';
import { isSettledSecret } from '../phases/pick-work.ts';
import type { ResourceObjects, SetResource } from '../seen.ts';

const secretType = 'addons.cluster.x-k8s.io/resource-set';

interface ReadingContext {
  readonly set: ClusterResourceSet;
  /** The bindings of all Clusters that match. */
  readonly bindings: readonly (ResourceSetBinding | undefined)[];
  readonly meter?: WorkMeter | undefined;
}

/** In the order of the spec. The content of Secrets that are already applied for good is not read. */
export async function readResources(
  ask: Pick<Reads, 'get' | 'metadata'>,
  context: ReadingContext,
): Promise<readonly SetResource[]> {
  const { set, bindings } = context;
  const found = await Promise.all(
    set.spec.resources.map(async (name): Promise<SetResource | Read> => {
      const ref = { apiVersion: 'v1', kind: name.kind, namespace: set.metadata.namespace, name: name.name };
      if (isSettledSecret(set, name, bindings)) {
        const read = await ask.metadata(ref);
        return read.ok
          ? { ...name, state: 'found', metadata: read.value, content: undefined }
          : refusedRead(name, read);
      }
      const read = await ask.get(ref);
      return read.ok ? { ...name, object: read.value } : refusedRead(name, read);
    }),
  );
  if (!found.some(each => 'object' in each)) {
    return found.filter(each => 'state' in each);
  }
  // Loads the YAML parser. It is a separate chunk that is loaded when the first content is read.
  const { parseData } = await import('../phases/parse-data.ts');
  // In order, so that the same resources exceed the limit of work in each pass.
  return found.map(each => ('object' in each ? toResource(each, { ...context, parse: parseData }) : each));
}

type Parse = (values: readonly DataValue[], meter: WorkMeter | undefined) => Checked<readonly ObjectManifest[]>;

interface ParsingContext extends ReadingContext {
  readonly parse: Parse;
}

interface Read extends ResourceName {
  readonly object: Unstructured;
}

function refusedRead(
  name: ResourceName,
  { missing, failure }: { readonly missing: boolean; readonly failure: { readonly message: string } },
): SetResource {
  return { ...name, state: missing ? 'missing' : 'unreadable', error: failure.message };
}

function toResource({ kind, name, object }: Read, { set, meter, parse }: ParsingContext): SetResource {
  if (kind === 'Secret' && object['type'] !== secretType) {
    return { kind, name, state: 'wrongType' };
  }
  const problem = strategyProblem(set.spec.strategy);
  const content = problem === undefined ? contentOf(kind, object, texts => parse(texts, meter)) : invalid(problem);
  return { kind, name, state: 'found', metadata: object.metadata, content };
}

interface Value {
  readonly key: string;
  readonly bytes: Buffer;
}

function contentOf(
  kind: ResourceName['kind'],
  object: Unstructured,
  parse: (values: readonly DataValue[]) => Checked<readonly ObjectManifest[]>,
): Checked<ResourceObjects> {
  const values = valuesOf(kind, object);
  if (!values.ok) {
    return values;
  }
  const texts = values.value.map(({ key, bytes }) => ({ key, text: bytes.toString('utf8') }));
  const manifests = parse(texts);
  return manifests.ok
    ? valid({ hash: dataDigest(values.value.map(({ bytes }) => bytes)), manifests: manifests.value })
    : manifests;
}

/** Sorted by key. */
function valuesOf(kind: ResourceName['kind'], { metadata, ...object }: Unstructured): Checked<readonly Value[]> {
  const name = `${metadata.namespace}/${metadata.name}`;
  const data = Object.entries(toRecord(object['data'])).toSorted(([a], [b]) => compareText(a, b));
  if (data.length === 0) {
    return invalid(`failed to get data field from resource ${name}`);
  }
  const values: Value[] = [];
  for (const [key, value] of data) {
    if (typeof value !== 'string') {
      return invalid(`getting value for field ${key} in data from resource ${name}: it is not a text`);
    }
    values.push({ key, bytes: Buffer.from(value, kind === 'Secret' ? 'base64' : 'utf8') });
  }
  return valid(values);
}
