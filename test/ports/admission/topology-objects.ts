// The stored objects that the hooks of Clusters and ClusterClasses read.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { infrastructure } from './generated-topologies.ts';

const inline = (name: string, required: boolean, openAPIV3Schema: JsonObject): JsonObject => ({
  name,
  definitionsConflict: false,
  definitions: [{ from: 'inline', required, schema: { openAPIV3Schema } }],
});
const stored = (kind: string): JsonObject => ({ templateRef: { apiVersion: infrastructure, kind, name: 't' } });
const machines = stored('AMachineTemplate');

const readyClass = {
  observedGeneration: 1,
  conditions: [
    {
      ...{ type: 'VariablesReady', status: 'True', reason: 'R', message: '' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};
const classSpec = {
  infrastructure: stored('AClusterTemplate'),
  controlPlane: { ...stored('AControlPlaneTemplate'), machineInfrastructure: machines },
  workers: {
    machineDeployments: [{ class: 'worker', bootstrap: stored('AConfigTemplate'), infrastructure: machines }],
    machinePools: [{ class: 'pool', bootstrap: stored('AConfigTemplate'), infrastructure: machines }],
  },
};
const aClass = (name: string, spec: JsonObject, status: JsonObject): JsonObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'ClusterClass',
  metadata: { namespace: 'default', name, generation: 1 },
  ...{ spec, status },
});

/** Workers of the Cluster `m2`, whose previous upgrade is not complete. */
const selected = { 'cluster.x-k8s.io/cluster-name': 'm2', 'topology.cluster.x-k8s.io/owned': '' };
const aWorker = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind,
  metadata: { namespace: 'default', name, labels: { ...selected, worker: 'md' } },
  spec,
});
const template = (version: string) => ({ spec: { version } });

/** The classes of the Clusters, a control plane, workers, and a Cluster that uses each class. */
export const topologyObjects: readonly JsonObject[] = [
  aClass('cc', classSpec, {
    ...readyClass,
    variables: [
      inline('text', true, { type: 'string', default: 'd', minLength: 1 }),
      inline('count', false, { type: 'integer', minimum: 1 }),
      inline('part', false, { type: 'object', properties: { b: { type: 'string', default: 'y' } } }),
    ],
  }),
  aClass(
    'other',
    {
      ...classSpec,
      infrastructure: stored('OtherTemplate'),
      controlPlane: stored('AControlPlaneTemplate'),
      kubernetesVersions: ['v1.34.1', 'v1.35.0'],
    },
    { ...readyClass, variables: [] },
  ),
  aClass('unready', classSpec, { observedGeneration: 0 }),
  aWorker('MachineDeployment', 'm2-a', {
    selector: { matchLabels: { worker: 'md' } },
    template: template('v1.34.1'),
  }),
  aWorker('MachineDeployment', 'm2-b', { selector: {}, template: template('v1.33.0') }),
  aWorker('Machine', 'm2-a-1', { version: 'v1.33.0' }),
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'acontrolplanes.controlplane.cluster.x-k8s.io',
      labels: { 'cluster.x-k8s.io/v1beta2': 'v1' },
    },
  },
  {
    apiVersion: 'controlplane.cluster.x-k8s.io/v1',
    kind: 'AControlPlane',
    metadata: { namespace: 'default', name: 'cp' },
    spec: { version: 'v1.34.1' },
    status: { version: 'v1.34.1' },
  },
  {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { namespace: 'default', name: 'using' },
    spec: {
      topology: {
        classRef: { name: 'm' },
        version: 'v1.34.0',
        controlPlane: { healthCheck: { enabled: true } },
        workers: {
          machineDeployments: [{ class: 'worker', name: 'md', healthCheck: { enabled: true } }],
          machinePools: [{ class: 'worker', name: 'mp' }],
        },
      },
    },
  },
];
