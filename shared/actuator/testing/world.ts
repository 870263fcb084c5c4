// One object of the provider and its Cluster on a server: begun as the Cluster's controller leaves them, one pass at a time.
import { type ObjectRef, toApiVersion, toDisplayName, type Unstructured } from '../../api/object.ts';
import { clusterNameLabel } from '../../contract/owner-references.ts';
import { readBoolean, valueOr } from '../../contract/path.ts';
import { providerPaths } from '../../contract/provider-paths.ts';
import { conditionOf } from './expectations.ts';
import { clear, createLife, type Life, valueOfAnswer } from './life.ts';
import type { ConformanceSetup } from './setup.ts';
import { specOf } from './specs.ts';

export interface World extends Life {
  readonly setup: ConformanceSetup;
  readonly cluster: ObjectRef;
  readonly finalizer: string;
  settleReady(pass?: () => Promise<unknown>): Promise<Unstructured>;
}

export interface WorldParts {
  /** Default true: the Cluster's controller was here. */
  readonly owned?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Of the Cluster. Default: an endpoint where the provider does not supply one. */
  readonly clusterSpec?: Readonly<Record<string, unknown>>;
}

export const pausedAnnotation = 'cluster.x-k8s.io/paused';
export const managedAnnotation = 'cluster.x-k8s.io/managed-by';

const clusterApiVersion = 'cluster.x-k8s.io/v1beta2';
export const suiteEndpoint = { host: 'endpoint-of-the-cluster.example', port: 6443 } as const;

/** Stores a Cluster and an object that it owns. Throws when one of them is refused. */
export async function beginWorld(setup: ConformanceSetup, parts: WorldParts = {}): Promise<World> {
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

function refsOf({ provider, namespace }: ConformanceSetup, id: string): Pick<World, 'ref' | 'cluster'> {
  const { primary } = provider.declaration;
  const home = { namespace, name: `conformance-${id}` };
  return {
    ref: { apiVersion: toApiVersion(primary), kind: primary.kind, ...home },
    cluster: { apiVersion: clusterApiVersion, kind: 'Cluster', ...home },
  };
}

/**
 * Takes away what is left of the world of this id: by the provider's own code, so that nothing stays behind the object either,
 * and by force where that does not end.
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
    await clear(kubernetes, [cluster]); // a paused one would hold the object
    await life.settleGone().catch(() => undefined); // whoever cannot be deleted has a case that says so
  }
  await clear(kubernetes, [ref, cluster]);
}

function finalizerOf({ provider, finalizer }: ConformanceSetup): string {
  const { kind, group } = provider.declaration.primary;
  return finalizer ?? `${kind.toLowerCase()}.${group}`;
}

function createWorld(setup: ConformanceSetup, { ref, cluster }: Pick<World, 'ref' | 'cluster'>): World {
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
