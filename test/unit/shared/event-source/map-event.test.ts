import { describe, expect, it } from 'vitest';
import type { Unstructured } from '../../../../shared/api/object.ts';
import { mapEvent, type Shown } from '../../../../shared/event-source/map-event.ts';
import type { Route } from '../../../../shared/event-source/watch-set.ts';
import type { SourceEvent } from '../../../../shared/kernel/types.ts';
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

function aRoute(change: Partial<Route>): Route {
  return { reconciler: 'widget', primary: widgetKind, as: 'metadata', map: () => [], ...change };
}

describe('mapping an event', () => {
  it('names a primary once, however many routes of its reconciler name it', () => {
    const map: Route['map'] = () => [
      { namespace: 'default', name: 'w' },
      { namespace: 'default', name: 'w' },
    ];
    const { mapped } = mapEvent([aRoute({ map }), aRoute({ map }), aRoute({ map, reconciler: 'other' })], event);
    expect(mapped.map(({ route }) => route.reconciler)).toEqual(['widget', 'other']);
  });

  it.each([
    { as: 'metadata', shown: undefined, reason: 'what a route did not ask for it does not get' },
    { as: 'object', shown: { paused: true }, reason: 'a route that asked for objects sees their spec' },
  ] as const)('shows a route what it asked for: $reason', ({ as, shown }) => {
    const seen: Unstructured[] = [];
    const map: Route['map'] = ({ object }) => {
      seen.push(object);
      return [];
    };
    mapEvent([aRoute({ as, map })], event);
    expect(seen.map(({ spec }) => spec)).toEqual([shown]);
  });

  it.each([
    { name: '', namespace: 'default', reason: 'a name is never empty' },
    { name: 'a/b', namespace: 'default', reason: 'a key is split at slashes' },
    { name: 'w', namespace: 'a/b', reason: 'a key is split at slashes' },
    { name: 'w'.repeat(254), namespace: 'default', reason: 'no object has so long a name' },
  ])('refuses what no key can hold: $reason', ({ name, namespace }) => {
    const { mapped, broken } = mapEvent([aRoute({ map: () => [{ name, namespace }] })], event);
    expect(mapped).toEqual([]);
    expect(broken).toMatchObject([{ error: { message: expect.stringContaining('not the name of an object') } }]);
  });
});

describe('mapping an event that shows little of its object', () => {
  const name = { namespace: 'default', name: 'w' };
  const nearby = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default' };
  const needsSpec: Route['map'] = ({ object }) => [{ ...name, name: (object.spec as { ref: string }).ref }]; // throws without one

  it.each<{ reason: string; shown: Shown; route: Partial<Route>; target: unknown }>([
    { reason: 'metadata is what it asked for', shown: 'metadata', route: { map: () => [] }, target: undefined },
    {
      reason: 'no label was shown, so none can be missed',
      shown: 'name',
      route: { map: () => [] },
      target: { to: 'expand', source: nearby },
    },
    {
      reason: 'the name alone tells',
      shown: 'name',
      route: { map: () => [name] },
      target: { to: 'work', name },
    },
    {
      reason: 'a look-up by name needs no more',
      shown: 'name',
      route: { map: () => 'expand' },
      target: { to: 'expand', source: { ...nearby, name: 'one' } },
    },
    {
      reason: 'nothing is said of a spec that was not shown',
      shown: 'metadata',
      route: { as: 'object', map: ({ object }) => (object.spec === undefined ? [] : [name]) },
      target: { to: 'expand', source: nearby },
    },
    {
      reason: 'reading what was not shown is no fault',
      shown: 'metadata',
      route: { as: 'object', map: needsSpec },
      target: { to: 'expand', source: nearby },
    },
  ])('loses nothing: $reason', ({ shown, route, target }) => {
    const { mapped, broken } = mapEvent([aRoute(route)], event, shown);
    expect(broken).toEqual([]);
    expect(mapped).toMatchObject(target === undefined ? [] : [target]);
    expect(mapped).toHaveLength(target === undefined ? 0 : 1);
  });

  it('looks up a named and an unnamed source of one reconciler both', () => {
    const routes = [aRoute({ map: () => 'expand' }), aRoute({ as: 'object', map: () => [] })];
    expect(mapEvent(routes, event, 'metadata').mapped).toHaveLength(2);
  });
});
