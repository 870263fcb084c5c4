import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../../../packages/apiserver/core/object.ts';
import type { Patch } from '../../../../../packages/apiserver/core/update.ts';
import {
  type ApiCoreWorld,
  at,
  aWidget,
  aWorld,
  causesOf,
  drain,
  endpointOf,
  namespace,
  refusalOf,
} from './core-with-widgets.ts';

function merge(body: unknown): Patch {
  return { type: 'merge', body };
}

function aStoredWidget(world: ApiCoreWorld, metadata: object = {}): Stored {
  return world.core.create(world.widgets, namespace, aWidget('w', { metadata }));
}

describe('replacing an object', () => {
  it('removes fields that the body omits', () => {
    const world = aWorld();
    const { resourceVersion } = aStoredWidget(world, { labels: { a: 'b' }, finalizers: ['a.b/c'] }).metadata;
    const updated = world.core.update(at(world.widgets, 'w'), aWidget('w', { metadata: { resourceVersion } }));
    expect(updated.metadata).not.toHaveProperty('labels');
    expect(updated.metadata).not.toHaveProperty('finalizers');
  });

  it('is a no-op, without a new version, when the body equals the stored object', () => {
    const world = aWorld();
    const stored = aStoredWidget(world);
    const before = world.core.resourceVersion();
    expect(world.core.update(at(world.widgets, 'w'), stored)).toBe(stored);
    expect(world.core.resourceVersion()).toBe(before);
  });

  it.each([
    { reason: 'no version', metadata: {}, code: 422 },
    { reason: 'an older version', metadata: { resourceVersion: '1' }, code: 409 },
    { reason: 'another uid', metadata: { uid: 'other' }, code: 409 },
    { reason: 'another name', metadata: { name: 'v' }, code: 400 },
    { reason: 'another namespace', metadata: { namespace: 'other' }, code: 400 },
  ])('refuses a body with $reason', ({ reason, metadata, code }) => {
    const world = aWorld();
    const stored = aStoredWidget(world);
    const lock = reason === 'no version' ? {} : { resourceVersion: stored.metadata.resourceVersion };
    const body = aWidget('w', { metadata: { ...lock, ...metadata } });
    expect(refusalOf(() => world.core.update(at(world.widgets, 'w'), body))).toMatchObject({ code });
    expect(world.core.get(at(world.widgets, 'w'))).toBe(stored);
  });

  it('overwrites the latest state of a Secret when no version is given', () => {
    const { core } = aWorld();
    const secrets = endpointOf(core, 'v1', 'Secret');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace } };
    core.create(secrets, namespace, secret);
    const updated = core.update(at(secrets, 's'), { ...secret, data: { a: 'eA==' } });
    expect(updated['data']).toEqual({ a: 'eA==' });
    expect(updated.metadata.generation).toBeUndefined();
  });

  it('returns NotFound for a missing object', () => {
    const { core, widgets } = aWorld();
    expect(refusalOf(() => core.update(at(widgets, 'w'), aWidget('w')))).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'widgets.unit.example.com "w" not found',
    });
  });
});

describe('generation', () => {
  it.each([
    { reason: 'a label', body: { metadata: { labels: { a: 'b' } } }, generation: 1 },
    { reason: 'a generation of the client', body: { metadata: { generation: 7, labels: { a: 'b' } } }, generation: 1 },
    { reason: 'the spec', body: { spec: { size: 2 } }, generation: 2 },
    { reason: 'another field of the spec', body: { spec: { more: true } }, generation: 2 },
  ])('is $generation after a change of $reason', ({ body, generation }) => {
    const world = aWorld();
    aStoredWidget(world);
    expect(world.core.patch(at(world.widgets, 'w'), merge(body)).metadata.generation).toBe(generation);
  });

  it('rises with the status in a version without a status subresource', () => {
    const world = aWorld();
    aStoredWidget(world);
    const alpha = endpointOf(world.core, 'unit.example.com/v1alpha1', 'Widget');
    const patched = world.core.patch(at(alpha, 'w'), merge({ status: { phase: 'x' } }));
    expect(patched).toMatchObject({ status: { phase: 'x' }, metadata: { generation: 2 } });
    expect(refusalOf(() => world.core.patch(at(alpha, 'w'), merge({ status: {} }), 'status')).code).toBe(404);
  });
});

describe('the status subresource', () => {
  it('accepts only the status, by PUT too', () => {
    const world = aWorld();
    const stored = aStoredWidget(world);
    const body = {
      ...stored,
      metadata: { ...stored.metadata, labels: { a: 'b' } },
      spec: { size: 9 },
      status: { n: 1 },
    };
    const updated = world.core.update(at(world.widgets, 'w'), body, 'status');
    expect(updated).toEqual({
      ...stored,
      metadata: {
        ...stored.metadata,
        resourceVersion: updated.metadata.resourceVersion,
        managedFields: [...(stored.metadata.managedFields ?? []), expect.objectContaining({ subresource: 'status' })],
      },
      status: { n: 1 },
    });
  });

  it('removes a status that is null', () => {
    const world = aWorld();
    aStoredWidget(world);
    world.core.patch(at(world.widgets, 'w'), merge({ status: { n: 1 } }), 'status');
    expect(world.core.patch(at(world.widgets, 'w'), merge({ status: null }), 'status').status).toBeUndefined();
  });

  it('keeps its status through writes of the main resource', () => {
    const world = aWorld();
    aStoredWidget(world);
    world.core.patch(at(world.widgets, 'w'), merge({ status: { n: 1 } }), 'status');
    const patched = world.core.patch(at(world.widgets, 'w'), merge({ spec: { size: 2 }, status: { n: 2 } }));
    expect(patched).toMatchObject({ spec: { size: 2 }, status: { n: 1 } });
  });
});

describe('patching an object', () => {
  it.each([
    { reason: 'another uid', body: { metadata: { uid: 'x' } }, causes: ['FieldValueInvalid metadata.uid'] },
    {
      reason: 'a deletionTimestamp',
      body: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
      causes: ['FieldValueInvalid metadata.deletionTimestamp'],
    },
    { reason: 'another kind', body: { kind: 'Gadget' }, causes: ['FieldValueInvalid kind'] },
    { reason: 'another apiVersion', body: { apiVersion: 'v9' }, causes: ['FieldValueInvalid apiVersion'] },
  ])('refuses $reason', ({ body, causes }) => {
    const world = aWorld();
    const stored = aStoredWidget(world);
    expect(causesOf(() => world.core.patch(at(world.widgets, 'w'), merge(body)))).toEqual(causes);
    expect(world.core.get(at(world.widgets, 'w'))).toBe(stored);
  });

  it.each<{ reason: string; patch: Patch; code: number }>([
    { reason: 'a stale version', patch: merge({ metadata: { resourceVersion: '1' } }), code: 409 },
    { reason: 'a removed version', patch: merge({ metadata: { resourceVersion: null } }), code: 422 },
    { reason: 'another name', patch: merge({ metadata: { name: 'v' } }), code: 400 },
    { reason: 'a merge patch that is not an object', patch: merge(['x']), code: 400 },
    { reason: 'a JSON patch that is not a list', patch: { type: 'json', body: {} }, code: 400 },
    { reason: 'too many operations', patch: { type: 'json', body: Array(10_001).fill({ op: 'test' }) }, code: 400 },
    {
      reason: 'an operation that cannot be done',
      patch: { type: 'json', body: [{ op: 'remove', path: '/spec/x' }] },
      code: 422,
    },
  ])('refuses $reason', ({ patch, code }) => {
    const world = aWorld();
    const stored = aStoredWidget(world);
    expect(refusalOf(() => world.core.patch(at(world.widgets, 'w'), patch)).code).toBe(code);
    expect(world.core.get(at(world.widgets, 'w'))).toBe(stored);
  });

  it('applies to the version that it names', () => {
    const world = aWorld();
    const { resourceVersion } = aStoredWidget(world).metadata;
    const patched = world.core.patch(
      at(world.widgets, 'w'),
      merge({ metadata: { resourceVersion }, spec: { size: 2 } }),
    );
    expect(patched.spec).toEqual({ size: 2 });
  });

  it('is the same in every version that is served', () => {
    const world = aWorld();
    const stored = aStoredWidget(world);
    const alpha = endpointOf(world.core, 'unit.example.com/v1alpha1', 'Widget');
    expect(world.core.get(at(alpha, 'w'))).toEqual({ ...stored, apiVersion: 'unit.example.com/v1alpha1' });
    const patched = world.core.patch(at(alpha, 'w'), merge({ spec: { size: 3 } }));
    expect(patched.apiVersion).toBe('unit.example.com/v1alpha1');
    expect(world.core.get(at(world.widgets, 'w'))).toEqual({ ...patched, apiVersion: 'unit.example.com/v1' });
  });
});

describe('the last finalizer', () => {
  it('removes the object, and is still on the object in the DELETED event', () => {
    const world = aWorld();
    const { core, widgets } = world;
    aStoredWidget(world, { finalizers: ['a.b/c'] });
    const deleting = core.delete(at(widgets, 'w')).object;
    const watch = core.watch(widgets, { resourceVersion: core.resourceVersion() });
    const released = core.patch(at(widgets, 'w'), merge({ metadata: { finalizers: null } }));
    expect(released.metadata).toMatchObject({ resourceVersion: deleting.metadata.resourceVersion });
    expect(released.metadata.finalizers).toBeUndefined();
    const event = watch.next();
    expect(event).toMatchObject({
      type: 'DELETED',
      object: { metadata: { finalizers: ['a.b/c'], resourceVersion: core.resourceVersion() } },
    });
    expect(drain(watch)).toEqual([]);
    expect(refusalOf(() => core.get(at(widgets, 'w'))).code).toBe(404);
  });

  it('cannot be added again, nor can a new one, once deletion has begun', () => {
    const world = aWorld();
    aStoredWidget(world, { finalizers: ['a.b/c'] });
    world.core.delete(at(world.widgets, 'w'));
    const body = { metadata: { finalizers: ['a.b/c', 'a.b/d'] } };
    expect(causesOf(() => world.core.patch(at(world.widgets, 'w'), merge(body)))).toEqual([
      'FieldValueForbidden metadata.finalizers',
    ]);
  });
});
