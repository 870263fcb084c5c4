// Asks the functions before a take-over, as an API server would ask them.
import { randomUUID } from 'node:crypto';
import { request } from 'node:https';
import { type Reads, toApiVersion, type Unstructured } from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import { toError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { UsageError } from '../../local/usage-error.ts';
import { hookPath } from '../../shared/admission/hooks.ts';
import { convertibleKinds, storedVersion } from '../../shared/conversion/kinds.ts';
import { conversionPath } from '../../shared/conversion/review-request.ts';
import { collect } from '../../shared/kubernetes/rest/answer-body.ts';

interface Posted {
  readonly status: number;
  readonly text: string;
}

/** Posts JSON. Rejects without an answer. */
export type Post = (url: string, body: object) => Promise<Posted>;

/** The time that an API server waits for a conversion. */
const timeoutMs = 30_000;
const longestAnswerBytes = 6 * 1024 * 1024;

/** `certificates`: those that are trusted instead of those of this machine, in PEM. */
export function createPost(certificates: string | undefined): Post {
  return (url, body) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const headers = { 'content-type': 'application/json' };
      const ca = certificates === undefined ? {} : { ca: certificates };
      const call = request(url, { method: 'POST', headers, signal, ...ca }, response => {
        collect(response, longestAnswerBytes).then(
          text => resolve({ status: response.statusCode ?? 0, text: text.toString() }),
          reject,
        );
      });
      call.on('error', reject);
      call.end(JSON.stringify(body));
    });
}

const admissionAnswer = z.object({ response: z.object({ uid: z.string(), allowed: z.literal(true) }) });

/** Returns the problem, or `undefined`. The review is one that is allowed whatever the cluster contains. */
export async function askAdmission(post: Post, url: string): Promise<string | undefined> {
  const uid = randomUUID();
  const oldObject = {
    apiVersion: `ipam.cluster.x-k8s.io/${storedVersion}`,
    kind: 'IPAddress',
    metadata: { name: 'probe' },
  };
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid, operation: 'DELETE', name: 'probe', object: null, oldObject },
  };
  const path = hookPath('validate', { group: 'ipam.cluster.x-k8s.io', kind: 'IPAddress' });
  const asked = await ask(post, `${url}${path}`, review);
  const isRight = admissionAnswer.safeParse(asked.value).data?.response.uid === uid;
  return isRight ? undefined : `The admission function does not answer: ${asked.problem}`;
}

/** A kind that objects of Cluster API refer to, with the version that references in v1beta1 must have. */
interface ReferencedKind {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

const definitionSchema = z.object({ spec: z.object({ group: z.string(), names: z.object({ kind: z.string() }) }) });
const contractLabels = [storedVersion, 'v1beta1'].map(contract => `cluster.x-k8s.io/${contract}`);

/** Returns the kinds of providers. Throws UsageError if the definitions cannot be listed. */
export async function readReferencedKinds(reads: Pick<Reads, 'list'>): Promise<readonly ReferencedKind[]> {
  const found = new Map<string, Unstructured>();
  for (const label of contractLabels) {
    const query = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', withLabels: [label] };
    const listed = await reads.list(query);
    if (!listed.ok) {
      throw new UsageError(`The definitions of providers cannot be listed: ${listed.failure.message}`);
    }
    for (const definition of listed.value) {
      found.set(definition.metadata.name, definition);
    }
  }
  const own = new Set(convertibleKinds.map(({ group }) => group));
  return [...found.values()].flatMap(definition => {
    const { group, names } = definitionSchema.parse(definition).spec;
    const { name, labels = {} } = definition.metadata;
    const contract = chooseContract({ name, labels });
    return own.has(group) || !contract.ok ? [] : [{ group, kind: names.kind, version: contract.value.version }];
  });
}

const converted = z.object({ spec: z.object({ infrastructureRef: z.object({ apiVersion: z.optional(z.string()) }) }) });
const conversionAnswer = z.object({
  response: z.object({
    uid: z.string(),
    result: z.object({ message: z.optional(z.string()) }),
    convertedObjects: z._default(z.array(converted), []),
  }),
});

/**
 * Returns the problem, or `undefined`. The function must convert Machines that refer to each of these kinds, and name the
 * versions that their definitions name. So it must be able to read them.
 */
export async function askConversion(
  post: Post,
  url: string,
  referenced: readonly ReferencedKind[],
): Promise<string | undefined> {
  const uid = randomUUID();
  const kinds = referenced.length === 0 ? [undefined] : referenced;
  const review = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid, desiredAPIVersion: 'cluster.x-k8s.io/v1beta1', objects: kinds.map(toMachine) },
  };
  const asked = await ask(post, `${url}${conversionPath}`, review);
  const { response } = conversionAnswer.safeParse(asked.value).data ?? {};
  if (response?.uid !== uid) {
    return `The conversion function does not answer: ${asked.problem}`;
  }
  if (response.convertedObjects.length !== kinds.length) {
    return `The conversion function does not convert a Machine: ${response.result.message ?? 'without a reason'}. It must reach this API server, and have the rights of "kubectl apply -k infra/kubernetes/conversion"`;
  }
  const wrong = referenced.filter(
    (kind, index) => response.convertedObjects[index]?.spec.infrastructureRef.apiVersion !== toApiVersion(kind),
  );
  const entries = wrong.map(({ kind, group, version }) => `${kind}.${group}: ${version}`);
  return wrong.length === 0
    ? undefined
    : `The conversion function names other versions in references than the CRDs of providers here: ${entries.join(', ')}. It reads another API server, or the CRDs were changed within the last 5 minutes; then repeat the command`;
}

/** Without a kind, nothing is referred to. */
function toMachine(of: ReferencedKind | undefined): object {
  const infrastructureRef = of === undefined ? {} : { apiGroup: of.group, kind: of.kind, name: 'probe' };
  return {
    apiVersion: `cluster.x-k8s.io/${storedVersion}`,
    kind: 'Machine',
    metadata: { name: 'probe', namespace: 'probe' },
    spec: { clusterName: 'probe', bootstrap: { dataSecretName: 'probe' }, infrastructureRef },
  };
}

interface Asked {
  readonly value: unknown;
  /** Never contains the path of the URL, which begins with the token. */
  readonly problem: string;
}

async function ask(post: Post, url: string, review: object): Promise<Asked> {
  try {
    const { status, text } = await post(url, review);
    const problem = `${new URL(url).origin} answers HTTP status ${status}${status === 404 ? ', as with another token' : ''}`;
    return { value: status === 200 ? JSON.parse(text) : undefined, problem };
  } catch (thrown) {
    return { value: undefined, problem: toError(thrown).message };
  }
}
