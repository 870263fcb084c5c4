// The labels and references of workers of a topology.

import { invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  byTopologyName,
  machineDeployments,
  machinePools,
  toWorkerReferences,
} from '../../../../../../functions/topology/plan/current/worker-references.ts';
import { settledObjects } from '../../../../../support/settled-topology.ts';
import { aBlueprint, aSettledTopologyCluster, settled } from '../../../../../support/topology-objects.ts';

const { md1, mp1 } = settledObjects();
const source = aBlueprint();
const { bootstrap, infrastructure } = source.classSpec.workers.machineDeployments[0] ?? fail();

function fail(): never {
  throw new Error('The fixture has the class');
}

describe('workers by topology name', () => {
  it('are found by the label of their kind', () => {
    expect(byTopologyName([md1.build()], machineDeployments)).toEqual(valid(new Map([['md1', md1.build()]])));
    expect(byTopologyName([mp1.build()], machinePools)).toEqual(valid(new Map([['mp1', mp1.build()]])));
  });

  const name = settled.md1.object;
  const label = 'topology.cluster.x-k8s.io/deployment-name';
  it.each([
    {
      reason: 'no label',
      objects: [md1.build(), mp1.build()],
      error: `failed to find label ${label} in MachinePool ns1/${settled.mp1.object}`,
    },
    {
      reason: 'an empty label',
      objects: [md1.labelled({ [label]: '' }).build()],
      error: `failed to find label ${label} in MachineDeployment ns1/${name}`,
    },
    {
      reason: 'one name twice',
      objects: [md1.build(), md1.named('other').build()],
      error: `duplicate MachineDeployment ns1/other found for label ${label}: md1`,
    },
    {
      reason: 'no labels at all',
      objects: [{ ...md1.build(), metadata: { name, namespace: 'ns1', uid: '', resourceVersion: '1' } }],
      error: `failed to find label ${label} in MachineDeployment ns1/${name}`,
    },
  ])('are an error: $reason', ({ objects, error }) => {
    expect(byTopologyName(objects, machineDeployments)).toEqual(invalid(error));
  });
});

describe('references of a worker', () => {
  const toRefs = (name: 'md1' | 'mp1', bootstrapKind: string, infrastructureKind: string) => ({
    bootstrap: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: bootstrapKind, name: settled[name].bootstrap },
    infrastructure: {
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      kind: infrastructureKind,
      name: settled[name].infrastructure,
    },
  });
  const refs = toRefs('md1', 'KubeadmConfigTemplate', 'GenericInfrastructureMachineTemplate');

  it('have the references of its class', () => {
    expect(toWorkerReferences(source, machineDeployments, { topologyName: 'md1', object: md1.build() })).toEqual(
      valid({
        bootstrap: { ref: refs.bootstrap, from: bootstrap.templateRef },
        infrastructure: { ref: refs.infrastructure, from: infrastructure.templateRef },
      }),
    );
    const ofPool = source.classSpec.workers.machinePools[0] ?? fail();
    const poolRefs = toRefs('mp1', 'KubeadmConfig', 'GenericInfrastructureMachinePool');
    expect(toWorkerReferences(source, machinePools, { topologyName: 'mp1', object: mp1.build() })).toEqual(
      valid({
        bootstrap: { ref: poolRefs.bootstrap, from: ofPool.bootstrap.templateRef },
        infrastructure: { ref: poolRefs.infrastructure, from: ofPool.infrastructure.templateRef },
      }),
    );
  });

  it('have no version if the topology no longer names the worker', () => {
    const unknown = { apiVersion: '', kind: '', name: '' };
    expect(toWorkerReferences(source, machineDeployments, { topologyName: 'gone', object: md1.build() })).toEqual(
      valid({
        bootstrap: { ref: refs.bootstrap, from: unknown },
        infrastructure: { ref: refs.infrastructure, from: unknown },
      }),
    );
  });

  it('are an error where the class does not exist', () => {
    const workers = { machineDeployments: [{ class: 'other', name: 'md1' }] };
    const changed = aBlueprint({ cluster: aSettledTopologyCluster({ workers }) });
    expect(toWorkerReferences(changed, machineDeployments, { topologyName: 'md1', object: md1.build() })).toEqual(
      invalid('failed to find MachineDeployment class other in ClusterClass'),
    );
  });

  const subject = `MachineDeployment ns1/${settled.md1.object} does not have a reference to a`;
  it.each([
    { reason: 'neither', spec: {}, error: `${subject} Bootstrap Config` },
    { reason: 'no bootstrap', spec: { infrastructureRef: refs.infrastructure }, error: `${subject} Bootstrap Config` },
    {
      reason: 'no infrastructure',
      spec: { bootstrap: { configRef: refs.bootstrap } },
      error: `${subject} InfrastructureMachineTemplate`,
    },
  ])('must be set: $reason', ({ spec, error }) => {
    const object = { ...md1.build(), spec: { template: { spec } } };
    expect(toWorkerReferences(source, machineDeployments, { topologyName: 'md1', object })).toEqual(invalid(error));
  });

  it('of a MachinePool name its own kind of infrastructure in errors', () => {
    const object = { ...mp1.build(), spec: { template: { spec: { bootstrap: { configRef: refs.bootstrap } } } } };
    expect(toWorkerReferences(source, machinePools, { topologyName: 'mp1', object })).toEqual(
      invalid(`MachinePool ns1/${settled.mp1.object} does not have a reference to a InfrastructureMachinePool`),
    );
  });
});
