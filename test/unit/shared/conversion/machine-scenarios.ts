// Machines, their sets and pools.
import { type ConversionScenario, dataAnnotation, down, infra, up } from './scenario.ts';

const machineData =
  '{"kind":"Machine","apiVersion":"cluster.x-k8s.io/v1beta2","spec":{"clusterName":"c1","bootstrap":{"dataSecretName":"s"},' +
  `"infrastructureRef":{"kind":"DockerMachine","name":"i1","apiGroup":"${infra}"},"minReadySeconds":30,"deletion":{"nodeDeletionTimeoutSeconds":90}},` +
  '"status":{"initialization":{"infrastructureProvisioned":true,"bootstrapDataSecretCreated":false},"nodeRef":{"name":"n1"},"failureDomain":"fd1","phase":"Updating"}}';
const newMachine = {
  spec: {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: { apiGroup: infra, kind: 'DockerMachine', name: 'i1' },
    minReadySeconds: 30,
    deletion: { nodeDeletionTimeoutSeconds: 90 },
  },
  status: {
    initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: false },
    nodeRef: { name: 'n1' },
    failureDomain: 'fd1',
    phase: 'Updating',
  },
};
const oldMachine = {
  spec: {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: { apiVersion: `${infra}/v1beta2`, kind: 'DockerMachine', name: 'i1', namespace: 'ns' },
    nodeDeletionTimeout: '1m30s',
  },
  status: {
    nodeRef: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
    phase: 'Running',
    bootstrapReady: false,
    infrastructureReady: true,
  },
};

export const machines: readonly ConversionScenario[] = [
  {
    name: 'versions and namespaces of references are dropped, and durations become seconds',
    kind: 'Machine',
    ...up,
    input: {
      spec: {
        clusterName: 'c1',
        version: 'v1.34.1',
        bootstrap: {
          configRef: {
            apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta1',
            kind: 'KubeadmConfig',
            name: 'b1',
            namespace: 'ns',
          },
        },
        infrastructureRef: {
          apiVersion: `${infra}/v1beta1`,
          kind: 'DockerMachine',
          name: 'i1',
          namespace: 'ns',
          uid: 'u1',
        },
        nodeDrainTimeout: '1h30m',
        nodeDeletionTimeout: '1500ms',
      },
    },
    output: {
      spec: {
        clusterName: 'c1',
        version: 'v1.34.1',
        bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'b1' } },
        infrastructureRef: { apiGroup: infra, kind: 'DockerMachine', name: 'i1' },
        deletion: { nodeDrainTimeoutSeconds: 5400, nodeDeletionTimeoutSeconds: 1 },
      },
    },
  },
  {
    name: 'the annotation keeps what the older version cannot express',
    kind: 'Machine',
    ...down,
    input: newMachine,
    output: oldMachine,
    outputMetadata: { annotations: { [dataAnnotation]: machineData } },
  },
  {
    name: 'the annotation gives it back',
    kind: 'Machine',
    ...up,
    metadata: { annotations: { [dataAnnotation]: machineData, a: 'b' } },
    input: { ...oldMachine, status: { ...oldMachine.status, phase: 'Failed' } },
    output: newMachine,
    outputMetadata: { annotations: { a: 'b' } },
  },
  {
    name: 'without the annotation, it is lost',
    kind: 'Machine',
    ...up,
    input: oldMachine,
    output: {
      spec: {
        clusterName: 'c1',
        bootstrap: { dataSecretName: 's' },
        infrastructureRef: { apiGroup: infra, kind: 'DockerMachine', name: 'i1' },
        deletion: { nodeDeletionTimeoutSeconds: 90 },
      },
      status: { initialization: { infrastructureProvisioned: true }, nodeRef: { name: 'n1' }, phase: 'Running' },
    },
  },
  {
    name: 'an annotation without these values removes them',
    kind: 'Machine',
    ...up,
    metadata: { annotations: { [dataAnnotation]: '{}' } },
    input: { spec: { clusterName: 'c1' }, status: { phase: 'Running' } },
    output: { spec: { clusterName: 'c1' } },
    outputMetadata: {},
  },
  {
    name: 'a partial object gets the fields that are always written',
    kind: 'Machine',
    ...down,
    metadata: { annotations: {} },
    input: {},
    output: {
      spec: { clusterName: '', bootstrap: {}, infrastructureRef: {} },
      status: { bootstrapReady: false, infrastructureReady: false },
    },
    outputMetadata: { annotations: { [dataAnnotation]: '{"kind":"Machine","apiVersion":"cluster.x-k8s.io/v1beta2"}' } },
  },
];

const machineSpec = { clusterName: 'c1', bootstrap: {}, infrastructureRef: {} };
const naming = { template: '{{ .machineSet.name }}-{{ .random }}' };

export const sets: readonly ConversionScenario[] = [
  {
    name: 'a MachineSet has no annotation',
    kind: 'MachineSet',
    ...down,
    input: {
      spec: {
        clusterName: 'c1',
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { clusterName: 'c1', minReadySeconds: 0 } },
        deletion: { order: 'Oldest' },
        machineNaming: naming,
      },
    },
    output: {
      spec: {
        clusterName: 'c1',
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: machineSpec },
        deletePolicy: 'Oldest',
        machineNamingStrategy: naming,
      },
      status: { replicas: 0, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 },
    },
  },
  {
    name: 'counters of a MachineSet are always there',
    kind: 'MachineSet',
    ...up,
    input: { spec: { clusterName: 'c1', minReadySeconds: 5, template: {} } },
    output: {
      spec: { clusterName: 'c1', template: { spec: { minReadySeconds: 5 } } },
      status: {
        replicas: 0,
        deprecated: { v1beta1: { fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 } },
      },
    },
  },
  {
    name: 'the strategy of a MachineDeployment becomes rollout, deletion and remediation',
    kind: 'MachineDeployment',
    ...up,
    input: {
      spec: {
        clusterName: 'c1',
        paused: false,
        rolloutAfter: '2026-01-01T01:00:00+01:00',
        minReadySeconds: 5,
        revisionHistoryLimit: 1,
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxSurge: 1, maxUnavailable: 0, deletePolicy: 'Newest' },
          remediation: { maxInFlight: '20%' },
        },
      },
      status: {
        replicas: 3,
        readyReplicas: 2,
        updatedReplicas: 3,
        availableReplicas: 2,
        unavailableReplicas: 1,
        v1beta2: { readyReplicas: 2, upToDateReplicas: 3 },
      },
    },
    output: {
      spec: {
        clusterName: 'c1',
        rollout: {
          after: '2026-01-01T00:00:00Z',
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        },
        deletion: { order: 'Newest' },
        remediation: { maxInFlight: '20%' },
        template: { spec: { minReadySeconds: 5 } },
      },
      status: {
        replicas: 3,
        readyReplicas: 2,
        upToDateReplicas: 3,
        deprecated: {
          v1beta1: { updatedReplicas: 3, readyReplicas: 2, availableReplicas: 2, unavailableReplicas: 1 },
        },
      },
    },
  },
  {
    name: 'the status of a MachinePool is always there',
    kind: 'MachinePool',
    ...up,
    input: {},
    output: { status: { replicas: 0, deprecated: { v1beta1: {} } } },
  },
  {
    name: 'a false of a MachinePool is absent',
    kind: 'MachinePool',
    ...up,
    input: {
      spec: { clusterName: 'c1', template: { spec: { clusterName: 'c1' } } },
      status: { replicas: 2, readyReplicas: 2, bootstrapReady: true, infrastructureReady: false },
    },
    output: {
      spec: { clusterName: 'c1', template: { spec: { clusterName: 'c1' } } },
      status: {
        initialization: { bootstrapDataSecretCreated: true },
        replicas: 2,
        deprecated: { v1beta1: { readyReplicas: 2 } },
      },
    },
  },
];
