// Options of writes: dry runs, unknown fields, warnings; and the resulting work of controllers.
import { describe, expect, it } from 'vitest';
import {
  aNamespace,
  at,
  aWidget,
  aWorld,
  causesOf,
  drain,
  endpointOf,
  namespace,
  refusalOf,
} from './core-with-widgets.ts';

describe('a dry run', () => {
  it('of a create returns an object without version and stores nothing', () => {
    const { core, widgets } = aWorld();
    const before = core.resourceVersion();
    const made = core.writing({ dryRun: true }).create(widgets, namespace, aWidget('w'));
    expect(made.metadata.uid).toBeDefined();
    expect(made.metadata.resourceVersion).toBeUndefined();
    expect(core.resourceVersion()).toBe(before);
    expect(refusalOf(() => core.get(at(widgets, 'w'))).code).toBe(404);
  });

  it('of a patch or a delete returns the result and sends no watch event', () => {
    const { core, widgets } = aWorld();
    const live = core.create(widgets, namespace, aWidget('w'));
    const watch = core.watch(widgets, { resourceVersion: live.metadata.resourceVersion });
    const dry = core.writing({ dryRun: true });
    const patched = dry.patch(at(widgets, 'w'), { type: 'merge', body: { spec: { size: 9 } } });
    expect(patched.metadata).toMatchObject({ generation: 2, resourceVersion: live.metadata.resourceVersion });
    expect(dry.delete(at(widgets, 'w')).gone).toBe(true);
    expect(core.get(at(widgets, 'w'))).toEqual(live);
    expect(drain(watch)).toEqual([]);
  });
});

describe('unknown members', () => {
  it('are reported before the write is stored, in metadata too', () => {
    const { core } = aWorld();
    const secrets = endpointOf(core, 'v1', 'Secret');
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', odd: 1, selfLink: '' }, strange: 2 };
    const reported: string[] = [];
    const refuse = (paths: readonly string[]): void => {
      reported.push(...paths);
      throw new Error('refused');
    };
    expect(() => core.writing({ onUnknown: refuse }).create(secrets, namespace, body)).toThrow('refused');
    expect(reported).toEqual(['metadata.odd', 'strange']);
    expect(refusalOf(() => core.get(at(secrets, 's'))).code).toBe(404);
  });
});

describe('a warning', () => {
  const warningsOf = (metadata: object): readonly string[] => {
    const { core, widgets } = aWorld();
    const reported: string[] = [];
    core.writing({ onWarning: text => reported.push(text) }).create(widgets, namespace, aWidget('w', { metadata }));
    return reported;
  };

  it('is returned for a finalizer without a domain', () => {
    expect(warningsOf({ finalizers: ['bare', 'a.b/c', 'orphan'] })).toEqual([expect.stringContaining('"bare"')]);
  });
});

describe('metadata', () => {
  const owner = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u' };

  it('keeps one of several equal owner references', () => {
    const { core, widgets } = aWorld();
    const made = core.create(widgets, namespace, aWidget('w', { metadata: { ownerReferences: [owner, owner] } }));
    expect(made.metadata.ownerReferences).toEqual([owner]);
  });

  it.each([
    [{ ownerReferences: [{ ...owner, kind: 'Event' }] }, 'FieldValueInvalid metadata.ownerReferences'],
    [{ finalizers: ['orphan', 'foregroundDeletion'] }, 'FieldValueInvalid metadata.finalizers'],
  ])('%j is refused', (metadata, cause) => {
    const { core, widgets } = aWorld();
    expect(causesOf(() => core.create(widgets, namespace, aWidget('w', { metadata })))).toEqual([cause]);
  });
});

describe('limits', () => {
  it('refuse a JSON patch that nests too deeply', () => {
    const { core, widgets } = aWorld();
    core.create(widgets, namespace, aWidget('w', { spec: {} }));
    const body = Array.from({ length: 600 }, (_, depth) => ({
      op: 'add',
      path: `/spec${'/a'.repeat(depth + 1)}`,
      value: {},
    }));
    expect(refusalOf(() => core.patch(at(widgets, 'w'), { type: 'json', body })).code).toBe(400);
  });

  it('refuse a JSON patch whose copies grow without end', () => {
    const { core, widgets } = aWorld();
    core.create(widgets, namespace, aWidget('w', { spec: {} }));
    const body = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/spec/c${index}` }));
    expect(refusalOf(() => core.patch(at(widgets, 'w'), { type: 'json', body })).code).toBe(422);
  });

  it.each([
    ['Secret', { stringData: { a: 'x'.repeat(1024 * 1024 + 9) } }],
    ['ConfigMap', { data: { a: 'x'.repeat(1024 * 1024), b: 'x' } }],
  ])('refuse a %s of more than a mebibyte', (kind, members) => {
    const { core } = aWorld();
    const body = { apiVersion: 'v1', kind, metadata: { name: 'x' }, ...members };
    expect(causesOf(() => core.create(endpointOf(core, 'v1', kind), namespace, body))).toEqual([
      'FieldValueTooLong data',
    ]);
  });
});

describe('an Event with an eventTime', () => {
  const create = (members: object) => {
    const { core } = aWorld();
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { namespace },
      ...members,
    };
    return core.create(endpointOf(core, 'v1', 'Event'), namespace, body);
  };
  const whole = { reportingComponent: 'c', reportingInstance: 'i', action: 'a', reason: 'r' };

  it('requires the reporter and the action', () => {
    const eventTime = '2026-01-01T00:00:00.000000Z';
    expect(create({ ...whole, eventTime })['eventTime']).toBe(eventTime);
    expect(causesOf(() => create({ ...whole, action: '', eventTime }))).toEqual(['FieldValueRequired action']);
  });

  it.each([['2026-01-01T00:00:00Z'], ['2026-01-01T00:00:00.123Z']])('has six fraction digits, unlike %s', eventTime => {
    expect(refusalOf(() => create({ ...whole, eventTime })).code).toBe(400);
  });
});

describe('finalizing a namespace', () => {
  it('removes a deleted one immediately, regardless of its content', () => {
    const { core, widgets } = aWorld();
    const namespaces = endpointOf(core, 'v1', 'Namespace');
    core.create(widgets, namespace, aWidget('w'));
    core.delete(at(namespaces, namespace, ''));
    const left = core.finalizeNamespace(namespace, { ...aNamespace(namespace), spec: { finalizers: [] } });
    expect(left.spec).toEqual({});
    expect(refusalOf(() => core.get(at(namespaces, namespace, ''))).code).toBe(404);
  });

  it('only stores the finalizers of one that is not deleted', () => {
    const { core } = aWorld();
    core.finalizeNamespace(namespace, { ...aNamespace(namespace), spec: { finalizers: ['a.b/c'] } });
    expect(core.get(at(endpointOf(core, 'v1', 'Namespace'), namespace, '')).spec).toEqual({ finalizers: ['a.b/c'] });
  });

  it.each([
    [{ metadata: { name: 'other' } }, 400],
    [{ metadata: { name: namespace, resourceVersion: '1' } }, 409],
    [{ spec: { finalizers: 'none' } }, 400],
  ])('by %j is refused with %d', (parts, code) => {
    const { core } = aWorld();
    expect(refusalOf(() => core.finalizeNamespace(namespace, { ...aNamespace(namespace), ...parts })).code).toBe(code);
  });
});

describe('work for the controllers', () => {
  it('is created by deletions and dependents, not by other writes', () => {
    const { core, widgets } = aWorld();
    core.settle();
    const { uid } = core.create(widgets, namespace, aWidget('owner')).metadata;
    expect(core.hasWork()).toBe(false);
    const owner = { apiVersion: 'unit.example.com/v1', kind: 'Widget', name: 'owner', uid };
    core.create(widgets, namespace, aWidget('child', { metadata: { ownerReferences: [owner] } }));
    expect(core.hasWork()).toBe(true);
    core.settle();
    core.delete(at(widgets, 'owner'));
    expect(core.hasWork()).toBe(true);
    core.settle();
    expect(core.list(widgets, {}).items).toEqual([]);
  });
});
