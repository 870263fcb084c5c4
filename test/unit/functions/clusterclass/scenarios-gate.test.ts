// Scenarios of the ClusterClass's behaviour: pause, deletion, and the settled state.
import { describe, expect, it } from 'vitest';
import { aClusterClass, aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { aWorld, classRef, ownerOf } from './reconciled-class.ts';

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
  it('gets only its Paused condition in the first pass', async () => {
    const reconciled = await aWorld(aClusterClass()).pass();
    expect(reconciled.writes).toEqual([status]);
    expect(reconciled.object?.status).toEqual({
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
    expect(reconciled.result).toBe('again');
  });

  it('marks every kind of template in the second pass, and is up to date', async () => {
    const world = aWorld(aClusterClass());
    await world.pass();
    const reconciled = await world.pass();
    expect(reconciled.writes).toEqual([...marks, status]);
    for (const template of Object.values(templates)) {
      expect(world.ownersOf(template)).toEqual([ownerOf(reconciled.object)]);
    }
    expect(reconciled.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
    expect(reconciled.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(reconciled.condition('Paused')).toBe('False/NotPaused');
    expect([reconciled.v1beta1('RefVersionsUpToDate'), reconciled.v1beta1('VariablesReconciled')]).toEqual([
      'True',
      'True',
    ]);
    expect(reconciled.observedGeneration).toBe(1);
    expect(reconciled.result).toBe('done');
  });

  it('settles in one invocation', async () => {
    const reconciled = await aWorld(aClusterClass()).settle();
    expect(reconciled.passes).toBe(2);
    expect(reconciled.writes).toEqual([status, ...marks, status]);
    expect(reconciled.result).toBe('done');
  });

  it('lists its conditions by name, Paused last, and no further status', async () => {
    const { object } = await aWorld(aPlainClusterClass()).settle();
    const stored = object?.status as { readonly conditions: readonly { readonly type: string }[] }; // true: by the definition of this project
    expect(stored.conditions.map(({ type }) => type)).toEqual(['RefVersionsUpToDate', 'VariablesReady', 'Paused']);
    expect(Object.keys(stored).sort()).toEqual(['conditions', 'deprecated', 'observedGeneration']);
  });
});

describe('a settled class', () => {
  it('is not written again', async () => {
    const world = aWorld(aClusterClass());
    const first = await world.settle();
    const reconciled = await world.settle();
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.passes).toBe(1);
    expect(reconciled.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(reconciled.object).toEqual(first.object);
    expect(reconciled.result).toBe('done');
  });

  it('updates all generations together when its spec changes', async () => {
    const world = aWorld(aClusterClass());
    await world.settle();
    await world.api.clock.advance(60_000);
    await world.change({ spec: { workers: { machinePools: null } } });
    const reconciled = await world.settle();
    expect(reconciled.writes).toEqual([status]);
    expect(['RefVersionsUpToDate', 'VariablesReady', 'Paused'].map(reconciled.generationOf)).toEqual([2, 2, 2]);
    expect(reconciled.observedGeneration).toBe(2);
    expect(JSON.stringify(reconciled.object?.status)).not.toContain('00:01:00');
    expect(world.ownersOf(templates.poolBootstrap)).toEqual([ownerOf(reconciled.object)]);
  });
});

describe('pause', () => {
  it('is shown in the condition, and nothing else is written', async () => {
    const world = aWorld(aClusterClass());
    await world.pass();
    await world.change({ metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    const reconciled = await world.settle();
    expect(reconciled.writes).toEqual([status]);
    expect(reconciled.condition('Paused')).toBe('True/Paused ClusterClass has the cluster.x-k8s.io/paused annotation');
    expect(reconciled.condition('VariablesReady')).toBeUndefined();
    expect(world.ownersOf(templates.infrastructure)).toEqual([]);
    expect([reconciled.result, reconciled.passes]).toEqual(['done', 1]);
  });

  it('a change of the spec changes only the generation of Paused', async () => {
    const world = aWorld(aClusterClass());
    await world.settle();
    await world.change({ metadata: { annotations: { 'cluster.x-k8s.io/paused': 'whatever' } } });
    await world.settle();
    await world.change({ spec: { workers: null } });
    const reconciled = await world.settle();
    expect(reconciled.writes).toEqual([status]);
    expect([reconciled.generationOf('Paused'), reconciled.generationOf('VariablesReady')]).toEqual([2, 1]);
    expect(reconciled.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(reconciled.observedGeneration).toBe(1);
    expect(reconciled.result).toBe('done');
    expect((await world.settle()).writes).toEqual([]);
  });

  it('ends when the annotation is removed, and the same invocation reconciles the class', async () => {
    const world = aWorld(aClusterClass().paused());
    expect((await world.settle()).writes).toEqual([status]);
    await world.change({ metadata: { annotations: null } });
    const reconciled = await world.settle();
    expect(reconciled.writes).toEqual([status, ...marks, status]);
    expect(reconciled.condition('Paused')).toBe('False/NotPaused');
    expect(reconciled.observedGeneration).toBe(1);
  });
});

describe('deletion', () => {
  const held = aClusterClass().withFinalizers('example.com/held');

  it('writes only the Paused condition', async () => {
    const reconciled = await aWorld(held.deleting()).settle();
    expect(reconciled.writes).toEqual([status]);
    expect(reconciled.condition('Paused')).toBe('False/NotPaused');
    expect(reconciled.condition('RefVersionsUpToDate')).toBeUndefined();
    expect(reconciled.result).toBe('done');
  });

  it('does not write a settled class', async () => {
    const world = aWorld(held);
    await world.settle();
    await world.api.others.delete(classRef);
    const reconciled = await world.settle();
    expect(reconciled.object?.metadata.deletionTimestamp).toBeDefined();
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.generationOf('Paused')).toBe(1);
  });

  it('of a class that does not exist is not an error', async () => {
    const reconciled = await aWorld(undefined).settle();
    expect([reconciled.result, reconciled.writes]).toEqual(['done', []]);
    expect(reconciled.condition('Paused')).toBeUndefined();
  });
});
