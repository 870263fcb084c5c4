import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { computeDesired } from '../../../../../../functions/topology/plan/desired/compute.ts';
import type { Desired } from '../../../../../../functions/topology/plan/desired/desired-topology.ts';
import { aCurrent, nothingYet, settledObjects, settledVersions } from '../../../../../support/settled-topology.ts';
import { settled } from '../../../../../support/topology-objects.ts';
import { aDesiredInput, at, desiredOf, found } from './desired-input.ts';

function intentsOf({
  infrastructureCluster,
  controlPlane,
  machineDeployments,
  machinePools,
}: Desired): readonly Intent[] {
  const { object, machineTemplate, healthCheck } = controlPlane;
  return [
    infrastructureCluster,
    ...[object, machineTemplate, healthCheck],
    ...[...machineDeployments.values()].flatMap(each => Object.values(each)),
    ...[...machinePools.values()].flatMap(each => Object.values(each)),
  ].filter(intent => intent !== undefined);
}

/** Returns the paths of empty values and null. */
function emptyPaths(value: unknown, path = ''): readonly string[] {
  if (value === undefined || value === null) {
    return [path];
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return [];
  }
  const members = Object.entries(value);
  return members.length === 0 ? [path] : members.flatMap(([key, member]) => emptyPaths(member, `${path}.${key}`));
}

describe('the desired state of a topology', () => {
  it('equals the current state when nothing changes', () => {
    const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = desiredOf();
    const md1 = found(machineDeployments.get('md1'));
    const mp1 = found(machinePools.get('mp1'));
    const there = settledObjects();
    const pairs: readonly (readonly [Intent | undefined, { build(): Unstructured }])[] = [
      [infrastructureCluster, there.infrastructureCluster],
      [controlPlane.object, there.controlPlane],
      [controlPlane.machineTemplate, there.controlPlaneMachineTemplate],
      [md1.object, there.md1],
      [md1.bootstrapTemplate, there.md1Bootstrap],
      [md1.infrastructureTemplate, there.md1Infrastructure],
      [mp1.object, there.mp1],
      [mp1.bootstrapObject, there.mp1Bootstrap],
      [mp1.infrastructureObject, there.mp1Infrastructure],
    ];
    for (const [intent, stored] of pairs) {
      const { kind, metadata, spec } = stored.build();
      expect(stored.build()).toMatchObject(found(intent));
      expect(intent?.['spec']).toStrictEqual(spec);
      expect(intent?.metadata.labels, kind).toEqual(metadata.labels);
      expect(intent?.metadata.annotations, kind).toEqual(metadata.annotations);
    }
  });

  it('has exactly these parts', () => {
    const { controlPlane, machineDeployments, machinePools } = desiredOf();
    expect([controlPlane, ...machineDeployments.values(), ...machinePools.values()].map(Object.keys)).toEqual([
      ['object', 'machineTemplate'],
      ['object', 'bootstrapTemplate', 'infrastructureTemplate'],
      ['object', 'bootstrapObject', 'infrastructureObject'],
    ]);
  });

  it('requires nothing of objects that have no owner', () => {
    const { infrastructureCluster } = aCurrent();
    const { ownerReferences: _, ...metadata } = found(infrastructureCluster).metadata;
    const current = { ...aCurrent(), infrastructureCluster: { ...found(infrastructureCluster), metadata } };
    expect(desiredOf({ input: { current } }).infrastructureCluster.metadata).not.toHaveProperty('ownerReferences');
  });

  it('holds nothing empty, and of metadata only what is to be owned', () => {
    const allowed = ['name', 'namespace', 'labels', 'annotations', 'ownerReferences'];
    for (const intent of intentsOf(desiredOf())) {
      expect(emptyPaths(intent)).toEqual([]);
      expect(Object.keys(intent.metadata).filter(key => !allowed.includes(key))).toEqual([]);
      expect(Object.keys(intent).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    }
  });

  it('puts everything into the namespace of the Cluster, not that of the class', () => {
    const input = aDesiredInput();
    const elsewhere = (template: Unstructured) => ({
      ...template,
      metadata: { ...template.metadata, namespace: 'shared' },
    });
    const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = input.blueprint;
    const templatesElsewhere = <T extends { readonly bootstrap: Unstructured; readonly infrastructure: Unstructured }>(
      classes: ReadonlyMap<string, T>,
    ) =>
      new Map(
        [...classes].map(([name, each]) => [
          name,
          { ...each, bootstrap: elsewhere(each.bootstrap), infrastructure: elsewhere(each.infrastructure) },
        ]),
      );
    const desired = computeDesired({
      ...input,
      blueprint: {
        ...input.blueprint,
        className: { namespace: 'shared', name: 'class1' },
        infrastructureCluster: { template: elsewhere(infrastructureCluster.template) },
        controlPlane: {
          ...controlPlane,
          template: elsewhere(controlPlane.template),
          machineTemplate: elsewhere(found(controlPlane.machineTemplate)),
        },
        machineDeployments: templatesElsewhere(machineDeployments),
        machinePools: templatesElsewhere(machinePools),
      },
    });
    const intents = desired.ok ? intentsOf(desired.value) : [];
    expect(intents.map(({ metadata }) => metadata.namespace)).toEqual(Array(9).fill('ns1'));
  });

  it('is the same for a new Cluster: everything, workers included', () => {
    const input = aDesiredInput({ input: { current: nothingYet } });
    expect(computeDesired(input)).toEqual(computeDesired(aDesiredInput()));
  });

  it('gives templates and pool objects the Cluster as owner, infrastructure cluster and control plane none', () => {
    const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = desiredOf();
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'uid-of-cluster-c1' };
    const md1 = found(machineDeployments.get('md1'));
    const mp1 = found(machinePools.get('mp1'));
    const ownersOf = (intent: Intent | undefined) => intent?.metadata.ownerReferences;
    expect([infrastructureCluster, controlPlane.object, md1.object, mp1.object].map(ownersOf)).toEqual(
      Array(4).fill(undefined),
    );
    expect(
      [
        controlPlane.machineTemplate,
        md1.bootstrapTemplate,
        md1.infrastructureTemplate,
        mp1.bootstrapObject,
        mp1.infrastructureObject,
      ].map(ownersOf),
    ).toEqual(Array(5).fill([owner]));
  });

  const shim = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'c1-shim', uid: 'uid-of-shim', resourceVersion: '1' },
  };
  const otherSecret = { ...shim, metadata: { ...shim.metadata, name: 'c1-kubeconfig' } };
  const namesake = { ...shim, kind: 'ConfigMap' };

  it('keeps the shim as the only owner of objects that it owns', () => {
    const { infrastructureCluster, controlPlane } = settledObjects();
    const owned = (object: typeof controlPlane) => object.ownedBy(otherSecret).ownedBy(namesake).ownedBy(shim);
    const current = aCurrent({
      infrastructureCluster: owned(infrastructureCluster),
      controlPlane: owned(controlPlane),
    });
    const desired = desiredOf({ input: { current } });
    const reference = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'uid-of-shim' };
    expect(desired.infrastructureCluster.metadata.ownerReferences).toEqual([reference]);
    expect(desired.controlPlane.object.metadata.ownerReferences).toEqual([reference]);
  });

  it('holds workers that are not created yet: the plan of the writes decides when', () => {
    const versions = settledVersions('v1.30.0');
    const pendingCreate = new Set(['md1']);
    const input = { versions: { ...versions, machineDeployments: { ...versions.machineDeployments, pendingCreate } } };
    expect([...desiredOf({ input }).machineDeployments.keys()]).toEqual(['md1']);
  });

  it('holds nothing of a topology that was removed', () => {
    const desired = desiredOf({ topology: { workers: {} } });
    expect([desired.machineDeployments.size, desired.machinePools.size]).toEqual([0, 0]);
  });

  it('keeps the order of the topology', () => {
    const names = ['z', 'a', 'm'];
    const topology = { workers: { machineDeployments: names.map(name => ({ class: 'worker', name })) } };
    const { names: chosen, versions } = aDesiredInput();
    const [workerNames] = chosen.machineDeployments.values();
    const input = {
      names: { ...chosen, machineDeployments: new Map(names.map(name => [name, found(workerNames)])) },
      versions: {
        ...versions,
        machineDeployments: {
          ...versions.machineDeployments,
          versions: new Map(names.map(name => [name, 'v1.31.0'])),
        },
      },
    };
    expect([...desiredOf({ topology, input }).machineDeployments.keys()]).toEqual(names);
  });

  it.each([
    { isUpgradeInProgress: true, step: 'v1.30.4', reason: 'a step runs, to the version of the control plane' },
    { isUpgradeInProgress: false, step: undefined, reason: 'nothing runs' },
  ])('has upgrade step $step when $reason', ({ isUpgradeInProgress, step }) => {
    const versions = { ...settledVersions('v1.30.4'), isUpgradeInProgress };
    expect(desiredOf({ input: { versions } }).upgradeStep).toBe(step);
  });

  it('gives each part the version that was planned for it', () => {
    const versions = {
      ...settledVersions('v1.31.0'),
      machineDeployments: settledVersions('v1.30.0').machineDeployments,
      machinePools: settledVersions('v1.29.0').machinePools,
    };
    const desired = desiredOf({ input: { versions } });
    expect(at(desired.controlPlane.object, 'spec.version')).toBe('v1.31.0');
    expect(at(desired.machineDeployments.get('md1')?.object, 'spec.template.spec.version')).toBe('v1.30.0');
    expect(at(desired.machinePools.get('mp1')?.object, 'spec.template.spec.version')).toBe('v1.29.0');
  });

  it('has no machine template and no health check for control planes without machine infrastructure', () => {
    const healthCheck = { checks: { nodeStartupTimeoutSeconds: 60 } };
    const { controlPlaneMachineTemplate: _, ...names } = aDesiredInput().names;
    const { controlPlane } = desiredOf({
      input: { names },
      topology: { controlPlane: { healthCheck } },
      ofClass: { controlPlane: { healthCheck, machineInfrastructure: { templateRef: {} } } },
    });
    expect(Object.keys(controlPlane)).toEqual(['object']);
    expect(at(controlPlane.object, 'spec.machineTemplate')).toBeUndefined();
  });

  it('watches control plane machines by the health check of the class', () => {
    const { controlPlane } = desiredOf({
      ofClass: { controlPlane: { healthCheck: { checks: { nodeStartupTimeoutSeconds: 60 } } } },
    });
    expect(controlPlane.healthCheck).toMatchObject({
      metadata: { name: settled.controlPlane },
      spec: {
        selector: {
          matchLabels: { 'topology.cluster.x-k8s.io/owned': '', 'cluster.x-k8s.io/control-plane': '' },
        },
        checks: { nodeStartupTimeoutSeconds: 60 },
      },
    });
  });
});

describe('a desired state that cannot be computed', () => {
  const refusals = [
    {
      workers: { machineDeployments: [{ class: 'gone', name: 'md1' }] },
      error:
        'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "md1": MachineDeployment class gone not found in ClusterClass ns1/class1',
      reason: 'the class has no such MachineDeployment class',
    },
    {
      workers: { machinePools: [{ class: 'gone', name: 'mp1' }] },
      error:
        'failed to compute MachinePools: failed to compute MachinePool for topology "mp1": MachinePool class gone not found in ClusterClass ns1/class1',
      reason: 'the class has no such MachinePool class',
    },
    {
      workers: { machineDeployments: [{ class: 'worker', name: 'new' }] },
      error:
        'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "new": it has no name or no version yet',
      reason: 'no name was chosen',
    },
  ];
  it.each(refusals)('reports why when $reason', ({ workers, error }) => {
    expect(computeDesired(aDesiredInput({ topology: { workers } }))).toEqual({ ok: false, error });
  });

  it('reports that no version was planned', () => {
    const versions = settledVersions();
    const machinePools = { ...versions.machinePools, versions: new Map() };
    const input = { versions: { ...versions, machinePools } };
    expect(computeDesired(aDesiredInput({ input }))).toMatchObject({
      error: expect.stringContaining('no version yet'),
    });
  });
});
