// The scenarios of deletion: the bindings are cleaned, and objects in workload clusters stay.

import type { OwnerReference } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { aBinding, aSet, bindingRef, matchingCluster, setRef } from './set-objects.ts';
import {
  appliedData,
  aWorld,
  bindingText,
  ownersOf,
  run,
  runAgain,
  usualObjects,
} from './set-with-workload-clusters.ts';

const deleting = () => aSet().deleting();
const boom = { reason: 'InternalError', message: 'boom' } as const;
const ownedBy = (...names: readonly string[]): readonly OwnerReference[] =>
  names.map(name => ({ ...setRef(), name, uid: `uid-of-${name}` })).map(({ namespace: _, ...owner }) => owner);

describe('the deletion of a ClusterResourceSet', () => {
  it('removes its entry and owner reference, and keeps the applied objects', async () => {
    const world = await aWorld(aSet());
    world.api.given(aSet('r2'));
    await run(world);
    await run(world, 'r2');
    await world.api.others.delete(setRef());
    const pass = await run(world);
    expect([pass.result, pass.set]).toEqual(['done', undefined]);
    expect(bindingText(world)).toEqual(['r2: ConfigMap cm1 applied, Secret s1 applied']);
    expect(ownersOf(world, 'ClusterResourceSetBinding', 'c1')).toEqual(['ClusterResourceSet r2']);
    expect(await appliedData(world, 'w1')).toEqual({ k: 'v' });
  });

  it('deletes a binding without other entries', async () => {
    const world = await aWorld(aSet());
    await run(world);
    await world.api.others.delete(setRef());
    const pass = await run(world);
    expect([pass.set, bindingText(world)]).toEqual([undefined, undefined]);
    expect(ownersOf(world, 'ConfigMap', 'cm1')).toEqual(['ClusterResourceSet r1']);
  });

  it('cleans the bindings of all Clusters, also of those that no longer match', async () => {
    const world = await aWorld(deleting(), [
      ...usualObjects(matchingCluster()),
      aBinding('c2', 'r1', 'r2'),
      aBinding('c3', 'r2'),
    ]);
    const pass = await run(world);
    expect([pass.set, bindingText(world, 'c2'), bindingText(world, 'c3')]).toEqual([undefined, ['r2: '], ['r2: ']]);
    expect(pass.written).toEqual(['patch ClusterResourceSetBinding ns/c2', 'patch ClusterResourceSet ns/r1']);
  });

  it('removes an owner reference without entry', async () => {
    const { metadata, ...binding } = aBinding('c2', 'r2').build();
    const ownerReferences = ownedBy('r1', 'r2');
    const world = await aWorld(deleting(), [{ ...binding, metadata: { ...metadata, ownerReferences } }]);
    expect((await run(world)).set).toBeUndefined();
    expect(ownersOf(world, 'ClusterResourceSetBinding', 'c2')).toEqual(['ClusterResourceSet r2']);
  });

  it('waits if the bindings cannot be listed', async () => {
    const world = await aWorld(deleting());
    world.api.calls.fail({ at: ({ verb }) => verb === 'list', failure: boom });
    const pass = await runAgain(world);
    expect(pass.result).toBe('failed to get ClusterResourceSetBinding during ClusterResourceSet deletion: boom');
    expect(pass.set).toBeDefined();
  });

  it.each(['patch', 'delete'])('waits if a binding cannot be cleaned (%s)', async verb => {
    const entries = verb === 'patch' ? ['r1', 'r2'] : ['r1'];
    const world = await aWorld(deleting(), [aBinding('c1', ...entries)]);
    world.api.calls.fail({
      at: call => call.verb === verb && call.kind === 'ClusterResourceSetBinding',
      failure: boom,
    });
    const pass = await runAgain(world);
    expect([pass.result, pass.set === undefined]).toEqual(['boom', false]);
  });

  it('keeps the finalizers of others', async () => {
    const world = await aWorld(deleting().withFinalizers('other/one'));
    await run(world);
    expect(world.api.find(setRef())?.metadata.finalizers).toEqual(['other/one']);
    expect((await run(world)).written).toEqual([]);
  });

  it('does not touch a binding that changes at the same time before it has read it again', async () => {
    const world = await aWorld(deleting(), [aBinding('c1', 'r1')]);
    let isOpen = true;
    world.api.calls.before(
      ({ verb }) => isOpen && verb === 'delete',
      () => {
        isOpen = false;
        const bindings = [{ clusterResourceSetName: 'r1' }, { clusterResourceSetName: 'r2' }];
        return world.api.others.mergePatch(bindingRef(), { spec: { bindings } });
      },
    );
    expect((await runAgain(world)).set).toBeUndefined();
    expect(bindingText(world)).toEqual(['r2: ']);
  });
});
