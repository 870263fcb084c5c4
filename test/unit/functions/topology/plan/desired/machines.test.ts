import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { at, machineDeploymentOf, machinePoolOf } from './desired-input.ts';

interface Row {
  readonly topology?: JsonObject;
  readonly ofClass?: JsonObject;
  readonly path: string;
  readonly value: unknown;
  readonly reason: string;
}

const machines = 'spec.template.spec';
const taint = (key: string) => ({ key, effect: 'NoSchedule', propagation: 'Always' });
const gate = (conditionType: string) => ({ conditionType });

const common: readonly Row[] = [
  { topology: { replicas: 4 }, path: 'spec.replicas', value: 4, reason: 'the topology sets it' },
  { topology: { replicas: 0 }, path: 'spec.replicas', value: 0, reason: 'zero is a number of replicas' },
  { path: 'spec.replicas', value: undefined, reason: 'unset stays unset, for an autoscaler' },
  { path: 'spec.clusterName', value: 'c1', reason: 'always' },
  { path: `${machines}.clusterName`, value: 'c1', reason: 'always' },
  { path: `${machines}.version`, value: 'v1.31.0', reason: 'the planned one' },
  {
    topology: { minReadySeconds: 0 },
    ofClass: { minReadySeconds: 9 },
    path: `${machines}.minReadySeconds`,
    value: 0,
    reason: 'zero counts',
  },
  { ofClass: { minReadySeconds: 9 }, path: `${machines}.minReadySeconds`, value: 9, reason: 'the class alone' },
  { path: `${machines}.minReadySeconds`, value: undefined, reason: 'neither' },
  {
    topology: { taints: [taint('t')] },
    ofClass: { taints: [taint('c')] },
    path: `${machines}.taints`,
    value: [taint('t')],
    reason: 'lists replace each other',
  },
  { ofClass: { taints: [taint('c')] }, path: `${machines}.taints`, value: [taint('c')], reason: 'the class alone' },
  {
    topology: { taints: [] },
    ofClass: { taints: [taint('c')] },
    path: `${machines}.taints`,
    value: undefined,
    reason: 'an empty list takes the class away',
  },
  {
    topology: { deletion: { nodeDrainTimeoutSeconds: 0 } },
    ofClass: { deletion: { nodeDrainTimeoutSeconds: 600 } },
    path: `${machines}.deletion`,
    value: { nodeDrainTimeoutSeconds: 0 },
    reason: 'zero is a timeout',
  },
  {
    topology: { deletion: { nodeVolumeDetachTimeoutSeconds: 2 } },
    ofClass: {
      deletion: { nodeDrainTimeoutSeconds: 1, nodeVolumeDetachTimeoutSeconds: 9, nodeDeletionTimeoutSeconds: 3 },
    },
    path: `${machines}.deletion`,
    value: { nodeDrainTimeoutSeconds: 1, nodeVolumeDetachTimeoutSeconds: 2, nodeDeletionTimeoutSeconds: 3 },
    reason: 'each timeout is decided by itself',
  },
  { path: `${machines}.deletion`, value: undefined, reason: 'neither' },
];

const ofDeployments: readonly Row[] = [
  {
    path: 'spec.selector',
    value: {
      matchLabels: {
        'cluster.x-k8s.io/cluster-name': 'c1',
        'topology.cluster.x-k8s.io/owned': '',
        'topology.cluster.x-k8s.io/deployment-name': 'md1',
      },
    },
    reason: 'three labels of the topology',
  },
  {
    topology: { failureDomain: 't' },
    ofClass: { failureDomain: 'c' },
    path: `${machines}.failureDomain`,
    value: 't',
    reason: 'the topology',
  },
  { ofClass: { failureDomain: 'c' }, path: `${machines}.failureDomain`, value: 'c', reason: 'the class alone' },
  {
    topology: { readinessGates: [gate('T')] },
    ofClass: { readinessGates: [gate('C')] },
    path: `${machines}.readinessGates`,
    value: [gate('T')],
    reason: 'lists replace each other',
  },
  {
    ofClass: { readinessGates: [gate('C')] },
    path: `${machines}.readinessGates`,
    value: [gate('C')],
    reason: 'the class alone',
  },
  {
    topology: { deletion: { order: 'Oldest' } },
    ofClass: { deletion: { order: 'Newest' } },
    path: 'spec.deletion',
    value: { order: 'Oldest' },
    reason: 'the topology',
  },
  {
    ofClass: { deletion: { order: 'Newest' } },
    path: 'spec.deletion',
    value: { order: 'Newest' },
    reason: 'the class alone',
  },
  {
    topology: { deletion: { nodeDrainTimeoutSeconds: 1 } },
    path: 'spec.deletion',
    value: undefined,
    reason: 'timeouts are part of the Machines',
  },
  {
    topology: { healthCheck: { remediation: { maxInFlight: 1 } } },
    ofClass: { healthCheck: { remediation: { maxInFlight: 2 } } },
    path: 'spec.remediation',
    value: { maxInFlight: 1 },
    reason: 'the topology',
  },
  {
    topology: { healthCheck: { enabled: false, checks: { nodeStartupTimeoutSeconds: 60 } } },
    ofClass: { healthCheck: { remediation: { maxInFlight: '20%' } } },
    path: 'spec.remediation',
    value: { maxInFlight: '20%' },
    reason: 'it does not matter whose checks count',
  },
  { path: 'spec.remediation', value: undefined, reason: 'neither' },
  {
    topology: { rollout: { after: 'a' } },
    ofClass: { rollout: { strategy: { type: 'OnDelete' } } },
    path: 'spec.rollout',
    value: { after: 'a' },
    reason: 'the topology counts as a whole',
  },
  {
    ofClass: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '1%' } } } },
    path: 'spec.rollout',
    value: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '1%' } } },
    reason: 'the class alone',
  },
  {
    topology: { rollout: { strategy: { type: '', rollingUpdate: {} }, after: null } },
    ofClass: { rollout: { strategy: { type: 'OnDelete' } } },
    path: 'spec.rollout',
    value: { strategy: { type: 'OnDelete' } },
    reason: 'an empty value is ignored',
  },
  { path: 'spec.rollout', value: undefined, reason: 'neither' },
  {
    path: `${machines}.bootstrap`,
    value: {
      configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name: 'c1-md1-ggggg' },
    },
    reason: 'templates',
  },
  {
    path: `${machines}.infrastructureRef`,
    value: {
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      kind: 'GenericInfrastructureMachineTemplate',
      name: 'c1-md1-hhhhh',
    },
    reason: 'templates',
  },
];

const ofPools: readonly Row[] = [
  {
    topology: { failureDomains: ['t'] },
    ofClass: { failureDomains: ['a'] },
    path: 'spec.failureDomains',
    value: ['t'],
    reason: 'the topology',
  },
  {
    ofClass: { failureDomains: ['a'] },
    path: 'spec.failureDomains',
    value: ['a'],
    reason: 'the class alone',
  },
  {
    topology: { failureDomains: [] },
    ofClass: { failureDomains: ['a'] },
    path: 'spec.failureDomains',
    value: undefined,
    reason: 'an empty list takes the class away',
  },
  { path: 'spec.selector', value: undefined, reason: 'pools select nothing' },
  {
    topology: { failureDomain: 'x' },
    path: `${machines}.failureDomain`,
    value: undefined,
    reason: 'pools have a list',
  },
  {
    topology: { readinessGates: [gate('T')] },
    path: `${machines}.readinessGates`,
    value: undefined,
    reason: 'pools have none',
  },
  {
    topology: { rollout: { after: 'a' }, healthCheck: { remediation: { maxInFlight: 1 } } },
    path: 'spec.rollout',
    value: undefined,
    reason: 'pools have none',
  },
  {
    path: `${machines}.bootstrap`,
    value: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'c1-mp1-kkkkk' } },
    reason: 'objects',
  },
  {
    path: `${machines}.infrastructureRef`,
    value: {
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      kind: 'GenericInfrastructureMachinePool',
      name: 'c1-mp1-lllll',
    },
    reason: 'objects',
  },
];

describe('fields of workers', () => {
  it.each([...common, ...ofDeployments])('MachineDeployment has $path $value: $reason', row => {
    expect(at(machineDeploymentOf(row.topology, row.ofClass).object, row.path)).toEqual(row.value);
  });

  it.each([...common, ...ofPools])('MachinePool has $path $value: $reason', row => {
    expect(at(machinePoolOf(row.topology, row.ofClass).object, row.path)).toEqual(row.value);
  });

  it('gives a MachinePool no health check', () => {
    const healthCheck = { checks: { nodeStartupTimeoutSeconds: 60 } };
    expect(Object.keys(machinePoolOf({ healthCheck }, { healthCheck }))).toEqual([
      'object',
      'bootstrapObject',
      'infrastructureObject',
    ]);
  });
});

describe('labels and annotations of workers', () => {
  const topology = {
    metadata: {
      labels: { a: '2' },
      annotations: {
        x: '2',
        'topology.cluster.x-k8s.io/defer-upgrade': '',
        'topology.cluster.x-k8s.io/hold-upgrade-sequence': '',
      },
    },
  };
  const ofClass = {
    metadata: {
      labels: { a: '1', b: '1', 'topology.cluster.x-k8s.io/owned': 'no' },
      annotations: { x: '1', y: '1' },
    },
  };
  const kinds = [
    { kind: 'MachineDeployment', of: machineDeploymentOf, label: 'deployment-name', value: 'md1' },
    { kind: 'MachinePool', of: machinePoolOf, label: 'pool-name', value: 'mp1' },
  ];

  it.each(kinds)('are those of the topology over those of the class on a $kind and its Machines', row => {
    const { object } = row.of(topology, ofClass);
    const expected = {
      labels: {
        a: '2',
        b: '1',
        'cluster.x-k8s.io/cluster-name': 'c1',
        'topology.cluster.x-k8s.io/owned': '',
        [`topology.cluster.x-k8s.io/${row.label}`]: row.value,
      },
      annotations: { x: '2', y: '1' },
    };
    expect(object.metadata).toMatchObject(expected);
    expect(object.metadata.labels).toEqual(expected.labels);
    expect(at(object, 'spec.template.metadata')).toEqual(expected);
  });

  it.each(kinds)('set no empty annotations on a $kind', ({ of }) => {
    const metadata = { annotations: { 'topology.cluster.x-k8s.io/defer-upgrade': '' } };
    const { object } = of({ metadata });
    expect([object.metadata, at(object, 'spec.template.metadata')].map(each => Object.keys(each ?? {}))).toEqual([
      ['name', 'namespace', 'labels'],
      ['labels'],
    ]);
  });

  it('stay away from templates and pool objects', () => {
    const { bootstrapTemplate, infrastructureTemplate } = machineDeploymentOf(topology, ofClass);
    const { bootstrapObject, infrastructureObject } = machinePoolOf(topology, ofClass);
    const own = (names: readonly string[]) => names.filter(name => !name.includes('/'));
    for (const { metadata } of [bootstrapTemplate, infrastructureTemplate, bootstrapObject, infrastructureObject]) {
      expect(own(Object.keys({ ...metadata.labels, ...metadata.annotations }))).toEqual([]);
    }
  });
});
