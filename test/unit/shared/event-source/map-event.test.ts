import { describe, expect, it } from 'vitest';
import type { Unstructured } from '../../../../shared/api/object.ts';
import { mapEvent } from '../../../../shared/event-source/map-event.ts';
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
