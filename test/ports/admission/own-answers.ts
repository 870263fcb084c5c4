// Sends reviews to the admission function as an API server does, without a network.
import {
  answered,
  type JsonObject,
  type ListQuery,
  type ObjectRef,
  type Reads,
  refused,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { parseFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import type { DecisionPorts } from '../../../functions/admission/decider.ts';
import { loadDecider } from '../../../functions/admission/load-decider.ts';
import { serveReview } from '../../../functions/admission/serve-review.ts';
import { createMetricsRegistry } from '../../../shared/telemetry/metrics-registry.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import type { UpstreamReview } from '../../upstream-manager/webhooks.ts';

const token = 'the-token-in-the-path-of-hooks';

/** Reads of these objects. Nothing is polled, because time does not pass. */
function readsOf(objects: readonly JsonObject[]): Awaited<ReturnType<DecisionPorts['connect']>> {
  const stored = objects as readonly unknown[] as readonly Unstructured[]; // True: they have a kind and metadata.
  const ofKind = (apiVersion: string, kind: string) =>
    stored.filter(object => object.kind === kind && object.apiVersion.split('/')[0] === apiVersion.split('/')[0]);
  const find = ({ apiVersion, kind, namespace, name }: ObjectRef) =>
    ofKind(apiVersion, kind).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const get: Reads['get'] = async (ref: ObjectRef) => {
    const found = find(ref);
    return found === undefined
      ? refused({ reason: 'NotFound', code: 404, message: `${ref.kind} ${ref.name} not found` })
      : answered(found as never);
  };
  return {
    get,
    metadata: async ref => {
      const found = find(ref);
      return found === undefined
        ? refused({ reason: 'NotFound', code: 404, message: `${ref.kind} ${ref.name} not found` })
        : answered(found.metadata);
    },
    list: async ({ apiVersion, kind, namespace, labels = {} }: ListQuery) =>
      answered(
        ofKind(apiVersion, kind).filter(
          ({ metadata }) =>
            metadata.namespace === namespace &&
            Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value),
        ) as never,
      ),
    watches: {
      page: async query => answered({ items: ofKind(query.apiVersion, query.kind), resourceVersion: '1' }),
    },
  };
}

/** Upstream enables preflight checks by default. */
export function toDecisionGates(featureGates: string): DecisionPorts['gates'] {
  const parsed = parseFeatureGates(featureGates);
  if (!parsed.ok) {
    throw new Error(parsed.error);
  }
  return {
    clusterTopology: parsed.value.ClusterTopology,
    runtimeSdk: parsed.value.RuntimeSDK,
    taintPropagation: parsed.value.MachineTaintPropagation,
    machinePool: parsed.value.MachinePool,
    machineSetPreflightChecks: true,
  };
}

/** Returns the answers in the same order. */
export async function askFunction(
  featureGates: string,
  reviews: readonly UpstreamReview[],
): Promise<readonly JsonObject[]> {
  const gates = toDecisionGates(featureGates);
  const clock = new SteppedClock();
  const answers: JsonObject[] = [];
  for (const { path, review, objects } of reviews) {
    const ports: DecisionPorts = {
      gates,
      connect: async () => readsOf(objects),
      sleep: async ms => clock.advance(ms),
      now: () => clock.now(),
      signal: new AbortController().signal,
    };
    const response = await serveReview(
      {
        functionName: 'admission',
        tokens: { current: async () => [token] },
        clock,
        log: aRecordingLog(),
        metrics: createMetricsRegistry(),
        loadDecider,
        portsFor: () => ports,
      },
      {
        version: '2.0',
        rawPath: `/${token}${path}`,
        rawQueryString: 'timeout=10s',
        headers: { 'content-type': 'application/json' },
        requestContext: { http: { method: 'POST' } },
        body: JSON.stringify(review),
        isBase64Encoded: false,
      },
    );
    answers.push(JSON.parse(response.body).response);
  }
  return answers;
}
