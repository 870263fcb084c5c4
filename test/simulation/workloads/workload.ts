// The definition of a workload: steps of a user that result in the same final state with all faults.
import type { Intent, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import type { WorkQueueLayout } from '../../../shared/workqueue/queue-specs.ts';
import type { Random } from '../engine/random.ts';
import { canary } from '../oracles/secrecy.ts';
import type { SimulatedUser } from '../system/user.ts';

export interface Workload {
  readonly name: string;
  /** The description in one sentence. */
  readonly about: string;
  /** Whether creations and deletions depend on timing, so that their counts are not compared. */
  readonly countsVary?: true;
  /**
   * Whether the workload has managed topologies. Then other reconcilers run, and campaigns use samples because a run is
   * more expensive.
   */
  readonly managed?: true;
  /** Whether the forwarder also watches the Nodes of workload clusters. Kubelets then act every second. */
  readonly watchesNodes?: true;
  /** The layout of the work queues. Default: `per-kind`. */
  readonly layout?: WorkQueueLayout;
  /** Whether the seed determines the script. It states its own final state, and no other run is compared. */
  readonly random?: true;
  /** Whether its runs are long, so that the suite kills processes at a sample of its calls. */
  readonly long?: true;
  /** The reason why campaigns omit it. It runs by its name, for example for inserted bugs. */
  readonly notInCampaigns?: string;
  /** The reason why kills.test.ts omits it. The whole system is killed at its calls all the same. */
  readonly notKilledAlone?: string;
  /** The settled initial state. It is created without faults. */
  readonly given?: InitialState;
  /** Must result in the same final state with all delays, losses and kills. Faults do not change what `random` draws. */
  script(user: SimulatedUser, random: Random): Promise<void>;
}

/** Creates the initial state of a workload. Workloads with the same setup use the same state. */
export interface InitialState {
  readonly name: string;
  script(user: SimulatedUser): Promise<void>;
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
 * Creates a Cluster with simulated infrastructure and a simulated control plane in the order of `kubectl apply`, and
 * the kubeconfig that a control plane provider would create.
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

/** A Cluster without control plane object, and its infrastructure. */
export function aClusterWithoutControlPlane(name = 'c1'): readonly Intent[] {
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name };
  return [
    { ...toIntent(clusterRef(name)), spec: { infrastructureRef } },
    { ...toIntent(infraRef(name)), spec: {} },
  ];
}

export function toIntent({ apiVersion, kind, namespace, name }: ObjectRef): Intent {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

/** Returns the status of one condition in `status.conditions`, or "" if it is absent. */
export function conditionOf(object: Unstructured | undefined, type: string): string {
  const status = object?.status as { readonly conditions?: readonly { type: string; status: string }[] } | undefined; // true: all these kinds define it in this form
  return status?.conditions?.find(condition => condition.type === type)?.status ?? '';
}

export const isGone = (object: Unstructured | undefined): boolean => object === undefined;

/** Returns true if all objects exist and are ready. */
export async function untilReady(user: SimulatedUser, name = 'c1', namespace = home): Promise<void> {
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
