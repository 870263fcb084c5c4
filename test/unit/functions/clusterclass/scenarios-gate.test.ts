// Scenarios of the ClusterClass's behaviour: pause, deletion, and how it settles.
import { describe, expect, it } from 'vitest';
import { aClusterClass, aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { aWorld, classRef, ownerOf } from './world.ts';

const marks = [
  'patch SimulatedClusterTemplate ns/infra',
  'patch SimulatedControlPlaneTemplate ns/cp',
  'patch SimulatedMachineTemplate ns/cp-machine',
  'patch SimulatedBootstrapConfigTemplate ns/worker-boot',
  'patch SimulatedMachineTemplate ns/worker-machine',
  'patch SimulatedBootstrapConfigTemplate ns/pool-boot',
  'patch SimulatedMachinePoolTemplate ns/pool-machine',
];
const status = 'patch ClusterClass ns/cc status';

describe('a new class', () => {
  it('scenario 1: gets nothing but its Paused condition in the first pass', async () => {
    const told = await aWorld(aClusterClass()).pass();
    expect(told.writes).toEqual([status]);
    expect(told.object?.status).toEqual({
      conditions: [
        {
          type: 'Paused',
          status: 'False',
          reason: 'NotPaused',
          message: '',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    expect(told.result).toBe('again');
  });

  it('scenario 2: marks every kind of template in the second pass, and is up to date', async () => {
    const world = aWorld(aClusterClass());
    await world.pass();
    const told = await world.pass();
    expect(told.writes).toEqual([...marks, status]);
    for (const template of Object.values(templates)) {
      expect(world.ownersOf(template)).toEqual([ownerOf(told.object)]);
    }
    expect(told.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
    expect(told.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(told.condition('Paused')).toBe('False/NotPaused');
    expect([told.v1beta1('RefVersionsUpToDate'), told.v1beta1('VariablesReconciled')]).toEqual(['True', 'True']);
    expect(told.observedGeneration).toBe(1);
    expect(told.result).toBe('done');
  });

  it('settles in one invocation', async () => {
    const told = await aWorld(aClusterClass()).settle();
    expect(told.passes).toBe(2);
    expect(told.writes).toEqual([status, ...marks, status]);
    expect(told.result).toBe('done');
  });

  it('lists its conditions by name, Paused last, and no further status', async () => {
    const { object } = await aWorld(aPlainClusterClass()).settle();
    const stored = object?.status as { readonly conditions: readonly { readonly type: string }[] }; // of our definition
    expect(stored.conditions.map(({ type }) => type)).toEqual(['RefVersionsUpToDate', 'VariablesReady', 'Paused']);
    expect(Object.keys(stored).sort()).toEqual(['conditions', 'deprecated', 'observedGeneration']);
  });
});

describe('a settled class', () => {
  it('scenario 51: is not written again', async () => {
    const world = aWorld(aClusterClass());
    const first = await world.settle();
    const told = await world.settle();
    expect(told.writes).toEqual([]);
    expect(told.passes).toBe(1);
    expect(told.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(told.object).toEqual(first.object);
    expect(told.result).toBe('done');
  });

  it('moves all generations on together when its spec changes', async () => {
    const world = aWorld(aClusterClass());
    await world.settle();
    await world.api.clock.advance(60_000);
    await world.change({ spec: { workers: { machinePools: null } } });
    const told = await world.settle();
    expect(told.writes).toEqual([status]);
    expect(['RefVersionsUpToDate', 'VariablesReady', 'Paused'].map(told.generationOf)).toEqual([2, 2, 2]);
    expect(told.observedGeneration).toBe(2);
    expect(JSON.stringify(told.object?.status)).not.toContain('00:01:00');
    expect(world.ownersOf(templates.poolBootstrap)).toEqual([ownerOf(told.object)]);
  });
});

describe('pause', () => {
  it('scenario 3: is told and nothing else happens', async () => {
    const world = aWorld(aClusterClass());
    await world.pass();
    await world.change({ metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    const told = await world.settle();
    expect(told.writes).toEqual([status]);
    expect(told.condition('Paused')).toBe('True/Paused ClusterClass has the cluster.x-k8s.io/paused annotation');
    expect(told.condition('VariablesReady')).toBeUndefined();
    expect(world.ownersOf(templates.infrastructure)).toEqual([]);
    expect([told.result, told.passes]).toEqual(['done', 1]);
  });

  it('scenario 4: a change of the spec moves the generation of Paused alone', async () => {
    const world = aWorld(aClusterClass());
    await world.settle();
    await world.change({ metadata: { annotations: { 'cluster.x-k8s.io/paused': 'whatever' } } });
    await world.settle();
    await world.change({ spec: { workers: null } });
    const told = await world.settle();
    expect(told.writes).toEqual([status]);
    expect([told.generationOf('Paused'), told.generationOf('VariablesReady')]).toEqual([2, 1]);
    expect(told.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(told.observedGeneration).toBe(1);
    expect(told.result).toBe('done');
    expect((await world.settle()).writes).toEqual([]);
  });

  it('ends when the annotation goes, and the same invocation goes on', async () => {
    const world = aWorld(aClusterClass().paused());
    expect((await world.settle()).writes).toEqual([status]);
    await world.change({ metadata: { annotations: null } });
    const told = await world.settle();
    expect(told.writes).toEqual([status, ...marks, status]);
    expect(told.condition('Paused')).toBe('False/NotPaused');
    expect(told.observedGeneration).toBe(1);
  });
});

describe('deletion', () => {
  const held = aClusterClass().withFinalizers('example.com/held');

  it('scenario 5: nothing is written but the Paused condition', async () => {
    const told = await aWorld(held.deleting()).settle();
    expect(told.writes).toEqual([status]);
    expect(told.condition('Paused')).toBe('False/NotPaused');
    expect(told.condition('RefVersionsUpToDate')).toBeUndefined();
    expect(told.result).toBe('done');
  });

  it('leaves a settled class as it is', async () => {
    const world = aWorld(held);
    await world.settle();
    await world.api.others.delete(classRef);
    const told = await world.settle();
    expect(told.object?.metadata.deletionTimestamp).toBeDefined();
    expect(told.writes).toEqual([]);
    expect(told.generationOf('Paused')).toBe(1);
  });

  it('scenario 6: a class that is gone is no error', async () => {
    const told = await aWorld(undefined).settle();
    expect([told.result, told.writes]).toEqual(['done', []]);
    expect(told.condition('Paused')).toBeUndefined();
  });
});
