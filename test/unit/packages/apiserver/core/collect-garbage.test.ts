import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../../../packages/apiserver/core/object.ts';
import {
  type ApiCoreWorld,
  aNamespace,
  at,
  aWidget,
  aWorld,
  endpointOf,
  namespace,
  refusalOf,
} from './core-with-widgets.ts';

function create(world: ApiCoreWorld, name: string, metadata: object = {}): Stored {
  return world.core.create(world.widgets, namespace, aWidget(name, { metadata }));
}

function ownerReference(owner: Stored, flags: object = {}): object {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...flags };
}

function names(world: ApiCoreWorld): readonly string[] {
  return world.core.list(world.widgets, {}).items.map(item => item.metadata.name);
}

function release(world: ApiCoreWorld, name: string): void {
  world.core.patch(at(world.widgets, name), { type: 'merge', body: { metadata: { finalizers: null } } });
}

describe('the garbage collector', () => {
  it('does nothing in the background, and nothing while owners exist', () => {
    const world = aWorld();
    const owner = create(world, 'owner');
    create(world, 'child', { ownerReferences: [ownerReference(owner)] });
    const before = world.core.resourceVersion();
    expect(world.core.collectGarbage()).toBe(0);
    expect(world.core.resourceVersion()).toBe(before);
  });

  it('deletes dependents of absent owners, transitively', () => {
    const world = aWorld();
    const owner = create(world, 'owner');
    const child = create(world, 'child', { ownerReferences: [ownerReference(owner)] });
    create(world, 'grandchild', { ownerReferences: [ownerReference(child)] });
    world.core.delete(at(world.widgets, 'owner'));
    expect(names(world)).toEqual(['child', 'grandchild']);
    world.core.settle();
    expect(names(world)).toEqual([]);
  });

  it('deletes a dependent if its owner was replaced by another object of the same name', () => {
    const world = aWorld();
    const owner = create(world, 'owner');
    create(world, 'child', { ownerReferences: [ownerReference(owner)] });
    world.core.delete(at(world.widgets, 'owner'));
    create(world, 'owner');
    world.core.settle();
    expect(names(world)).toEqual(['owner']);
  });

  it('drops only the reference when another owner exists', () => {
    const world = aWorld();
    const [first, second] = [create(world, 'a'), create(world, 'b')];
    create(world, 'child', { ownerReferences: [ownerReference(first), ownerReference(second)] });
    world.core.delete(at(world.widgets, 'a'));
    world.core.settle();
    expect(world.core.get(at(world.widgets, 'child')).metadata.ownerReferences).toEqual([ownerReference(second)]);
  });

  it('keeps dependents of an owner whose kind is not served', () => {
    const world = aWorld();
    const ghost = { apiVersion: 'ghost.example.com/v1', kind: 'Ghost', name: 'g', uid: 'u' };
    create(world, 'child', { ownerReferences: [ghost] });
    world.core.settle();
    expect(names(world)).toEqual(['child']);
  });

  it('does not search owners in other namespaces, or namespaced owners of cluster-scoped objects', () => {
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

  it('keeps an owner in foreground deletion until its blocking dependents are deleted', () => {
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

  it('removes the reference to an owner in foreground deletion if another owner exists', () => {
    const world = aWorld();
    const [first, second] = [create(world, 'a'), create(world, 'b')];
    const owners = [first, second].map(owner => ownerReference(owner, { blockOwnerDeletion: true }));
    create(world, 'child', { ownerReferences: owners });
    world.core.delete(at(world.widgets, 'a'), { propagationPolicy: 'Foreground' });
    world.core.settle();
    expect(names(world)).toEqual(['b', 'child']);
    expect(world.core.get(at(world.widgets, 'child')).metadata.ownerReferences).toEqual(owners.slice(1));
  });

  it('keeps an owner in foreground deletion only for dependents that block this owner', () => {
    const world = aWorld();
    const [first, second] = [create(world, 'a'), create(world, 'b')];
    const ownerReferences = [ownerReference(first, { blockOwnerDeletion: true }), ownerReference(second)];
    create(world, 'child', { ownerReferences, finalizers: ['a.b/c'] });
    for (const name of ['a', 'b']) {
      world.core.delete(at(world.widgets, name), { propagationPolicy: 'Foreground' });
    }
    world.core.settle();
    expect(names(world)).toEqual(['a', 'child']);
    release(world, 'child');
    world.core.settle();
    expect(names(world)).toEqual([]);
  });

  it('removes the owner references of orphaned dependents', () => {
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

describe('a terminating namespace', () => {
  it('refuses new objects, deletes its content, waits for finalizers and is removed', () => {
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

  it('remains without content while its metadata has a finalizer', () => {
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
