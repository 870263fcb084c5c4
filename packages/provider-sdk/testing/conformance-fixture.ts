// One object of the provider and its Cluster on a server, in the state that the Cluster's controller creates.

import { type ObjectRef, toApiVersion, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel, providerPaths, readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import { conditionOf } from './expectations.ts';
import { clear, createLife, type Life, valueOfAnswer } from './life.ts';
import type { ConformanceSetup } from './setup.ts';
import { specOf } from './suite-objects.ts';

export interface ConformanceWorld extends Life {
  readonly setup: ConformanceSetup;
  readonly cluster: ObjectRef;
  readonly finalizer: string;
  settleReady(pass?: () => Promise<unknown>): Promise<Unstructured>;
}

interface WorldParts {
  /** Whether the Cluster's controller has set the owner reference. Default: true. */
  readonly owned?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** The spec of the Cluster. Default: with an endpoint if the provider does not supply one. */
  readonly clusterSpec?: Readonly<Record<string, unknown>>;
}

export const managedAnnotation = 'cluster.x-k8s.io/managed-by';

const clusterApiVersion = 'cluster.x-k8s.io/v1beta2';
export const suiteEndpoint = { host: 'endpoint-of-the-cluster.example', port: 6443 } as const;

/** Creates a Cluster and an object that it owns. Throws if one of them is refused. */
export async function beginWorld(setup: ConformanceSetup, parts: WorldParts = {}): Promise<ConformanceWorld> {
  const { primary } = setup.provider.declaration;
  const { ref, cluster } = refsOf(setup, setup.newId());
  const { name } = ref;
  const home = { namespace: setup.namespace, name };
  const kubernetes = setup.kubernetes();
  const endpoint = setup.endpoint === 'fromCluster' ? { controlPlaneEndpoint: suiteEndpoint } : {};
  const stored = valueOfAnswer(
    await kubernetes.create({
      ...cluster,
      metadata: home,
      spec: {
        infrastructureRef: { apiGroup: primary.group, kind: primary.kind, name },
        ...(parts.clusterSpec ?? endpoint),
      },
    }),
    `Creating Cluster ${toDisplayName(home)}`,
  );
  const owner = { apiVersion: clusterApiVersion, kind: 'Cluster', name, uid: stored.metadata.uid };
  valueOfAnswer(
    await kubernetes.create({
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: {
        ...home,
        ...(parts.owned === false ? {} : { ownerReferences: [owner], labels: { [clusterNameLabel]: name } }),
        annotations: { ...setup.annotations, ...parts.annotations },
        finalizers: parts.finalizers ?? [],
      },
      spec: specOf(setup),
    }),
    `Creating ${ref.kind} ${toDisplayName(home)}`,
  );
  return createWorld(setup, { ref, cluster });
}

function refsOf({ provider, namespace }: ConformanceSetup, id: string): Pick<ConformanceWorld, 'ref' | 'cluster'> {
  const { primary } = provider.declaration;
  const home = { namespace, name: `conformance-${id}` };
  return {
    ref: { apiVersion: toApiVersion(primary), kind: primary.kind, ...home },
    cluster: { apiVersion: clusterApiVersion, kind: 'Cluster', ...home },
  };
}

/**
 * Deletes the remaining objects with this id. First it uses the provider's `delete`, so that external resources are
 * deleted too. If this fails, it removes the finalizers.
 */
export async function clearWorld(setup: ConformanceSetup, id: string): Promise<void> {
  const { ref, cluster } = refsOf(setup, id);
  const kubernetes = setup.kubernetes();
  const life = createLife({ reconciler: setup.provider, kubernetes, ref, now: setup.now() });
  const finalizers = (await life.find())?.metadata.finalizers?.filter(finalizer => finalizer === finalizerOf(setup));
  if (finalizers !== undefined && finalizers.length > 0) {
    await life.patch({
      metadata: { finalizers, annotations: { [pausedAnnotation]: null, [managedAnnotation]: null } },
    });
    await life.remove(ref);
    await clear(kubernetes, [cluster]); // a paused Cluster would block the deletion
    await life.settleGone().catch(() => undefined); // another case checks the deletion
  }
  await clear(kubernetes, [ref, cluster]);
}

function finalizerOf({ provider, finalizer }: ConformanceSetup): string {
  const { kind, group } = provider.declaration.primary;
  return finalizer ?? `${kind.toLowerCase()}.${group}`;
}

function createWorld(
  setup: ConformanceSetup,
  { ref, cluster }: Pick<ConformanceWorld, 'ref' | 'cluster'>,
): ConformanceWorld {
  const life = createLife({ reconciler: setup.provider, kubernetes: setup.kubernetes(), ref, now: setup.now() });
  return {
    ...life,
    setup,
    cluster,
    finalizer: finalizerOf(setup),
    async settleReady(step = life.pass) {
      await life.settle(object => isReady(object, setup), step);
      return life.read(ref);
    },
  };
}

export function isProvisioned(object: Unstructured | undefined, { contract }: ConformanceSetup): boolean {
  return valueOr(readBoolean(object, providerPaths[contract].provisioned), false);
}

function isReady(object: Unstructured | undefined, setup: ConformanceSetup): boolean {
  return isProvisioned(object, setup) && conditionOf(object, 'Ready')?.status === 'True';
}
