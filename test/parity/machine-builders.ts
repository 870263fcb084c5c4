// The objects and steps of our own scenarios of Machines, in the format of the corpus.
import type { JsonObject } from '@capi-serverless/apimachinery';
import type { Manifest, ScenarioStep } from './steps.ts';

const time = '2026-01-01T00:00:00Z';
const groups = {
  infrastructure: 'infrastructure.cluster.x-k8s.io',
  bootstrap: 'bootstrap.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
} as const;

/** A kubeconfig of an endpoint at which nothing answers. */
export const closedKubeconfig = Buffer.from(
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  }),
).toString('base64');

/** A Cluster with an external control plane that is initialized. */
export function aCluster(kubeconfig = '$(apiserver.kubeconfig)'): readonly ScenarioStep[] {
  const infrastructureRef = { apiGroup: groups.infrastructure, kind: 'ParityInfraCluster', name: 'i1' };
  const controlPlaneRef = { apiGroup: groups.controlPlane, kind: 'ParityControlPlane', name: 'cp1' };
  return [
    apply(
      {
        kind: 'ParityInfraCluster',
        metadata: { name: 'i1' },
        spec: { controlPlaneEndpoint: { host: '127.0.0.1', port: 1 } },
        status: { initialization: { provisioned: true } },
      },
      {
        kind: 'ParityControlPlane',
        metadata: { name: 'cp1' },
        spec: {},
        status: { initialization: { controlPlaneInitialized: true }, externalManagedControlPlane: true },
      },
      {
        kind: 'Secret',
        metadata: { name: 'c1-kubeconfig' },
        type: 'cluster.x-k8s.io/secret',
        data: { value: kubeconfig },
      },
      { kind: 'Cluster', metadata: { name: 'c1' }, spec: { infrastructureRef, controlPlaneRef } },
    ),
    settle('cluster', 6),
  ];
}

interface MachineParts {
  readonly metadata?: JsonObject & { readonly labels?: JsonObject };
  readonly spec?: JsonObject;
  readonly node?: { readonly metadata?: JsonObject; readonly status?: JsonObject };
  readonly infrastructure?: { readonly metadata?: JsonObject; readonly status?: JsonObject };
}

/** Machine m1 with its provider objects and its Node. */
export function aRunningMachine(parts: MachineParts = {}): readonly ScenarioStep[] {
  return [apply(bootstrap(), infrastructure(parts), node(parts), machine(parts)), settle('running')];
}

export function machine({ metadata, spec }: MachineParts = {}): Manifest {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'c1', ...metadata?.labels };
  return {
    kind: 'Machine',
    metadata: { ...metadata, name: 'm1', labels },
    spec: {
      clusterName: 'c1',
      version: 'v1.33.0',
      bootstrap: { configRef: { apiGroup: groups.bootstrap, kind: 'ParityBootstrapConfig', name: 'm1' } },
      infrastructureRef: { apiGroup: groups.infrastructure, kind: 'ParityInfraMachine', name: 'm1' },
      deletion: { nodeDeletionTimeoutSeconds: 10 },
      ...spec,
    },
  };
}

export function bootstrap(status?: JsonObject): Manifest {
  const created = { initialization: { dataSecretCreated: true }, dataSecretName: 'm1-data' };
  return { kind: 'ParityBootstrapConfig', metadata: { name: 'm1' }, spec: {}, status: status ?? created };
}

export function infrastructure({ infrastructure: parts = {} }: MachineParts = {}): Manifest {
  return {
    kind: 'ParityInfraMachine',
    metadata: { ...parts.metadata, name: 'm1' },
    spec: { providerID: 'parity://<ns>/m1' },
    status: { initialization: { provisioned: true }, ...parts.status },
  };
}

export function node({ node: parts = {} }: MachineParts = {}): Manifest {
  return {
    kind: 'Node',
    metadata: { ...parts.metadata, name: '<ns>-m1' },
    spec: { providerID: 'parity://<ns>/m1' },
    status: { conditions: nodeConditions('True', 'False'), ...parts.status },
  };
}

/** The conditions of a Node: that of Ready, and those of the pressures. */
export function nodeConditions(ready: string, pressure: string): readonly JsonObject[] {
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: 'Kubelet',
    message: `${type} is ${status}`,
    lastTransitionTime: time,
  });
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(type => condition(type, pressure));
  return [...pressures, condition('Ready', ready)];
}

/** A Pod on the Node of m1 that is ready. */
export function pod(name: string, labels: JsonObject = {}, spec: JsonObject = {}): Manifest {
  return {
    kind: 'Pod',
    metadata: { name, labels },
    spec: { nodeName: '<ns>-m1', containers: [{ name: 'c', image: 'i' }], ...spec },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }] },
  };
}

export function apply(...manifests: readonly Manifest[]): ScenarioStep {
  return { apply: [...manifests] };
}

export function patch(kind: string, name: string, body: JsonObject): ScenarioStep {
  return { patch: { kind, name, patch: body } };
}

export function patchStatus(kind: string, name: string, status: JsonObject): ScenarioStep {
  return { patchStatus: { kind, name, status } };
}

export function annotate(name: string, value: string | null): ScenarioStep {
  return patch('Machine', 'm1', { metadata: { annotations: { [name]: value } } });
}

export function remove(kind: string, name: string, gracePeriodSeconds?: number): ScenarioStep {
  return { delete: { kind, name, ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }) } };
}

export function settle(name: string, quietSeconds = 4): ScenarioStep {
  return { settle: { name, quietSeconds, maxSeconds: 150 } };
}
