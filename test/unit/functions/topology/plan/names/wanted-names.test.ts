import { describe, expect, it } from 'vitest';
import { wantedClusterNames, wantedWorkerNames } from '../../../../../../functions/topology/plan/names/wanted-names.ts';
import { aCurrent, nothingYet, settledObjects } from '../../../../../support/settled-topology.ts';
import {
  aBlueprint,
  aSettledTopologyCluster,
  aTopologyClass,
  settled,
} from '../../../../../support/topology-objects.ts';
import { found } from '../desired/desired-input.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const bootstrap = 'bootstrap.cluster.x-k8s.io/v1beta2';
const core = 'cluster.x-k8s.io/v1beta2';

const naming = (template: string) => ({ naming: { template } });
const named = aTopologyClass({
  infrastructure: naming('i'),
  controlPlane: naming('c'),
  machineDeployment: naming('d'),
  machinePool: naming('p'),
});

describe('the names that a topology needs', () => {
  it('are those of its Cluster', () => {
    const wanted = wantedClusterNames(aBlueprint({ clusterClass: named }), nothingYet);
    const one = { topologyName: '', held: undefined };
    expect(wanted).toMatchObject({
      infrastructureCluster: {
        ...one,
        ...{ role: 'InfrastructureCluster', template: 'i' },
        ...{ apiVersion: infrastructure, kind: 'GenericInfrastructureCluster' },
      },
      controlPlane: {
        ...one,
        ...{ role: 'ControlPlane', template: 'c' },
        ...{ apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', kind: 'KubeadmControlPlane' },
      },
      controlPlaneMachineTemplate: {
        ...one,
        ...{ role: 'ControlPlaneMachineTemplate', template: '' },
        ...{ apiVersion: infrastructure, kind: 'GenericInfrastructureMachineTemplate' },
      },
    });
  });

  it('are held where references hold them', () => {
    const wanted = wantedClusterNames(aBlueprint(), aCurrent());
    expect([
      wanted.infrastructureCluster.held,
      wanted.controlPlane.held,
      wanted.controlPlaneMachineTemplate?.held,
    ]).toEqual([settled.infrastructureCluster, settled.controlPlane, settled.controlPlaneMachineTemplate]);
  });

  it('omit the machine template of a control plane without machine infrastructure', () => {
    const { machineTemplate: _, ...controlPlane } = aBlueprint().controlPlane;
    const wanted = wantedClusterNames({ ...aBlueprint(), controlPlane }, nothingYet);
    expect(wanted.controlPlaneMachineTemplate).toBeUndefined();
  });

  const workers = [
    {
      kind: 'MachineDeployment',
      topologyName: 'md1',
      template: 'd',
      bootstrap: { role: 'MachineDeploymentBootstrapTemplate', kind: 'KubeadmConfigTemplate' },
      infrastructure: {
        role: 'MachineDeploymentInfrastructureTemplate',
        kind: 'GenericInfrastructureMachineTemplate',
      },
    },
    {
      kind: 'MachinePool',
      topologyName: 'mp1',
      template: 'p',
      bootstrap: { role: 'MachinePoolBootstrapObject', kind: 'KubeadmConfig' },
      infrastructure: { role: 'MachinePoolInfrastructureObject', kind: 'GenericInfrastructureMachinePool' },
    },
  ] as const;

  it.each(workers)('are those of each $kind', ({ kind, topologyName, template, ...parts }) => {
    const blueprint = aBlueprint({ clusterClass: named });
    const wanted = wantedWorkerNames(kind, blueprint, nothingYet);
    expect(wanted.ok && [...wanted.value.keys()]).toEqual([topologyName]);
    expect(wanted.ok && wanted.value.get(topologyName)).toMatchObject({
      object: { role: kind, topologyName, template, apiVersion: core, kind, held: undefined },
      bootstrap: { ...parts.bootstrap, topologyName, template: '', apiVersion: bootstrap, held: undefined },
      infrastructure: {
        ...parts.infrastructure,
        topologyName,
        template: '',
        apiVersion: infrastructure,
        held: undefined,
      },
    });
  });

  it.each(workers)('are held by each existing $kind, its templates deleted or not', ({ kind, topologyName }) => {
    const gone = {
      ...aCurrent(),
      machineDeployments: new Map([['md1', { object: settledObjects().md1.build() }]]),
      machinePools: new Map([['mp1', { object: settledObjects().mp1.build() }]]),
    };
    for (const current of [aCurrent(), gone]) {
      const wanted = wantedWorkerNames(kind, aBlueprint(), current);
      const names = found(wanted.ok ? wanted.value.get(topologyName) : undefined);
      expect({
        object: names.object.held,
        bootstrap: names.bootstrap.held,
        infrastructure: names.infrastructure.held,
      }).toEqual(settled[topologyName]);
    }
  });

  it.each(workers)('cannot be computed for a $kind of an unknown class', ({ kind }) => {
    const gone = [{ class: 'gone', name: 'x' }];
    const cluster = aSettledTopologyCluster({ workers: { machineDeployments: gone, machinePools: gone } });
    expect(wantedWorkerNames(kind, aBlueprint({ cluster }), nothingYet)).toEqual({
      ok: false,
      error: expect.stringContaining(`topology "x": ${kind} class gone not found in ClusterClass ns1/class1`),
    });
  });
});

describe('the error for a name that cannot be computed', () => {
  const { infrastructureCluster, controlPlane, controlPlaneMachineTemplate } = wantedClusterNames(
    aBlueprint(),
    nothingYet,
  );
  const workerOf = (kind: 'MachineDeployment' | 'MachinePool', name: string) => {
    const wanted = wantedWorkerNames(kind, aBlueprint(), nothingYet);
    return found(wanted.ok ? wanted.value.get(name) : undefined);
  };
  const rows = [
    {
      wanted: infrastructureCluster,
      words:
        'failed to compute InfrastructureCluster: failed to generate the InfrastructureCluster object from the GenericInfrastructureClusterTemplate: why',
    },
    {
      wanted: controlPlane,
      words:
        'failed to compute ControlPlane: failed to generate the ControlPlane object from the KubeadmControlPlaneTemplate: why',
    },
    { wanted: controlPlaneMachineTemplate, words: 'failed to compute ControlPlane InfrastructureMachineTemplate: why' },
    {
      wanted: workerOf('MachineDeployment', 'md1').bootstrap,
      words: 'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "md1": why',
    },
    {
      wanted: workerOf('MachinePool', 'mp1').object,
      words: 'failed to compute MachinePools: failed to compute MachinePool for topology "mp1": why',
    },
  ];
  it.each(rows)('are $words', ({ wanted, words }) => {
    expect(found(wanted).toProblem('why')).toBe(words);
  });
});
