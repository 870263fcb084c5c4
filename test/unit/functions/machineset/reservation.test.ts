// The reservation of names: which Machines are created under them, and when it is released.
import { describe, expect, it } from 'vitest';
import { afterTimeoutMs, settle, settleAll, watchMost } from './invocations.ts';
import { aMachineOf, aSet, aWorld, refs, reservedAnnotation, setFinalizer } from './set-with-machines.ts';

describe('a reservation', () => {
  it('is completed with exactly its names', async () => {
    const set = aSet().annotated({ [reservedAnnotation]: 'ms1-aaaaa,ms1-bbbbb' });
    const world = await aWorld({ set });
    await settle(world);
    expect(world.all('Machine').map(({ metadata }) => metadata.name)).toEqual(['ms1-aaaaa', 'ms1-bbbbb']);
    expect(world.reserved()).toBeUndefined();
  });

  it('is not completed beyond the replicas', async () => {
    const set = aSet({ replicas: 1 }).annotated({ [reservedAnnotation]: 'ms1-aaaaa,ms1-bbbbb' });
    const world = await aWorld({ set });
    const most = watchMost(world);
    await settle(world);
    expect(world.all('Machine').map(({ metadata }) => metadata.name)).toEqual(['ms1-aaaaa']);
    expect(most()).toBe(1);
  });

  it('is followed by another one if more Machines are missing', async () => {
    const set = aSet({ replicas: 3 }).annotated({ [reservedAnnotation]: 'ms1-aaaaa' });
    const world = await aWorld({ set });
    await settle(world);
    expect(world.names('Machine')).toHaveLength(3);
  });

  it('is released when nothing is missing', async () => {
    const set = aSet({ replicas: 2 }).annotated({ [reservedAnnotation]: 'ms1-aaaaa' });
    const world = await aWorld({ set, machines: ['m1', 'm2'] });
    expect(world.names('Machine')).toEqual(['m1', 'm2']);
    expect(world.reserved()).toBeUndefined();
  });

  it.each([
    { reason: 'another Machine', object: aMachineOf('ms1-aaaaa').onlyLabelled({}).owners() },
    {
      reason: 'a Machine of ours in deletion, which the selector does not match',
      object: aMachineOf('ms1-aaaaa').onlyLabelled({}).deleting(),
    },
  ])('is replaced if $reason has a name of it', async ({ object }) => {
    const set = aSet({ replicas: 1 }).annotated({ [reservedAnnotation]: 'ms1-aaaaa' });
    const world = await aWorld({ set, others: [object] });
    await settle(world);
    expect(world.names('Machine')).toHaveLength(2);
    expect(world.status('replicas')).toBe(1);
    expect(world.reserved()).toBeUndefined();
  });

  it('that cannot be replaced is reported', async () => {
    const set = aSet({ replicas: 1 }).annotated({ [reservedAnnotation]: 'ms1-aaaaa' });
    const world = await aWorld({ set, others: [aMachineOf('ms1-aaaaa').onlyLabelled({}).owners()] });
    world.failing({ verb: 'patch', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe(
      'failed to sync replicas: failed to apply Machine: Machine ns/ms1-aaaaa already exists',
    );
  });

  it('is complete with a Machine of ours that the selector does not match any more', async () => {
    const set = aSet({ replicas: 1 }).annotated({ [reservedAnnotation]: 'ms1-aaaaa' });
    const world = await aWorld({ set, others: [aMachineOf('ms1-aaaaa').onlyLabelled({})] });
    await world.reconcile();
    expect(world.names('Machine')).toEqual(['ms1-aaaaa']);
    expect(world.reserved()).toBeUndefined();
    expect(world.set().metadata.finalizers).toEqual([setFinalizer]);
  });

  it('keeps its objects from being deleted as orphans', async () => {
    const world = await aWorld({ set: aSet({ replicas: 1 }) });
    world.failing({ verb: 'apply', kind: 'Machine' });
    await world.reconcile(5);
    const [before] = world.all('FooMachine');
    await world.api.clock.advance(afterTimeoutMs);
    await world.reconcile(5);
    expect(world.all('FooMachine').map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
    world.api.calls.reset();
    await settle(world);
    expect(world.all('FooMachine').map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
    expect(world.names('Machine')).toHaveLength(1);
  });

  it('whose objects are not needed any more leaves nothing behind', async () => {
    const world = await aWorld({ set: aSet({ replicas: 1 }) });
    world.failing({ verb: 'apply', kind: 'Machine' });
    await world.reconcile(5);
    world.api.calls.reset();
    await world.change(refs.set, { spec: { replicas: 0 } });
    await settleAll(world);
    expect([...world.names('FooMachine'), ...world.names('FooConfig')]).toEqual([]);
    expect(world.reserved()).toBeUndefined();
  });
});

describe('a provider that writes to new objects at once', () => {
  it('keeps no Machine from being created in one pass', async () => {
    const world = await aWorld({ set: aSet({ replicas: 3 }) });
    world.api.calls.before(
      ({ verb, kind }) => verb === 'patch' && (kind === 'FooMachine' || kind === 'FooConfig'),
      async () => {
        for (const { apiVersion, kind, metadata } of [...world.all('FooMachine'), ...world.all('FooConfig')]) {
          const ref = { apiVersion, kind, namespace: 'ns', name: metadata.name };
          await world.change(ref, { metadata: { finalizers: [`provider.io/${world.api.calls.all.length}`] } });
        }
      },
    );
    let conflicts = 0;
    world.api.calls.before(
      ({ verb, kind }) => verb === 'get' && (kind === 'FooMachine' || kind === 'FooConfig'),
      () => {
        conflicts += 1;
        world.api.calls.reset();
      },
    );
    await world.reconcile(1);
    expect(conflicts).toBeGreaterThan(0);
    await world.reconcile(5);
    expect(world.names('Machine')).toHaveLength(3);
  });
});
