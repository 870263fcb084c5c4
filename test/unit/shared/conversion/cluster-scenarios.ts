// Clusters, health checks, and the kinds of other groups.
import { anyText, type ConversionScenario, clusterName, clusterNameSet, dataAnnotation, down, up } from './scenario.ts';

const remediation = { apiVersion: 'infra/v1beta1', kind: 'XRemediationTemplate', name: 't' };

export const clusters: readonly ConversionScenario[] = [
  {
    name: 'the conditions of a MachineHealthCheck become checks',
    kind: 'MachineHealthCheck',
    ...up,
    input: {
      spec: {
        clusterName: 'c1',
        selector: { matchLabels: { a: 'b' } },
        unhealthyConditions: [{ type: 'Ready', status: 'False', timeout: '300s' }],
        unhealthyMachineConditions: [],
        maxUnhealthy: '40%',
        unhealthyRange: '[1-3]',
        nodeStartupTimeout: '10m',
        remediationTemplate: { ...remediation, namespace: 'other' },
      },
      status: { expectedMachines: 0, currentHealthy: 2, remediationsAllowed: 0 },
    },
    output: {
      spec: {
        clusterName: 'c1',
        selector: { matchLabels: { a: 'b' } },
        checks: {
          nodeStartupTimeoutSeconds: 600,
          unhealthyNodeConditions: [{ type: 'Ready', status: 'False', timeoutSeconds: 300 }],
        },
        remediation: {
          triggerIf: { unhealthyLessThanOrEqualTo: '40%', unhealthyInRange: '[1-3]' },
          templateRef: remediation,
        },
      },
      status: { currentHealthy: 2 },
    },
  },
  {
    name: 'explicit zeros of a MachineHealthCheck come back',
    kind: 'MachineHealthCheck',
    ...up,
    metadata: { annotations: { [dataAnnotation]: '{"status":{"expectedMachines":0,"currentHealthy":3}}' } },
    input: { spec: { clusterName: 'c1', selector: {} }, status: { expectedMachines: 0, currentHealthy: 0 } },
    output: { spec: { clusterName: 'c1' }, status: { expectedMachines: 0 } },
    outputMetadata: {},
  },
  {
    name: 'a Cluster has its failure domains in order',
    kind: 'Cluster',
    ...up,
    input: {
      spec: {
        paused: true,
        controlPlaneEndpoint: { host: '', port: 0 },
        infrastructureRef: { apiVersion: 'infra/v1beta1', kind: 'DockerCluster', name: 'c1', namespace: 'ns' },
        topology: {
          class: 'q',
          classNamespace: 'lib',
          version: 'v1.34.1',
          rolloutAfter: '2026-01-01T00:00:00Z',
          workers: {
            machineDeployments: [
              {
                class: 'w',
                name: 'a',
                strategy: { remediation: { maxInFlight: 1 } },
                machineHealthCheck: { enable: true, maxUnhealthy: 1 },
              },
            ],
          },
        },
      },
      status: {
        infrastructureReady: true,
        controlPlaneReady: false,
        failureDomains: { z: { controlPlane: true }, b: {}, '': { attributes: { a: 'b' } } },
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    },
    output: {
      spec: {
        paused: true,
        infrastructureRef: { apiGroup: 'infra', kind: 'DockerCluster', name: 'c1' },
        topology: {
          classRef: { name: 'q', namespace: 'lib' },
          version: 'v1.34.1',
          workers: {
            machineDeployments: [
              {
                class: 'w',
                name: 'a',
                healthCheck: {
                  enabled: true,
                  remediation: { maxInFlight: 1, triggerIf: { unhealthyLessThanOrEqualTo: 1 } },
                },
              },
            ],
          },
        },
      },
      status: {
        initialization: { infrastructureProvisioned: true },
        failureDomains: [
          { controlPlane: false, attributes: { a: 'b' } },
          { name: 'b', controlPlane: false },
          { name: 'z', controlPlane: true },
        ],
        deprecated: {
          v1beta1: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
        },
      },
    },
  },
  {
    name: 'the remediation of a worker alone is no health check',
    kind: 'Cluster',
    ...down,
    input: {
      spec: {
        topology: {
          classRef: { name: 'q' },
          version: 'v1.34.1',
          workers: {
            machineDeployments: [{ class: 'w', name: 'a', healthCheck: { remediation: { maxInFlight: 1 } } }],
          },
        },
      },
      status: {
        failureDomains: [
          { name: 'z', controlPlane: true },
          { name: 'b', controlPlane: false, attributes: { a: 'b' } },
          { controlPlane: false },
        ],
      },
    },
    output: {
      spec: {
        controlPlaneEndpoint: { host: '', port: 0 },
        topology: {
          class: 'q',
          version: 'v1.34.1',
          controlPlane: { metadata: {} },
          workers: {
            machineDeployments: [
              { class: 'w', name: 'a', metadata: {}, strategy: { remediation: { maxInFlight: 1 } } },
            ],
          },
        },
      },
      status: {
        failureDomains: { z: { controlPlane: true }, b: { attributes: { a: 'b' } }, '': {} },
        infrastructureReady: false,
        controlPlaneReady: false,
      },
    },
    outputMetadata: { annotations: { [dataAnnotation]: anyText } },
  },
];

export const others: readonly ConversionScenario[] = [
  {
    name: 'a null in a ClusterResourceSetBinding is an empty entry',
    kind: 'ClusterResourceSetBinding',
    group: 'addons.cluster.x-k8s.io',
    ...up,
    input: {
      spec: {
        bindings: [null, { clusterResourceSetName: 's', resources: [{ name: 'r', kind: 'Secret', applied: false }] }],
      },
    },
    output: {
      spec: {
        bindings: [{}, { clusterResourceSetName: 's', resources: [{ name: 'r', kind: 'Secret', applied: false }] }],
      },
    },
  },
  {
    name: 'an empty entry of a ClusterResourceSetBinding is null',
    kind: 'ClusterResourceSetBinding',
    group: 'addons.cluster.x-k8s.io',
    ...down,
    input: { spec: { bindings: [{}, { clusterResourceSetName: 's' }] } },
    output: { spec: { bindings: [null, { clusterResourceSetName: 's' }] } },
  },
  {
    name: 'the prefix of an IPAddress is always there',
    kind: 'IPAddress',
    group: 'ipam.cluster.x-k8s.io',
    ...up,
    input: { spec: { claimRef: { name: 'cl' }, poolRef: { kind: 'P', name: 'p' }, address: '10.0.0.1', prefix: 0 } },
    output: { spec: { claimRef: { name: 'cl' }, poolRef: { kind: 'P', name: 'p' }, address: '10.0.0.1', prefix: 0 } },
  },
  {
    name: 'the label of the Cluster stands for its name',
    kind: 'IPAddressClaim',
    group: 'ipam.cluster.x-k8s.io',
    from: 'v1beta2',
    to: 'v1alpha1',
    input: { spec: { clusterName: 'c1', poolRef: { kind: 'P', name: 'p' } } },
    output: { spec: { poolRef: { apiGroup: null, kind: 'P', name: 'p' } }, status: { addressRef: {} } },
    outputMetadata: {
      labels: { [clusterName]: 'c1' },
      annotations: {
        [clusterNameSet]: 'false',
        [dataAnnotation]:
          '{"kind":"IPAddressClaim","apiVersion":"ipam.cluster.x-k8s.io/v1beta2","spec":{"clusterName":"c1","poolRef":{"name":"p","kind":"P"}}}',
      },
    },
  },
  {
    name: 'a label that was there remains',
    kind: 'IPAddressClaim',
    group: 'ipam.cluster.x-k8s.io',
    from: 'v1alpha1',
    to: 'v1beta2',
    metadata: { labels: { [clusterName]: 'c1' }, annotations: { [clusterNameSet]: 'true' } },
    input: { spec: { poolRef: { kind: 'P', name: 'p' } } },
    output: { spec: { clusterName: 'c1', poolRef: { kind: 'P', name: 'p' } } },
    outputMetadata: { labels: { [clusterName]: 'c1' } },
  },
  {
    name: 'bytes, texts and zero timeouts of an ExtensionConfig',
    kind: 'ExtensionConfig',
    group: 'runtime.cluster.x-k8s.io',
    from: 'v1beta2',
    to: 'v1alpha1',
    input: {
      spec: { clientConfig: { caBundle: 'YQ==', service: { namespace: 'n', name: 's' } }, namespaceSelector: {} },
      status: { handlers: [{ name: 'h', requestHook: { apiVersion: 'v1', hook: 'H' }, failurePolicy: 'Fail' }] },
    },
    output: {
      spec: { clientConfig: { caBundle: 'YQ==', service: { namespace: 'n', name: 's' } }, namespaceSelector: {} },
      status: { handlers: [{ name: 'h', requestHook: { apiVersion: 'v1', hook: 'H' }, failurePolicy: 'Fail' }] },
    },
  },
];
