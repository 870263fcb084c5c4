import type { Unstructured } from '@capi-serverless/apimachinery';
import type { SourceEvent } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { type EventDetail, mapEvent } from '../../../../shared/event-source/map-event.ts';
import type { WatchRoute } from '../../../../shared/event-source/watch-set.ts';
import { widgetKind } from '../../../support/kernel.ts';

const event: SourceEvent = {
  type: 'MODIFIED',
  object: {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { namespace: 'default', name: 'one', uid: 'uid-one', resourceVersion: '5' },
    spec: { paused: true },
  },
};

function aRoute(change: Partial<WatchRoute>): WatchRoute {
  return { reconciler: 'widget', primary: widgetKind, as: 'metadata', map: () => [], ...change };
}

describe('mapping an event', () => {
  it('returns a primary once, even if several routes of its reconciler return it', () => {
    const map: WatchRoute['map'] = () => [
      { namespace: 'default', name: 'w' },
      { namespace: 'default', name: 'w' },
    ];
    const { mapped } = mapEvent([aRoute({ map }), aRoute({ map }), aRoute({ map, reconciler: 'other' })], event);
    expect(mapped.map(({ route }) => route.reconciler)).toEqual(['widget', 'other']);
  });

  it.each([
    { as: 'metadata', detail: undefined, reason: 'a metadata route gets no spec' },
    { as: 'object', detail: { paused: true }, reason: 'an object route gets the spec' },
  ] as const)('passes a route the declared form of the object: $reason', ({ as, detail }) => {
    const seen: Unstructured[] = [];
    const map: WatchRoute['map'] = ({ object }) => {
      seen.push(object);
      return [];
    };
    mapEvent([aRoute({ as, map })], event);
    expect(seen.map(({ spec }) => spec)).toEqual([detail]);
  });

  it('expands the namespace of the source, if its name does not matter', () => {
    const routes = [aRoute({ map: () => 'expand', expandsTo: 'namespace' }), aRoute({ map: () => 'expand' })];
    const source = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default' };
    const { mapped } = mapEvent(routes, event);
    expect(mapped).toMatchObject([
      { to: 'expand', source },
      { to: 'expand', source: { ...source, name: 'one' } },
    ]);
    expect(mapped[0]).not.toHaveProperty('source.name');
  });

  it('expands another object, or the namespace if there is none', () => {
    const other = { apiVersion: 'example.com/v1', kind: 'Other', namespace: 'default', name: 'two' };
    const seen: unknown[] = [];
    const expandsTo = (object: Unstructured) => {
      seen.push(object.spec);
      return other;
    };
    const routes = [
      aRoute({ as: 'object', map: () => 'expand', expandsTo }),
      aRoute({ map: () => 'expand', expandsTo: () => undefined }),
    ];
    expect(mapEvent(routes, event).mapped.map(each => each.to === 'expand' && each.source)).toEqual([
      other,
      { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default' },
    ]);
    expect(seen).toEqual([undefined]);
  });

  it.each([
    { name: '', namespace: 'default', reason: 'a name is never empty' },
    { name: 'a/b', namespace: 'default', reason: 'a key is split at slashes' },
    { name: 'w', namespace: 'a/b', reason: 'a key is split at slashes' },
    { name: 'w'.repeat(254), namespace: 'default', reason: 'a name has at most 253 characters' },
    { name: 'w%30', namespace: 'default', reason: 'a URL would decode it' },
    { name: 'a..b', namespace: 'default', reason: 'each part has a character' },
    { name: 'W', namespace: 'default', reason: 'a name is lower case' },
    { name: 'w', namespace: 'a.b', reason: 'a namespace has one part' },
  ])('refuses names that a key cannot contain: $reason', ({ name, namespace }) => {
    const { mapped, broken } = mapEvent([aRoute({ map: () => [{ name, namespace }] })], event);
    expect(mapped).toEqual([]);
    expect(broken).toMatchObject([{ error: { message: expect.stringContaining('not the name of an object') } }]);
  });
});

describe('an object that names many primaries', () => {
  const namesOf = (count: number, suffix = ''): WatchRoute['map'] => {
    return () => Array.from({ length: count }, (_, at) => ({ namespace: 'default', name: `w${at}${suffix}` }));
  };

  it('enqueues a hundred of them one by one', () => {
    const { mapped, broken } = mapEvent([aRoute({ map: namesOf(100) })], event);
    expect(mapped.map(({ to }) => to)).toEqual(Array.from({ length: 100 }, () => 'work'));
    expect(broken).toEqual([]);
  });

  it.each(['object', 'metadata', 'name'] as const)('expands its namespace beyond that, from its %s', detail => {
    const route = aRoute({ map: namesOf(101) });
    const source = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default' };
    expect(mapEvent([route], event, detail)).toEqual({ mapped: [{ to: 'expand', route, source }], broken: [] });
  });

  it('enqueues the names that exist, and reports the others once', () => {
    const map: WatchRoute['map'] = arg => [
      ...(namesOf(10_000, '%0')(arg) as never[]),
      { namespace: 'default', name: 'w' },
    ]; // true: the result is names, not 'expand'
    const { mapped, broken } = mapEvent([aRoute({ map })], event);
    expect(mapped).toMatchObject([{ to: 'work', name: { name: 'w' } }]);
    expect(broken).toMatchObject([
      { error: { message: 'Mapping to "default/w0%0" failed: not the name of an object, like 9999 more' } },
    ]);
  });
});

describe('mapping an event with only a part of its object', () => {
  const name = { namespace: 'default', name: 'w' };
  const nearby = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default' };
  const needsSpec: WatchRoute['map'] = ({ object }) => [{ ...name, name: (object.spec as { ref: string }).ref }]; // the mapping throws without a spec

  it.each<{ reason: string; detail: EventDetail; route: Partial<WatchRoute>; target: unknown }>([
    { reason: 'the route needs only metadata', detail: 'metadata', route: { map: () => [] }, target: undefined },
    {
      reason: 'a name has no labels, so all primaries nearby are enqueued',
      detail: 'name',
      route: { map: () => [] },
      target: { to: 'expand', source: nearby },
    },
    {
      reason: 'the route maps the name alone',
      detail: 'name',
      route: { map: () => [name] },
      target: { to: 'work', name },
    },
    {
      reason: 'an expansion needs only the name',
      detail: 'name',
      route: { map: () => 'expand' },
      target: { to: 'expand', source: { ...nearby, name: 'one' } },
    },
    {
      reason: 'a route that needs the spec maps to nothing',
      detail: 'metadata',
      route: { as: 'object', map: ({ object }) => (object.spec === undefined ? [] : [name]) },
      target: { to: 'expand', source: nearby },
    },
    {
      reason: 'a route that reads an absent spec is not broken',
      detail: 'metadata',
      route: { as: 'object', map: needsSpec },
      target: { to: 'expand', source: nearby },
    },
  ])('enqueues every affected primary: $reason', ({ detail, route, target }) => {
    const { mapped, broken } = mapEvent([aRoute(route)], event, detail);
    expect(broken).toEqual([]);
    expect(mapped).toMatchObject(target === undefined ? [] : [target]);
    expect(mapped).toHaveLength(target === undefined ? 0 : 1);
  });

  it('expands both a named and an unnamed source of one reconciler', () => {
    const routes = [aRoute({ map: () => 'expand' }), aRoute({ as: 'object', map: () => [] })];
    expect(mapEvent(routes, event, 'metadata').mapped).toHaveLength(2);
  });
});
