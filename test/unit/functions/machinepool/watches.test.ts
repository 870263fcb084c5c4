import { describe, expect, it } from 'vitest';
import { machinePoolDeclaration } from '../../../../functions/machinepool/declaration.ts';
import { machinePoolKind, machinePoolWatches } from '../../../../functions/machinepool/watches.ts';
import { kindsOfPool } from '../../../../shared/api/machine-pool/whole-machine-pool.ts';
import { timestamp } from '../../../support/object-builder.ts';
import {
  aCapiCluster,
  aConfig,
  aFooMachine,
  aPool,
  aPoolMachine,
  clusterNameLabel,
  core,
  paused,
  poolNameLabel,
} from './pool-objects.ts';

function watchOf(kind: string) {
  const found = machinePoolWatches.find(({ source }) => (source === 'referenced' ? source : source.kind) === kind);
  if (found === undefined) {
    throw new Error(`${kind} is not watched`);
  }
  return found;
}

it('belongs to MachinePools', () => {
  expect(machinePoolDeclaration).toMatchObject({
    primary: machinePoolKind,
    gate: 'MachinePool',
    watches: machinePoolWatches,
  });
  expect(kindsOfPool(aPool().build())).toEqual([
    { group: 'bootstrap.cluster.x-k8s.io', kind: 'FooConfig' },
    { group: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachinePool' },
  ]);
});

describe('an event of a Cluster', () => {
  const { map, matches, scopeOf, versionOf } = watchOf('Cluster');
  const source = { apiVersion: core, kind: 'Cluster', namespace: 'ns', name: 'c1' };

  it('enqueues the MachinePools with its label', () => {
    expect(map({ type: 'MODIFIED', object: aCapiCluster().build() })).toBe('expand');
    expect(matches?.(aPool().build(), source)).toBe(true);
    expect(matches?.(aPool().build(), { ...source, namespace: 'other' })).toBe(false);
    expect(matches?.(aPool().build(), { apiVersion: core, kind: 'Cluster', name: 'c1' })).toBe(false);
    expect(matches?.(aPool().unlabelled().build(), source)).toBe(false);
    expect(matches?.(aPool().clusterScoped().build(), source)).toBe(false);
    expect(scopeOf?.(source)).toEqual({ namespace: 'ns', labels: { [clusterNameLabel]: 'c1' } });
    expect(scopeOf?.({ apiVersion: core, kind: 'Cluster' })).toEqual({});
  });

  it.each([
    { reason: 'its generation', cluster: aCapiCluster().atGeneration(7), isNew: true },
    {
      reason: 'its control plane',
      cluster: aCapiCluster().withCondition('ControlPlaneInitialized', { status: 'False' }),
      isNew: true,
    },
    {
      reason: 'its connection',
      cluster: aCapiCluster().withCondition('RemoteConnectionProbe', { lastTransitionTime: timestamp(0) }),
      isNew: true,
    },
    { reason: 'another condition', cluster: aCapiCluster().withCondition('Available'), isNew: false },
  ])('is forwarded for $reason: $isNew', ({ cluster, isNew }) => {
    expect(versionOf?.(cluster.build()) !== versionOf?.(aCapiCluster().build())).toBe(isNew);
  });
});

describe('an event of a Machine', () => {
  const { map, versionOf } = watchOf('Machine');

  it('enqueues the pool in its label', () => {
    const event = (object: { build(): ReturnType<typeof aPoolMachine>['build'] extends () => infer T ? T : never }) =>
      map({ type: 'MODIFIED', object: object.build() });
    expect(event(aPoolMachine('x1', 'x1'))).toEqual([{ namespace: 'ns', name: 'mp1' }]);
    expect(event(aPoolMachine('x1', 'x1').unlabelled())).toEqual([]);
    expect(event(aPoolMachine('x1', 'x1').clusterScoped())).toEqual([{ namespace: '', name: 'mp1' }]);
  });

  it('enqueues the owner if the label is a hash', () => {
    const name = 'a'.repeat(70);
    const owner = aPool().named(name);
    const label = 'hash_lNJP8A_z';
    const machine = aPoolMachine('x1', 'x1').ownedBy(owner, { controller: true });
    const labelled = (value: string) =>
      map({ type: 'MODIFIED', object: machine.labelled({ [poolNameLabel]: value }).build() });
    expect(labelled(label)).toEqual([{ namespace: 'ns', name: label }]);
    expect(labelled('other')).toEqual([{ namespace: 'ns', name: 'other' }]);
  });

  it.each([
    { reason: 'Ready', machine: aPoolMachine('x1', 'x1').withCondition('Ready'), isNew: true },
    { reason: 'its deletion', machine: aPoolMachine('x1', 'x1').deleting(), isNew: true },
    {
      reason: 'its kubelet',
      machine: aPoolMachine('x1', 'x1').withStatus({ nodeInfo: { kubeletVersion: 'v1' } }),
      isNew: true,
    },
    { reason: 'another condition', machine: aPoolMachine('x1', 'x1').withCondition('Paused'), isNew: false },
  ])('is forwarded for $reason: $isNew', ({ machine, isNew }) => {
    expect(versionOf?.(machine.build()) !== versionOf?.(aPoolMachine('x1', 'x1').build())).toBe(isNew);
  });
});

describe('an event of a provider', () => {
  const { map } = watchOf('referenced');

  it('enqueues the owner, or the pool in the label', () => {
    expect(map({ type: 'MODIFIED', object: aConfig().ownedBy(aPool()).build() })).toEqual([
      { namespace: 'ns', name: 'mp1' },
    ]);
    expect(map({ type: 'MODIFIED', object: aFooMachine(1).build() })).toEqual([{ namespace: 'ns', name: 'mp1' }]);
    expect(map({ type: 'MODIFIED', object: aConfig().build() })).toEqual([]);
    expect(map({ type: 'MODIFIED', object: aConfig().clusterScoped().ownedBy(aPool()).build() })).toEqual([
      { namespace: '', name: 'mp1' },
    ]);
    const others = [
      { apiVersion: 'other/v1', kind: 'MachinePool', name: 'a', uid: 'a' },
      { apiVersion: core, kind: 'Machine', name: 'b', uid: 'b' },
    ];
    const object = aConfig().build();
    expect(
      map({ type: 'MODIFIED', object: { ...object, metadata: { ...object.metadata, ownerReferences: others } } }),
    ).toEqual([]);
  });

  it('is ignored while its object is paused', () => {
    const object = aConfig()
      .ownedBy(aPool())
      .annotated({ [paused]: '' })
      .build();
    expect(map({ type: 'MODIFIED', object })).toEqual([]);
  });
});
