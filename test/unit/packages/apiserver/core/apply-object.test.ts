import { describe, expect, it } from 'vitest';
import type { WriteOptions } from '../../../../../packages/apiserver/core/context.ts';
import { owners } from '../../../../ports/apiserver/applied.ts';
import {
  type ApiCoreWorld,
  at,
  aWidget,
  aWorld,
  drain,
  endpointOf,
  namespace,
  refusalOf,
} from './core-with-widgets.ts';

type As = WriteOptions & { readonly force?: boolean; readonly subresource?: 'status' };

function apply(world: ApiCoreWorld, body: unknown, { force = false, subresource, ...write }: As = { manager: 'm1' }) {
  return world.core.writing(write).apply(at(world.widgets, 'w'), { body, force }, subresource);
}

const withSpec = (spec: object) => aWidget('w', { spec });

describe('applying an object', () => {
  it('creates it once, and a repeated apply is a no-op', () => {
    const world = aWorld();
    const { object, created } = apply(world, withSpec({ a: 1 }));
    expect(created).toBe(true);
    expect(owners(object)).toEqual({ 'm1/Apply': { 'f:spec': { 'f:a': {} } } });
    const watch = world.core.watch(world.widgets, { resourceVersion: world.core.resourceVersion() });
    expect(apply(world, withSpec({ a: 1 }))).toEqual({ object, created: false });
    expect(drain(watch)).toEqual([]);
  });

  it('removes fields that their only owner omits, and increases the generation', () => {
    const world = aWorld();
    apply(world, withSpec({ a: 1, b: 2 }));
    const { object } = apply(world, withSpec({ a: 1 }));
    expect(object).toMatchObject({ spec: { a: 1 }, metadata: { generation: 2 } });
    expect(object.spec).not.toHaveProperty('b');
  });

  it('keeps the time of an entry whose write changes nothing', async () => {
    const world = aWorld();
    const { object } = apply(world, withSpec({ a: 1 }));
    await world.clock.advance(60_000);
    expect(apply(world, withSpec({ a: 1 })).object).toEqual(object);
    const same = world.core.writing({ manager: 'u1' }).update(at(world.widgets, 'w'), object);
    expect(same).toEqual(object);
  });

  it('refuses fields of another manager, and takes them over with force', () => {
    const world = aWorld();
    apply(world, withSpec({ a: 1, b: 1 }));
    const refusal = refusalOf(() => apply(world, withSpec({ a: 2, b: 2 }), { manager: 'm2' }));
    expect(refusal).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(refusal.message).toBe('Apply failed with 2 conflicts: conflicts with "m1"\n- .spec.a\n- .spec.b');
    expect(apply(world, withSpec({ a: 2 }), { manager: 'm2', force: true }).object.spec).toEqual({ a: 2, b: 1 });
  });

  it('returns the result of a dry run, and stores nothing', () => {
    const world = aWorld();
    expect(apply(world, withSpec({ a: 1 }), { manager: 'm1', dryRun: true }).created).toBe(true);
    expect(refusalOf(() => world.core.get(at(world.widgets, 'w'))).code).toBe(404);
  });

  it('writes only the status through /status', () => {
    const world = aWorld();
    apply(world, withSpec({ a: 1 }));
    const body = aWidget('w', { spec: { a: 2 }, status: { ready: true } });
    const { object } = apply(world, body, { manager: 'm2', subresource: 'status' });
    expect(object).toMatchObject({ spec: { a: 1 }, status: { ready: true } });
    expect(owners(object)['m2/Apply/status']).toEqual({ 'f:status': { 'f:ready': {} } });
  });

  it.each([
    ['no object', [], 400],
    ['no kind', { apiVersion: 'unit.example.com/v1', metadata: { name: 'w' } }, 400],
    ['another version', { ...aWidget('w'), apiVersion: 'unit.example.com/v1alpha1' }, 400],
    ['managed fields', aWidget('w', { metadata: { managedFields: [] } }), 400],
    ['another name', aWidget('v'), 400],
    ['no name', aWidget('w', { metadata: { name: undefined } }), 400],
    ['a uid', aWidget('w', { metadata: { uid: 'u' } }), 409],
    ['a member that no metadata has', aWidget('w', { metadata: { odd: 1 } }), 500],
  ])('creates nothing from %s', (_reason, body, code) => {
    const world = aWorld();
    expect(refusalOf(() => apply(world, body)).code).toBe(code);
    expect(world.core.list(world.widgets, { namespace }).items).toEqual([]);
  });

  it('of /status needs an object, a namespaced kind its namespace', () => {
    const world = aWorld();
    expect(refusalOf(() => apply(world, aWidget('w'), { manager: 'm1', subresource: 'status' })).code).toBe(404);
    const address = { endpoint: world.widgets, namespace: '', name: 'w' };
    expect(() => world.core.apply(address, { body: aWidget('w'), force: false })).toThrow('404');
  });

  it('records no owner for values that the server fills into a built-in object', () => {
    const world = aWorld();
    const maps = endpointOf(world.core, 'v1', 'ConfigMap');
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w', namespace }, data: { a: 'b' } };
    const { object } = world.core.writing({ manager: 'm1' }).apply(at(maps, 'w'), { body, force: false });
    expect(owners(object)).toEqual({ 'm1/Apply': { 'f:data': { 'f:a': {} } } });
    const patched = world.core.patch(at(maps, 'w'), { type: 'merge', body: { metadata: { managedFields: [] } } });
    expect(patched.metadata).not.toHaveProperty('managedFields');
  });
});

describe('kubectl after a client-side apply', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const reported = (spec: object, applied: unknown = withSpec(spec)) =>
    aWidget('w', { spec, metadata: { annotations: { [annotation]: JSON.stringify(applied) } } });

  it('takes over unchanged fields and updates the annotation', () => {
    const world = aWorld();
    world.core
      .writing({ manager: 'kubectl-client-side-apply' })
      .create(world.widgets, namespace, reported({ a: 1, b: 1 }));
    const { object } = apply(world, withSpec({ a: 2, b: 1 }), { manager: 'kubectl' });
    expect(object.spec).toEqual({ a: 2, b: 1 });
    expect(JSON.parse(object.metadata.annotations?.[annotation] ?? '')).toMatchObject({ spec: { a: 2, b: 1 } });
  });

  it.each([
    ['another writer changed it since', reported({ a: 1 }), { a: 3 }],
    ['it did not apply', reported({ a: 1 }, withSpec({})), {}],
    ['nothing can be read of', reported({ a: 1 }, 'text'), {}],
  ])('meets a conflict where %s', (_reason, before, change) => {
    const world = aWorld();
    world.core.writing({ manager: 'kubectl-client-side-apply' }).create(world.widgets, namespace, before);
    world.core.writing({ manager: 'u1' }).patch(at(world.widgets, 'w'), { type: 'merge', body: { spec: change } });
    expect(refusalOf(() => apply(world, withSpec({ a: 2 }), { manager: 'kubectl' })).code).toBe(409);
  });
});
