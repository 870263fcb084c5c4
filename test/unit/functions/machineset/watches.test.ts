import { describe, expect, it } from 'vitest';
import { machineSetDeclaration } from '../../../../functions/machineset/declaration.ts';
import { machineSetKind, machineSetWatches } from '../../../../functions/machineset/watches.ts';
import {
  aCluster,
  aDeployment,
  aMachineOf,
  aSet,
  clusterNameLabel,
  core,
  deploymentNameLabel,
  setOwner,
} from './set-with-machines.ts';

function watchOf(kind: string) {
  const found = machineSetWatches.find(({ source }) => source !== 'referenced' && source.kind === kind);
  if (found === undefined) {
    throw new Error(`${kind} is not watched`);
  }
  return found;
}

it('belongs to MachineSets', () => {
  expect(machineSetDeclaration).toMatchObject({ primary: machineSetKind, watches: machineSetWatches });
});

describe('an event of a Machine', () => {
  const { map, matches, scopeOf } = watchOf('Machine');

  it.each([
    { reason: 'its controller', machine: aMachineOf('m1'), expected: [{ namespace: 'ns', name: 'ms1' }] },
    {
      reason: 'its new controller',
      machine: aMachineOf('m1').owners({ ...setOwner, name: 'ms2' }),
      expected: [{ namespace: 'ns', name: 'ms2' }],
    },
    { reason: 'all that may adopt it', machine: aMachineOf('m1').owners(), expected: 'expand' },
    {
      reason: 'no MachineSet for a control plane',
      machine: aMachineOf('m1').owners({ ...setOwner, apiVersion: 'c.io/v1', kind: 'FooControlPlane' }),
      expected: [],
    },
    {
      reason: 'no MachineSet of another group',
      machine: aMachineOf('m1').owners({ ...setOwner, apiVersion: 'c.io/v1' }),
      expected: [],
    },
  ])('enqueues $reason', ({ machine, expected }) => {
    expect(map({ type: 'MODIFIED', object: machine.build() })).toEqual(expected);
  });

  it('without controller may belong to any MachineSet of its namespace', () => {
    const source = { apiVersion: core, kind: 'Machine', namespace: 'ns', name: 'm1' };
    expect(matches?.(aSet().build(), source)).toBe(true);
    expect(matches?.(aSet().build(), { ...source, namespace: 'other' })).toBe(false);
    expect(scopeOf?.(source)).toEqual({ namespace: 'ns' });
    expect(scopeOf?.({ apiVersion: core, kind: 'Machine' })).toEqual({});
  });
});

it.each([
  { kind: 'MachineDeployment', name: 'md1', label: deploymentNameLabel },
  { kind: 'Cluster', name: 'c1', label: clusterNameLabel },
])('an event of a $kind enqueues the MachineSets with its label', ({ kind, name, label }) => {
  const { map, matches, scopeOf } = watchOf(kind);
  const source = { apiVersion: core, kind, namespace: 'ns', name };
  const set = aSet().onlyLabelled({ [label]: name });
  expect(map({ type: 'MODIFIED', object: aCluster.build() })).toBe('expand');
  expect(matches?.(set.build(), source)).toBe(true);
  expect(matches?.(set.build(), { ...source, namespace: 'other' })).toBe(false);
  expect(matches?.(set.onlyLabelled({ [label]: 'other' }).build(), source)).toBe(false);
  expect(matches?.(set.clusterScoped().build(), source)).toBe(false);
  expect(scopeOf?.(source)).toEqual({ namespace: 'ns', labels: { [label]: name } });
  expect(scopeOf?.({ apiVersion: core, kind })).toEqual({});
});

it.each([
  { reason: 'its generation', deployment: aDeployment().atGeneration(9), isNew: true },
  { reason: 'its revision', deployment: aDeployment({}, '9'), isNew: true },
  { reason: 'its status', deployment: aDeployment().withStatus({ replicas: 9 }), isNew: false },
  { reason: 'another annotation', deployment: aDeployment().annotated({ a: 'b' }), isNew: false },
])('an event of a MachineDeployment is forwarded for $reason: $isNew', ({ deployment, isNew }) => {
  const { versionOf } = watchOf('MachineDeployment');
  expect(versionOf?.(deployment.build()) !== versionOf?.(aDeployment().build())).toBe(isNew);
});

describe('an event of a Cluster', () => {
  const { map, versionOf } = watchOf('Cluster');

  it('enqueues nothing when the Cluster is created or deleted', () => {
    expect(map({ type: 'ADDED', object: aCluster.build() })).toEqual([]);
    expect(map({ type: 'DELETED', object: aCluster.build() })).toEqual([]);
  });

  it.each([
    { reason: 'its pause', cluster: aCluster.withSpec({ paused: true }), isNew: true },
    { reason: 'a label', cluster: aCluster.labelled({ a: 'b' }), isNew: false },
    { reason: 'a condition', cluster: aCluster.withCondition('Available'), isNew: false },
  ])('is forwarded for $reason: $isNew', ({ cluster, isNew }) => {
    expect(versionOf?.(cluster.build()) !== versionOf?.(aCluster.build())).toBe(isNew);
  });
});
