import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { toPassReads } from '../../../../../functions/topology/observe/pass-reads.ts';
import { readState } from '../../../../../functions/topology/observe/state.ts';
import { fakeReads, type ReadFault } from '../../../../support/fake-reads.ts';
import { type Built, built, fieldsOf, ObjectBuilder } from '../../../../support/object-builder.ts';
import { anOlderControlPlane, settledObjects } from '../../../../support/settled-topology.ts';
import {
  aBlueprint,
  aTopologyClass,
  type ClassChange,
  topologyTemplates,
} from '../../../../support/topology-objects.ts';

const cpDefinition = new ObjectBuilder({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
}).labelled({ 'cluster.x-k8s.io/v1beta1': 'v1beta1', 'cluster.x-k8s.io/v1beta2': 'v1beta2' });

interface World {
  readonly change?: ClassChange;
  readonly objects?: readonly Built<Unstructured>[];
  readonly without?: readonly string[];
  readonly faults?: readonly ReadFault[];
  /** The definition of the control plane's kind. */
  readonly definition?: Built<Unstructured>;
}

const settledList = Object.values(settledObjects());

async function read({
  change = {},
  objects = settledList,
  without = [],
  faults = [],
  definition = cpDefinition,
}: World = {}) {
  const stored = [definition, ...Object.values(topologyTemplates), ...objects].map(object => built(object));
  const clusterClass = aTopologyClass(change);
  const { cluster, topology, variables, className, classSpec, definitions } = aBlueprint({ clusterClass });
  const ask = fakeReads(
    stored.filter(({ metadata }) => !without.includes(metadata.name)),
    faults,
  );
  const state = await readState({ cluster, topology, variables, className, classSpec, definitions }, toPassReads(ask));
  return { state, ask };
}

async function errorOf(world: World): Promise<string> {
  const { state } = await read(world);
  return state.ok ? 'no error' : state.error;
}

function changed(name: string, change: (object: Unstructured) => Unstructured): readonly Unstructured[] {
  return settledList.map(each => built(each)).map(each => (each.metadata.name === name ? change(each) : each));
}

function without(label: string): (object: Unstructured) => Unstructured {
  return object => {
    const labels = Object.entries(object.metadata.labels ?? {}).filter(([key]) => key !== label);
    return { ...object, metadata: { ...object.metadata, labels: Object.fromEntries(labels) } };
  };
}

function deleting(object: Unstructured): Unstructured {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

function withTemplateSpec(object: Unstructured, spec: Readonly<Record<string, unknown>>): Unstructured {
  const template = fieldsOf(fieldsOf(object.spec)['template']);
  const merged = { ...template, spec: { ...fieldsOf(template['spec']), ...spec } };
  return { ...object, spec: { ...fieldsOf(object.spec), template: merged } };
}

describe('the state of a topology', () => {
  it('is read whole, each object once', async () => {
    const { state, ask } = await read();
    expect(state.ok).toBe(true);
    const asked = ask.trips.flat();
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).toHaveLength(19);
    if (state.ok) {
      const { blueprint, current } = state.value;
      expect(blueprint.controlPlane.contract).toBe('v1beta2');
      expect(blueprint.controlPlane.machineTemplate?.metadata.name).toBe('cp-machine');
      expect([...blueprint.machineDeployments.keys(), ...blueprint.machinePools.keys()]).toEqual(['worker', 'pool']);
      expect(current.infrastructureCluster?.metadata.name).toBe('c1-bbbbb');
      expect(current.controlPlane.machineTemplate?.metadata.name).toBe('c1-ddddd');
      expect(current.machineDeployments.get('md1')?.bootstrapTemplate?.metadata.name).toBe('c1-md1-ggggg');
      expect(current.machinePools.get('mp1')?.infrastructureObject?.metadata.name).toBe('c1-mp1-lllll');
    }
  });

  it.each([
    {
      reason: 'the class comes first',
      world: { without: ['infra-cluster', 'c1-bbbbb'] },
      error:
        'error reading the ClusterClass: failed to get infrastructure cluster template for ClusterClass ns1/class1: failed to retrieve GenericInfrastructureClusterTemplate ns1/infra-cluster: failed to retrieve GenericInfrastructureClusterTemplate ns1/infra-cluster: genericinfrastructureclustertemplates.infrastructure.cluster.x-k8s.io "infra-cluster" not found',
    },
    {
      reason: 'a control plane template',
      world: { without: ['control-plane'] },
      error: /^error reading the ClusterClass: failed to get control plane template for ClusterClass ns1\/class1: /,
    },
    {
      reason: 'a machine template of the control plane',
      world: { without: ['cp-machine'] },
      error:
        /^error reading the ClusterClass: failed to get control plane's machine template for ClusterClass ns1\/class1: /,
    },
    {
      reason: 'a class that no MachineDeployment uses counts, too',
      world: {
        change: { machineDeployment: { class: 'unused' } },
        without: ['worker-boot'],
        objects: changed('c1-md1-fffff', without('topology.cluster.x-k8s.io/owned')),
      },
      error:
        /^error reading the ClusterClass: failed to get bootstrap config template for ClusterClass ns1\/class1, MachineDeployment class "unused": /,
    },
    {
      reason: 'infrastructure comes before bootstrap',
      world: { without: ['worker-boot', 'worker-machine'] },
      error:
        /: failed to get infrastructure machine template for ClusterClass ns1\/class1, MachineDeployment class "worker": /,
    },
    {
      reason: 'a template of a MachinePool class',
      world: { without: ['pool-machine'] },
      error:
        /: failed to get InfrastructureMachinePoolTemplate for ClusterClass ns1\/class1, MachinePool class "pool": /,
    },
    {
      reason: 'a bootstrap template of a MachinePool class',
      world: { without: ['pool-boot'] },
      error: /: failed to get bootstrap config for ClusterClass ns1\/class1, MachinePool class "pool": /,
    },
    {
      reason: 'a class that names no control plane template',
      world: { change: { controlPlane: { templateRef: {} } } },
      error:
        'error reading the ClusterClass: failed to get control plane template for ClusterClass ns1/class1: reference is not set',
    },
    {
      reason: 'an infrastructure cluster that is gone is not made again',
      world: { without: ['c1-bbbbb'] },
      error:
        /^error reading current state of the Cluster topology: failed to read GenericInfrastructureCluster ns1\/c1-bbbbb: failed to retrieve GenericInfrastructureCluster ns1\/c1-bbbbb: .* not found$/,
    },
    {
      reason: 'an infrastructure cluster of another owner',
      world: { objects: changed('c1-bbbbb', without('topology.cluster.x-k8s.io/owned')) },
      error:
        'error reading current state of the Cluster topology: GenericInfrastructureCluster ns1/c1-bbbbb referenced from Cluster ns1/c1 is not topology owned',
    },
    {
      reason: 'a control plane of another owner',
      world: { objects: changed('c1-ccccc', without('topology.cluster.x-k8s.io/owned')) },
      error:
        'error reading current state of the Cluster topology: KubeadmControlPlane ns1/c1-ccccc referenced from Cluster ns1/c1 is not topology owned',
    },
    {
      reason: 'a control plane that names no machine template',
      world: { objects: changed('c1-ccccc', object => ({ ...object, spec: {} })) },
      error:
        'error reading current state of the Cluster topology: failed to get InfrastructureMachineTemplate reference for KubeadmControlPlane ns1/c1-ccccc: field .spec.machineTemplate.spec.infrastructureRef is not set',
    },
    {
      reason: 'a control plane whose reference is not an object',
      world: {
        objects: changed('c1-ccccc', object => ({
          ...object,
          spec: { machineTemplate: { spec: { infrastructureRef: 'x' } } },
        })),
      },
      error:
        /failed to get InfrastructureMachineTemplate reference for KubeadmControlPlane ns1\/c1-ccccc: failed to get /,
    },
    {
      reason: 'a machine template that is gone',
      world: { without: ['c1-ddddd'] },
      error: /failed to get InfrastructureMachineTemplate for KubeadmControlPlane ns1\/c1-ccccc: failed to retrieve /,
    },
    {
      reason: 'a machine template of another owner',
      world: { objects: changed('c1-ddddd', without('topology.cluster.x-k8s.io/owned')) },
      error:
        'error reading current state of the Cluster topology: GenericInfrastructureMachineTemplate ns1/c1-ddddd referenced from KubeadmControlPlane ns1/c1-ccccc is not topology owned',
    },
    {
      reason: 'a health check that cannot be read',
      world: { faults: [{ at: 'get MachineHealthCheck ns1/c1-ccccc', message: 'broken' }] },
      error:
        'error reading current state of the Cluster topology: failed to get MachineHealthCheck for KubeadmControlPlane ns1/c1-ccccc: broken',
    },
    {
      reason: 'MachineDeployments that cannot be listed',
      world: { faults: [{ at: 'list MachineDeployment ns1', message: 'broken' }] },
      error:
        'error reading current state of the Cluster topology: failed to read MachineDeployments for managed topology: broken',
    },
    {
      reason: 'a MachineDeployment without its name in the topology',
      world: { objects: changed('c1-md1-fffff', without('topology.cluster.x-k8s.io/deployment-name')) },
      error:
        'error reading current state of the Cluster topology: failed to find label topology.cluster.x-k8s.io/deployment-name in MachineDeployment ns1/c1-md1-fffff',
    },
    {
      reason: 'two MachineDeployments of one name',
      world: {
        objects: [
          ...settledList,
          ...changed('c1-md1-fffff', object => ({ ...object, metadata: { ...object.metadata, name: 'z' } })).filter(
            ({ metadata }) => metadata.name === 'z',
          ),
        ],
      },
      error:
        'error reading current state of the Cluster topology: duplicate MachineDeployment ns1/z found for label topology.cluster.x-k8s.io/deployment-name: md1',
    },
    {
      reason: 'a MachineDeployment without bootstrap reference',
      world: { objects: changed('c1-md1-fffff', object => withTemplateSpec(object, { bootstrap: {} })) },
      error:
        'error reading current state of the Cluster topology: MachineDeployment ns1/c1-md1-fffff does not have a reference to a Bootstrap Config',
    },
    {
      reason: 'a MachineDeployment without infrastructure reference',
      world: { objects: changed('c1-md1-fffff', object => withTemplateSpec(object, { infrastructureRef: {} })) },
      error:
        'error reading current state of the Cluster topology: MachineDeployment ns1/c1-md1-fffff does not have a reference to a InfrastructureMachineTemplate',
    },
    {
      reason: 'a MachinePool without infrastructure reference',
      world: { objects: changed('c1-mp1-jjjjj', object => withTemplateSpec(object, { infrastructureRef: {} })) },
      error:
        'error reading current state of the Cluster topology: MachinePool ns1/c1-mp1-jjjjj does not have a reference to a InfrastructureMachinePool',
    },
    {
      reason: 'a topology that names a class that is not there',
      world: { change: { machineDeployment: { class: 'other' } } },
      error:
        'error reading current state of the Cluster topology: failed to find MachineDeployment class worker in ClusterClass',
    },
    {
      reason: 'a bootstrap template that is gone',
      world: { without: ['c1-md1-ggggg'] },
      error: /: MachineDeployment ns1\/c1-md1-fffff Bootstrap reference could not be retrieved: failed to retrieve /,
    },
    {
      reason: 'an infrastructure template that is gone',
      world: { without: ['c1-md1-hhhhh'] },
      error: /: MachineDeployment ns1\/c1-md1-fffff Infrastructure reference could not be retrieved: /,
    },
    {
      reason: 'a bootstrap object of another owner',
      world: { objects: changed('c1-mp1-kkkkk', without('topology.cluster.x-k8s.io/owned')) },
      error:
        'error reading current state of the Cluster topology: KubeadmConfig ns1/c1-mp1-kkkkk referenced from MachinePool ns1/c1-mp1-jjjjj is not topology owned',
    },
    {
      reason: 'a health check of workers that cannot be read',
      world: { faults: [{ at: 'get MachineHealthCheck ns1/c1-md1-fffff', message: 'broken' }] },
      error:
        'error reading current state of the Cluster topology: failed to get MachineHealthCheck for MachineDeployment ns1/c1-md1-fffff: broken',
    },
    {
      reason: 'a definition without contract',
      world: { objects: [...settledList], without: [built(cpDefinition).metadata.name] },
      error:
        /current state of the Cluster topology: failed to get contract version for the ControlPlane object: failed to get CustomResourceDefinition metadata: /,
    },
  ] satisfies readonly { reason: string; world: World; error: string | RegExp }[])(
    '$reason',
    async ({ world, error }) => {
      const reported = await errorOf(world);
      if (typeof error === 'string') {
        expect(reported).toBe(error);
      } else {
        expect(reported).toMatch(error);
      }
    },
  );

  it.each([
    {
      reason: 'templates of a MachineDeployment that is being deleted may be gone',
      world: { objects: changed('c1-md1-fffff', deleting), without: ['c1-md1-ggggg', 'c1-md1-hhhhh'] },
      parts: { deployment: ['object'], pool: ['object', 'bootstrapObject', 'infrastructureObject'] },
    },
    {
      reason: 'and so may objects of a MachinePool',
      world: { objects: changed('c1-mp1-jjjjj', deleting), without: ['c1-mp1-kkkkk'] },
      parts: { deployment: ['object', 'bootstrapTemplate', 'infrastructureTemplate'], pool: ['object'] },
    },
  ])('$reason', async ({ world, parts }) => {
    const { state } = await read(world);
    const current = state.ok ? state.value.current : undefined;
    expect(Object.keys(current?.machineDeployments.get('md1') ?? {})).toEqual(parts.deployment);
    expect(Object.keys(current?.machinePools.get('mp1') ?? {})).toEqual(parts.pool);
  });

  describe('of a Cluster whose class names a control plane of another kind, of contract v1beta1', () => {
    const group = 'controlplane.cluster.x-k8s.io';
    const definition = new ObjectBuilder({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      name: `oldcontrolplanes.${group}`,
    }).labelled({ 'cluster.x-k8s.io/v1beta1': 'v1' });
    const templateRef = { apiVersion: `${group}/v1`, kind: 'OldControlPlaneTemplate', name: 'old' };
    const template = new ObjectBuilder(templateRef).in('ns1').withSpec({ template: { spec: {} } });
    const change = { controlPlane: { templateRef } };

    it('has the machine template that the present one names where its own contract has it', async () => {
      const { state } = await read({ change, objects: [...settledList, definition, template] });
      expect(state).toMatchObject({ ok: true, value: { blueprint: { controlPlane: { contract: 'v1beta1' } } } });
      expect(state.ok && state.value.current.controlPlane.machineTemplate?.metadata.name).toBe('c1-ddddd');
    });
  });

  it('has the machine template that a control plane of contract v1beta1 names', async () => {
    const older = { labels: { 'cluster.x-k8s.io/v1beta1': 'v1beta2' } };
    const definition = { ...built(cpDefinition), metadata: { ...built(cpDefinition).metadata, ...older } };
    const others = settledList.filter(each => built(each).metadata.name !== 'c1-ccccc');
    const { state } = await read({ definition, objects: [...others, anOlderControlPlane()] });
    expect(state.ok && state.value.current.controlPlane.machineTemplate?.metadata.name).toBe('c1-ddddd');
    const nameless = [...others, anOlderControlPlane({ name: undefined })];
    expect(await errorOf({ definition, objects: nameless })).toBe(
      'error reading current state of the Cluster topology: failed to get InfrastructureMachineTemplate reference for KubeadmControlPlane ns1/c1-ccccc: failed to get spec.machineTemplate.infrastructureRef.name from KubeadmControlPlane',
    );
  });

  it('reads neither machine template nor health check if the class has no machine infrastructure', async () => {
    const { state, ask } = await read({ change: { controlPlane: { machineInfrastructure: {} } } });
    expect(state.ok && state.value.current.controlPlane.machineTemplate).toBe(undefined);
    expect(ask.trips.flat()).not.toContain('get MachineHealthCheck ns1/c1-ccccc');
  });

  it('finds health checks by name, with any owner', async () => {
    const check = (name: string) =>
      new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', name }).in('ns1');
    const { state } = await read({ objects: [...settledList, check('c1-ccccc'), check('c1-md1-fffff')] });
    const current = state.ok ? state.value.current : undefined;
    expect(current?.controlPlane.healthCheck?.metadata.name).toBe('c1-ccccc');
    expect(current?.machineDeployments.get('md1')?.healthCheck?.metadata.name).toBe('c1-md1-fffff');
  });
});
