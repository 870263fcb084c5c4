// Pods and budgets of the conformance cases, and their requests.
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import type { RawAnswer } from '../../../support/raw-http.ts';
import { freshName } from '../../answers.ts';
import { type Api, core, created, done } from '../api-case.ts';

export interface PodParts {
  readonly labels?: JsonObject;
  readonly finalizers?: readonly string[];
  readonly spec?: JsonObject;
  /** Default: a running and ready Pod. `undefined` keeps the status of a new Pod. */
  readonly status?: JsonObject | undefined;
}

export function aPod(spec: JsonObject = {}): JsonObject & { metadata: { name: string } } {
  const containers = [{ name: 'main', image: 'example.com/main' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: freshName('pod') }, spec: { containers, ...spec } };
}

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** Creates a Pod on a Node. */
export async function givenPod(api: Api, parts: PodParts = {}): Promise<Unstructured> {
  const { labels = {}, finalizers = [], spec = {} } = parts;
  const body = aPod({ nodeName: 'node', ...spec });
  const { name } = body.metadata;
  const pod = created(await api.http.post(core(api, 'pods'), { ...body, metadata: { name, labels, finalizers } }));
  const status = 'status' in parts ? parts.status : ready;
  return status === undefined ? pod : done(await api.http.patch(`${core(api, 'pods', name)}/status`, { status }));
}

export function readPod(api: Api, { metadata }: Unstructured): Promise<RawAnswer> {
  return api.http.get(core(api, 'pods', metadata.name));
}

/** Sends a deletion of the Pod. */
export function deletePod(api: Api, { metadata }: Unstructured, options?: JsonObject): Promise<RawAnswer> {
  return api.http.delete(core(api, 'pods', metadata.name), options);
}

/** Sends an eviction of the Pod. */
export function evict(api: Api, { metadata }: Unstructured, deleteOptions?: JsonObject): Promise<RawAnswer> {
  return api.http.post(`${core(api, 'pods', metadata.name)}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: metadata.name, namespace: api.namespace },
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  });
}

interface BudgetParts {
  readonly spec?: JsonObject;
  /** Default: that of a processed budget that allows one disruption. */
  readonly status?: JsonObject;
}

export function budgets(api: Api, name: string): string {
  return `/apis/policy/v1/namespaces/${api.namespace}/poddisruptionbudgets/${name}`;
}

/** Creates a budget for the Pods with this label. */
export async function givenBudget(
  api: Api,
  app: string,
  { spec = {}, status = {} }: BudgetParts = {},
): Promise<string> {
  const name = freshName('budget');
  const body = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: { app } }, ...spec },
  };
  created(await api.http.post(budgets(api, name).replace(/\/[^/]+$/, ''), body));
  const counted = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    ...status,
  };
  done(await api.http.patch(`${budgets(api, name)}/status`, { status: counted }));
  return name;
}
