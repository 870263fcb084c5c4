// A Machine in deletion with a Node and Pods on the API server of the functions, which is also the workload cluster. The
// infrastructure has no controller.
import type { Intent, ObjectRef } from '@capi-serverless/apimachinery';

const coreApi = 'cluster.x-k8s.io/v1beta2';
const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';

export const machineRef = (namespace: string): ObjectRef => ({
  apiVersion: coreApi,
  kind: 'Machine',
  namespace,
  name: 'm1',
});

export const infrastructureRef = (namespace: string): ObjectRef => ({
  apiVersion: `${infrastructureGroup}/v1beta2`,
  kind: 'SimulatedMachine',
  namespace,
  name: 'm1',
});

/** Nodes have no namespace. */
export const nodeRef = (namespace: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Node', name: `${namespace}-m1` });

/** The Pods that a drain evicts, and those that it skips. */
export const evictedPods = ['web-1', 'web-2', 'web-3'];
export const skippedPods = ['agent', 'skipped'];

export function aDrainedMachine(namespace: string, kubeconfig: string): readonly Intent[] {
  const of = (name: string, labels: Readonly<Record<string, string>> = {}) => ({ name, namespace, labels });
  const ours = { 'cluster.x-k8s.io/cluster-name': 'c1', 'cluster.x-k8s.io/watch-filter': namespace };
  const controlPlane = { 'cluster.x-k8s.io/cluster-name': 'c1', 'cluster.x-k8s.io/control-plane': '' };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: of('c1-kubeconfig', { 'cluster.x-k8s.io/cluster-name': 'c1' }),
      type: 'cluster.x-k8s.io/secret',
      data: { value: Buffer.from(kubeconfig).toString('base64') },
    },
    {
      apiVersion: coreApi,
      kind: 'Cluster',
      metadata: of('c1', ours),
      spec: { controlPlaneEndpoint: { host: '127.0.0.1', port: 1 } },
    },
    // Without another Machine of the control plane, the Node would not be drained. The functions do not reconcile it.
    aMachine('cp', of('cp', controlPlane), `${namespace}-cp`),
    { ...infrastructureOf('m1', of('m1')), status: { initialization: { provisioned: true } } },
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: nodeRef(namespace).name },
      spec: { providerID: providerIdOf(namespace) },
      status: { conditions: [aCondition('Ready')] },
    },
    ...evictedPods.map(name => aPod(namespace, name)),
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: of('agent'),
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: { metadata: { labels: { app: 'agent' } }, spec: { containers } },
      },
    },
    aPod(namespace, 'skipped', { labels: { 'cluster.x-k8s.io/drain': 'skip' } }),
    aMachine('m1', { ...of('m1', ours), finalizers: ['machine.cluster.x-k8s.io'] }, nodeRef(namespace).name),
  ];
}

const containers = [{ name: 'main', image: 'image.example/none' }];
const providerIdOf = (namespace: string): string => `kill://${namespace}/m1`;
const aCondition = (type: string) => ({
  type,
  status: 'True',
  reason: type,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

/** A Pod on the Node of the Machine. */
export function aPod(namespace: string, name: string, metadata: Partial<Intent['metadata']> = {}): Intent {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...metadata },
    spec: { nodeName: nodeRef(namespace).name, containers, tolerations: [{ operator: 'Exists' }] },
  };
}

function infrastructureOf(name: string, metadata: Intent['metadata']): Intent {
  const { apiVersion, kind } = infrastructureRef('');
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, name },
    spec: { providerID: providerIdOf(metadata.namespace ?? '') },
  };
}

function aMachine(name: string, metadata: Intent['metadata'], node: string): Intent {
  return {
    apiVersion: coreApi,
    kind: 'Machine',
    metadata,
    spec: {
      clusterName: 'c1',
      version: 'v1.35.0',
      providerID: `kill://${metadata.namespace ?? ''}/${name}`,
      bootstrap: { dataSecretName: 'bootstrap' },
      infrastructureRef: { apiGroup: infrastructureGroup, kind: 'SimulatedMachine', name },
      deletion: { nodeDeletionTimeoutSeconds: 0 },
    },
    status: {
      phase: 'Running',
      nodeRef: { name: node },
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
    },
  };
}
