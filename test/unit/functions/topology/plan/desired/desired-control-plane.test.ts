import { describe, expect, it } from 'vitest';
import { computeDesired } from '../../../../../../functions/topology/plan/desired/compute.ts';
import { aCurrent, anOlderControlPlane } from '../../../../../support/settled-topology.ts';
import { settled, topologyTemplates } from '../../../../../support/topology-objects.ts';
import { aDesiredInput, at, controlPlaneOf } from './desired-input.ts';

const topologyLabels = { 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' };
const gate = (conditionType: string) => ({ conditionType });
const taint = (key: string) => ({ key, effect: 'NoSchedule', propagation: 'Always' });

/** Returns the control plane's template with these fields of its spec. */
function templateWith(spec: Readonly<Record<string, unknown>>) {
  const controlPlane = topologyTemplates.controlPlane.withSpec({ template: { spec } });
  return { templates: { controlPlane } };
}

describe('fields of a control plane', () => {
  const machines = 'spec.machineTemplate.spec';
  const rows = [
    {
      topology: { replicas: 5 },
      path: 'spec.replicas',
      value: 5,
      reason: 'the topology sets it',
    },
    { topology: { replicas: 0 }, path: 'spec.replicas', value: 0, reason: 'zero is a number of replicas' },
    { path: 'spec.replicas', value: undefined, reason: 'unset stays unset, for an autoscaler' },
    {
      topology: { rollout: { after: '2026-01-01T00:00:00Z' } },
      path: 'spec.rollout',
      value: { after: '2026-01-01T00:00:00Z' },
      reason: 'the topology sets it',
    },
    { topology: { rollout: {} }, path: 'spec.rollout', value: undefined, reason: 'nothing is reported' },
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
      reason: 'only the class sets it',
    },
    {
      topology: { readinessGates: [] },
      ofClass: { readinessGates: [gate('C')] },
      path: `${machines}.readinessGates`,
      value: [],
      reason: 'an empty list is one',
    },
    { path: `${machines}.readinessGates`, value: undefined, reason: 'neither sets it' },
    {
      topology: { taints: [taint('t')] },
      ofClass: { taints: [taint('c')] },
      path: `${machines}.taints`,
      value: [taint('t')],
      reason: 'lists replace each other',
    },
    { ofClass: { taints: [taint('c')] }, path: `${machines}.taints`, value: [taint('c')], reason: 'the class alone' },
    {
      topology: { deletion: { nodeDrainTimeoutSeconds: 0 } },
      ofClass: { deletion: { nodeDrainTimeoutSeconds: 600 } },
      path: `${machines}.deletion`,
      value: { nodeDrainTimeoutSeconds: 0 },
      reason: 'zero is a timeout',
    },
    {
      topology: { deletion: { nodeDeletionTimeoutSeconds: 3 } },
      ofClass: {
        deletion: { nodeDrainTimeoutSeconds: 1, nodeVolumeDetachTimeoutSeconds: 2, nodeDeletionTimeoutSeconds: 9 },
      },
      path: `${machines}.deletion`,
      value: { nodeDrainTimeoutSeconds: 1, nodeVolumeDetachTimeoutSeconds: 2, nodeDeletionTimeoutSeconds: 3 },
      reason: 'each timeout is decided by itself',
    },
    { path: `${machines}.deletion`, value: undefined, reason: 'neither sets it' },
    {
      path: `${machines}.infrastructureRef`,
      value: {
        apiGroup: 'infrastructure.cluster.x-k8s.io',
        kind: 'GenericInfrastructureMachineTemplate',
        name: settled.controlPlaneMachineTemplate,
      },
      reason: 'the class has machine infrastructure',
    },
    { path: 'spec.version', value: 'v1.31.0', reason: 'a version is always written' },
  ];
  it.each(rows)('has $path $value: $reason', ({ topology = {}, ofClass = {}, path, value }) => {
    expect(at(controlPlaneOf(topology, ofClass).object, path)).toEqual(value);
  });

  const legacy = [
    {
      topology: { deletion: { nodeDrainTimeoutSeconds: 600 } },
      path: 'nodeDrainTimeout',
      value: '10m0s',
      reason: 'durations are texts',
    },
    { topology: { deletion: { nodeDrainTimeoutSeconds: 0 } }, path: 'nodeDrainTimeout', value: '0s', reason: 'zero' },
    {
      topology: { deletion: { nodeVolumeDetachTimeoutSeconds: 45 } },
      path: 'nodeVolumeDetachTimeout',
      value: '45s',
      reason: 'below a minute',
    },
    {
      topology: { deletion: { nodeDeletionTimeoutSeconds: 3600 } },
      path: 'nodeDeletionTimeout',
      value: '1h0m0s',
      reason: 'a whole hour',
    },
    {
      topology: { deletion: { nodeDeletionTimeoutSeconds: 93_784 } },
      path: 'nodeDeletionTimeout',
      value: '26h3m4s',
      reason: 'there are no days',
    },
    { topology: { readinessGates: [gate('T')] }, path: 'readinessGates', value: [gate('T')], reason: 'no spec below' },
    { topology: { taints: [taint('t')] }, path: 'taints', value: [taint('t')], reason: 'no spec below' },
    { topology: {}, path: 'spec', value: undefined, reason: 'nothing is where the newer contract has it' },
    {
      topology: {},
      path: 'infrastructureRef',
      value: {
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
        kind: 'GenericInfrastructureMachineTemplate',
        namespace: 'ns1',
        name: settled.controlPlaneMachineTemplate,
      },
      reason: 'references have version and namespace',
    },
  ];
  it.each(legacy)('has spec.machineTemplate.$path $value in contract v1beta1: $reason', ({ topology, path, value }) => {
    const { object } = controlPlaneOf(topology, {}, { contract: 'v1beta1' });
    expect(at(object, `spec.machineTemplate.${path}`)).toEqual(value);
  });

  const stored = [
    {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta9',
      kind: 'GenericInfrastructureMachineTemplate',
      kept: true,
      reason: 'the provider moved it on',
    },
    {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta9',
      kind: 'OtherTemplate',
      kept: false,
      reason: 'another kind',
    },
    {
      apiVersion: 'other.io/v1beta9',
      kind: 'GenericInfrastructureMachineTemplate',
      kept: false,
      reason: 'another group',
    },
  ];
  it.each(stored)('keeps the stored version of the reference in contract v1beta1 $kept: $reason', row => {
    const { kept, reason: _, ...infrastructureRef } = row;
    const controlPlane = anOlderControlPlane(infrastructureRef);
    const parts = { contract: 'v1beta1', input: { current: aCurrent({ controlPlane }) } } as const;
    expect(at(controlPlaneOf({}, {}, parts).object, 'spec.machineTemplate.infrastructureRef.apiVersion')).toBe(
      kept ? infrastructureRef.apiVersion : 'infrastructure.cluster.x-k8s.io/v1beta2',
    );
  });

  it('refers to machine infrastructure in contract v1beta1 where there is no control plane yet', () => {
    const { controlPlane: _, ...others } = aCurrent();
    const parts = { contract: 'v1beta1', input: { current: { ...others, controlPlane: {} } } } as const;
    expect(at(controlPlaneOf({}, {}, parts).object, 'spec.machineTemplate.infrastructureRef.apiVersion')).toBe(
      'infrastructure.cluster.x-k8s.io/v1beta2',
    );
  });

  it.each(['apiVersion', 'kind', 'name', 'namespace'])(
    'cannot be computed in contract v1beta1 if the present one refers to no %s: it has another contract',
    field => {
      const controlPlane = anOlderControlPlane({ [field]: undefined });
      const input = { current: aCurrent({ controlPlane }) };
      expect(computeDesired(aDesiredInput({ contract: 'v1beta1', input }))).toEqual({
        ok: false,
        error: `failed to compute ControlPlane: failed to get spec.machineTemplate.infrastructureRef from the ControlPlane object: failed to get spec.machineTemplate.infrastructureRef.${field} from KubeadmControlPlane`,
      });
    },
  );

  it('sets everything but reference and metadata where there is no machine infrastructure, too', () => {
    const topology = { replicas: 1, readinessGates: [gate('T')], deletion: { nodeDrainTimeoutSeconds: 1 } };
    const { object } = controlPlaneOf(topology, { machineInfrastructure: { templateRef: {} } });
    expect(at(object, 'spec')).toEqual({
      kubeadmConfigSpec: { format: 'cloud-config' },
      replicas: 1,
      version: 'v1.31.0',
      machineTemplate: { spec: { readinessGates: [gate('T')], deletion: { nodeDrainTimeoutSeconds: 1 } } },
    });
  });

  it('keeps the value of the template where neither class nor topology sets one', () => {
    const spec = { replicas: 7, rollout: { after: 'a', strategy: 'b' }, machineTemplate: { spec: { taints: [1] } } };
    const { object } = controlPlaneOf({ rollout: { after: 'c' } }, {}, templateWith(spec));
    expect(at(object, 'spec')).toMatchObject({
      replicas: 7,
      rollout: { after: 'c', strategy: 'b' },
      machineTemplate: { spec: { taints: [1] } },
    });
  });
});

describe('labels and annotations of a control plane', () => {
  const topology = { metadata: { labels: { a: '2' }, annotations: { x: '2' } } };
  const ofClass = { metadata: { labels: { a: '1', b: '1' }, annotations: { x: '1', y: '1' } } };

  it('are those of the topology over those of the class, on object and Machines', () => {
    const { object } = controlPlaneOf(topology, ofClass);
    expect(object.metadata.labels).toEqual({ a: '2', b: '1', ...topologyLabels });
    expect(object.metadata.annotations).toMatchObject({ x: '2', y: '1' });
    expect(at(object, 'spec.machineTemplate.metadata')).toEqual({
      labels: { a: '2', b: '1', ...topologyLabels },
      annotations: { x: '2', y: '1' },
    });
  });

  it('are merged over those that the template has for Machines', () => {
    const metadata = { labels: { a: '0', t: '0' }, annotations: { t: '0' }, other: 'kept' };
    const { object } = controlPlaneOf(topology, ofClass, templateWith({ machineTemplate: { metadata } }));
    expect(at(object, 'spec.machineTemplate.metadata')).toEqual({
      labels: { a: '2', b: '1', t: '0', ...topologyLabels },
      annotations: { x: '2', y: '1', t: '0' },
      other: 'kept',
    });
  });

  it('set no empty map on Machines', () => {
    const { object } = controlPlaneOf({}, {}, templateWith({ machineTemplate: { metadata: { annotations: {} } } }));
    expect(at(object, 'spec.machineTemplate.metadata')).toEqual({ labels: topologyLabels });
  });

  it('stay as the template has them where there is no machine infrastructure', () => {
    const metadata = { labels: { t: '0' } };
    const parts = templateWith({ machineTemplate: { metadata } });
    const { object } = controlPlaneOf(topology, { ...ofClass, machineInfrastructure: { templateRef: {} } }, parts);
    expect(at(object, 'spec.machineTemplate.metadata')).toEqual(metadata);
  });
});
