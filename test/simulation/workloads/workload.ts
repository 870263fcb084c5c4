// The definition of a workload: steps of a user with the same end state under all faults.
import type { Intent, ObjectRef, Unstructured } from '../../../packages/apimachinery/object.ts';
import { canary } from '../oracles/secrecy.ts';
import type { User } from '../system/user.ts';

export interface Workload {
  readonly name: string;
  /** One sentence. */
  readonly about: string;
  /** Whether creations and deletions depend on timing, so that their counts are not compared. */
  readonly countsVary?: true;
  /** With managed topologies: other reconcilers take part, and campaigns take samples because a run costs more. */
  readonly managed?: true;
  /** Why campaigns leave it out. It runs by its name, for instance for planted bugs. */
  readonly notInCampaigns?: string;
  /** The settled initial state. It is created without faults. */
  readonly given?: Given;
  /** Must lead to the same end state under all delays, losses and kills. */
  script(user: User): Promise<void>;
}

/** How the initial state of a workload is created. Workloads with the same setup share it. */
export interface Given {
  readonly name: string;
  script(user: User): Promise<void>;
}

const clusterVersion = 'cluster.x-k8s.io/v1beta2';

export const home = 'ns';

export function clusterRef(name = 'c1', namespace = home): ObjectRef {
  return { apiVersion: clusterVersion, kind: 'Cluster', namespace, name };
}

export function infraRef(name = 'c1', namespace = home): ObjectRef {
  return { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedCluster', namespace, name };
}

export function controlPlaneRef(name = 'c1', namespace = home): ObjectRef {
  return { apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', kind: 'SimulatedControlPlane', namespace, name };
}

export function namespaceNamed(name: string): Intent {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** The content of a Cluster's Secret. It must not occur anywhere else. */
export function aSecret(name: string, key: string, namespace = home): Intent {
  const value = JSON.stringify({ clusterName: 'c1', server: 'https://elsewhere.example:6443', key: canary });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
    type: 'cluster.x-k8s.io/secret',
    data: { [key]: Buffer.from(value).toString('base64') },
  };
}

/**
 * A Cluster with simulated infrastructure and a simulated control plane, in the order in which `kubectl apply` sends them,
 * and the kubeconfig that a control plane provider would create.
 */
export function aSimulatedCluster(name = 'c1', namespace = home): readonly Intent[] {
  return [
    aSecret(`${name}-kubeconfig`, 'value', namespace),
    {
      ...toIntent(clusterRef(name, namespace)),
      spec: {
        clusterNetwork: { serviceDomain: 'cluster.local' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name },
        controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'SimulatedControlPlane', name },
      },
    },
    { ...toIntent(infraRef(name, namespace)), spec: {} },
    { ...toIntent(controlPlaneRef(name, namespace)), spec: { version: 'v1.35.0', replicas: 1 } },
  ];
}

export function toIntent({ apiVersion, kind, namespace, name }: ObjectRef): Intent {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

/** The status of one of `status.conditions`; "" without it. */
export function conditionOf(object: Unstructured | undefined, type: string): string {
  const status = object?.status as { readonly conditions?: readonly { type: string; status: string }[] } | undefined; // as all kinds here define it
  return status?.conditions?.find(condition => condition.type === type)?.status ?? '';
}

export const isGone = (object: Unstructured | undefined): boolean => object === undefined;

/** All objects exist and are ready. */
export async function untilReady(user: User, name = 'c1', namespace = home): Promise<void> {
  await user.until(
    'a ready infrastructure',
    infraRef(name, namespace),
    infra => conditionOf(infra, 'Ready') === 'True',
  );
  await user.until(
    'a ready control plane',
    controlPlaneRef(name, namespace),
    it => conditionOf(it, 'Ready') === 'True',
  );
  await user.until(
    'an available control plane',
    clusterRef(name, namespace),
    cluster => conditionOf(cluster, 'ControlPlaneAvailable') === 'True',
  );
}

export function secretRef(name: string, namespace = home): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace, name };
}
