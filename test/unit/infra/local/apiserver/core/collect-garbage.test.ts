import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../../../../infra/local/apiserver/core/object.ts';
import { aNamespace, at, aWidget, aWorld, endpointOf, namespace, refusalOf, type World } from './world.ts';

function create(world: World, name: string, metadata: object = {}): Stored {
  return world.core.create(world.widgets, namespace, aWidget(name, { metadata }));
}

function ownerReference(owner: Stored, flags: object = {}): object {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...flags };
}

function names(world: World): readonly string[] {
  return world.core.list(world.widgets, {}).items.map(item => item.metadata.name);
}

function release(world: World, name: string): void {
  world.core.patch(at(world.widgets, name), { type: 'merge', body: { metadata: { finalizers: null } } });
}

describe('the garbage collector', () => {
  it('does nothing by itself, and nothing where owners live', () => {
    const world = aWorld();
    const owner = create(world, 'owner');
    create(world, 'child', { ownerReferences: [ownerReference(owner)] });
    const before = world.core.resourceVersion();
    expect(world.core.collectGarbage()).toBe(0);
    expect(world.core.resourceVersion()).toBe(before);
  });

  it('deletes what lost its owners, through generations', () => {
    const world = aWorld();
    const owner = create(world, 'owner');
    const child = create(world, 'child', { ownerReferences: [ownerReference(owner)] });
    create(world, 'grandchild', { ownerReferences: [ownerReference(child)] });
    world.core.delete(at(world.widgets, 'owner'));
    expect(names(world)).toEqual(['child', 'grandchild']);
    world.core.settle();
    expect(names(world)).toEqual([]);
  });

  it('deletes what is owned by a namesake of its owner', () => {
    const world = aWorld();
    const owner = create(world, 'owner');
    create(world, 'child', { ownerReferences: [ownerReference(owner)] });
    world.core.delete(at(world.widgets, 'owner'));
    create(world, 'owner');
    world.core.settle();
    expect(names(world)).toEqual(['owner']);
  });

  it('drops only the reference when another owner lives', () => {
    const world = aWorld();
    const [first, second] = [create(world, 'a'), create(world, 'b')];
    create(world, 'child', { ownerReferences: [ownerReference(first), ownerReference(second)] });
    world.core.delete(at(world.widgets, 'a'));
    world.core.settle();
    expect(world.core.get(at(world.widgets, 'child')).metadata.ownerReferences).toEqual([ownerReference(second)]);
  });

  it('leaves alone what is owned by a kind that nobody serves', () => {
    const world = aWorld();
    const ghost = { apiVersion: 'ghost.example.com/v1', kind: 'Ghost', name: 'g', uid: 'u' };
    create(world, 'child', { ownerReferences: [ghost] });
    world.core.settle();
    expect(names(world)).toEqual(['child']);
  });

  it('does not look for owners in other namespaces, nor for namespaced owners of cluster-scoped objects', () => {
    const world = aWorld();
    const { core, widgets } = world;
    const owner = create(world, 'owner');
    const namespaces = endpointOf(core, 'v1', 'Namespace');
    core.create(namespaces, '', {
      ...aNamespace('other'),
      metadata: { name: 'other', ownerReferences: [ownerReference(owner)] },
    });
    core.create(
      widgets,
      'other',
      aWidget('child', { metadata: { namespace: 'other', ownerReferences: [ownerReference(owner)] } }),
    );
    core.delete(at(widgets, 'owner'));
    create(world, 'owner');
    core.settle();
    expect(names(world)).toEqual(['owner']);
    expect(core.get(at(namespaces, 'other')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('keeps a foreground owner until the dependents that block it are gone', () => {
    const world = aWorld();
    const owner = create(world, 'owner');
    const blocks = ownerReference(owner, { blockOwnerDeletion: true });
    create(world, 'blocking', { ownerReferences: [blocks], finalizers: ['a.b/c'] });
    create(world, 'other', { ownerReferences: [ownerReference(owner)], finalizers: ['a.b/c'] });
    create(world, 'light', { ownerReferences: [blocks] });
    expect(world.core.delete(at(world.widgets, 'owner'), { propagationPolicy: 'Foreground' }).gone).toBe(false);
    world.core.settle();
    expect(names(world)).toEqual(['blocking', 'other', 'owner']);
    release(world, 'blocking');
    world.core.settle();
    expect(names(world)).toEqual(['other']);
  });

  it('lets go of the dependents of an orphaning owner', () => {
    const world = aWorld();
    const owner = create(world, 'owner', { finalizers: ['a.b/c'] });
    create(world, 'child', { ownerReferences: [ownerReference(owner)] });
    world.core.delete(at(world.widgets, 'owner'), { propagationPolicy: 'Orphan' });
    world.core.settle();
    expect(world.core.get(at(world.widgets, 'child')).metadata.ownerReferences).toBeUndefined();
    expect(world.core.get(at(world.widgets, 'owner')).metadata.finalizers).toEqual(['a.b/c']);
    release(world, 'owner');
    expect(names(world)).toEqual(['child']);
  });
});

describe('a namespace that is deleted', () => {
  it('accepts nothing new, empties itself, waits for finalizers and goes', () => {
    const world = aWorld();
    const { core, widgets } = world;
    const namespaces = endpointOf(core, 'v1', 'Namespace');
    create(world, 'held', { finalizers: ['a.b/c'] });
    const secrets = endpointOf(core, 'v1', 'Secret');
    core.create(secrets, namespace, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    const { object } = core.delete(at(namespaces, namespace));
    expect(object).toMatchObject({ status: { phase: 'Terminating' } });
    expect(refusalOf(() => create(world, 'late'))).toMatchObject({
      code: 403,
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    core.settle();
    expect(core.list(secrets, { namespace }).items).toEqual([]);
    expect(core.get(at(widgets, 'held')).metadata.deletionTimestamp).toBeDefined();
    release(world, 'held');
    core.settle();
    expect(refusalOf(() => core.get(at(namespaces, namespace))).code).toBe(404);
  });

  it('stays without content while it has a finalizer of its own', () => {
    const { core } = aWorld();
    const namespaces = endpointOf(core, 'v1', 'Namespace');
    core.create(namespaces, '', { ...aNamespace('other'), metadata: { name: 'other', finalizers: ['a.b/c'] } });
    core.delete(at(namespaces, 'other'));
    core.settle();
    expect(core.get(at(namespaces, 'other')).metadata.finalizers).toEqual(['a.b/c']);
    core.patch(at(namespaces, 'other'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(refusalOf(() => core.get(at(namespaces, 'other'))).code).toBe(404);
  });
});
