import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { Watch } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { toKindName, toWatchSet, withContentParts } from '../../../../shared/event-source/watch-set.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { clusterKind, machineKind } from '../../functions/watch-forwarder/stepped-forwarder.ts';

const map: Watch['map'] = () => [];

function summary(...declarations: Parameters<typeof toWatchSet>[0]): readonly string[] {
  return toWatchSet(declarations).declared.map(({ kind, as, routes }) =>
    [kind.kind, as, ...routes.map(({ reconciler }) => reconciler)].join(' '),
  );
}

describe('the watch set', () => {
  it('contains each primary, mapped to itself', () => {
    const { declared } = toWatchSet([aDeclaration()]);
    const metadata = { namespace: 'default', name: 'w', uid: 'u', resourceVersion: '1' };
    const object = { apiVersion: 'conformance.example.com/v1', kind: 'Widget', metadata };
    expect(declared.map(({ kind }) => kind)).toEqual([widgetKind]);
    expect(declared[0]?.routes[0]?.map({ type: 'ADDED', object })).toEqual([{ namespace: 'default', name: 'w' }]);
  });

  it('maps a primary as its declaration says', () => {
    const contentOf = () => 'all';
    const primaryWatch = { as: 'object', parts: ['spec.size'], map, contentOf } as const;
    const [target] = toWatchSet([aDeclaration({ primaryWatch })]).declared;
    expect(target).toMatchObject({ as: 'object', parts: ['spec.size'], routes: [{ as: 'object', map, contentOf }] });
  });

  it.each([
    { dropsOwnStatus: undefined, reading: { as: 'metadata' } },
    { dropsOwnStatus: 'all', reading: { as: 'metadata' } },
    {
      dropsOwnStatus: 'but conditions',
      reading: { as: 'object', parts: ['status.conditions', 'status.deprecated.v1beta1.conditions'] },
    },
  ] as const)('compares the events of primaries in order: $dropsOwnStatus', ({ dropsOwnStatus, reading }) => {
    const [target] = toWatchSet([aDeclaration(withoutUndefined({ dropsOwnStatus }))]).declared;
    expect(target?.as).toBe('metadata');
    expect(target?.routes.map(({ contentOf }) => contentOf !== undefined)).toEqual([dropsOwnStatus !== undefined]);
    expect(withContentParts({ as: 'metadata' }, target?.routes ?? [])).toEqual(reading);
  });

  it('reads what only contents contain besides the rest', () => {
    const routes = [{ reconciler: 'a', primary: widgetKind, as: 'object', map, contentParts: ['spec.b'] }] as const;
    expect(withContentParts({ as: 'object', parts: ['spec.a'] }, routes).parts).toEqual(['spec.a', 'spec.b']);
    expect(withContentParts({ as: 'object' }, routes).parts).toBeUndefined();
  });

  it('maps a primary without a namespace to itself', () => {
    const { declared } = toWatchSet([aDeclaration()]);
    const metadata = { name: 'w', uid: 'u', resourceVersion: '1' };
    const object = { apiVersion: 'conformance.example.com/v1', kind: 'Widget', metadata };
    expect(declared[0]?.routes[0]?.map({ type: 'ADDED', object })).toEqual([{ namespace: '', name: 'w' }]);
  });

  it('watches a kind once, as objects if a route needs them', () => {
    const a = aDeclaration({ name: 'a', watches: [{ source: machineKind, as: 'object', map }] });
    const b = aDeclaration({ name: 'b', watches: [{ source: machineKind, as: 'metadata', map }] });
    expect(summary(a, b)).toEqual(['Widget metadata a b', 'Machine object a b']);
    expect(summary(b, a)).toEqual(['Widget metadata b a', 'Machine object b a']);
  });

  it('watches primaries as objects if they reference kinds, even if no route maps them', () => {
    const references = () => [{ group: 'g.example.com', kind: 'Part' }];
    const declaration = aDeclaration({ watches: [{ source: 'referenced', as: 'metadata', map }], references });
    expect(summary(declaration)).toEqual(['Widget object widget']);
    expect(toWatchSet([declaration]).referrers).toMatchObject([
      { name: 'Widget.conformance.example.com', as: 'metadata', routes: [{ reconciler: 'widget' }] },
    ]);
  });

  it('watches the kinds that several reconcilers of one primary reference, with the routes of all', () => {
    const referring = (name: string, as: Watch['as'], ...kinds: readonly string[]) =>
      aDeclaration({
        name,
        watches: [{ source: 'referenced', as, map }],
        references: () => kinds.map(kind => ({ group: 'g.example.com', kind })),
      });
    const [referrer, ...others] = toWatchSet([
      referring('a', 'metadata', 'One'),
      referring('b', 'object', 'Two'),
      referring('c', 'metadata', 'One'),
    ]).referrers;
    expect(others).toEqual([]);
    expect(referrer).toMatchObject({
      as: 'object',
      routes: [{ reconciler: 'a' }, { reconciler: 'b' }, { reconciler: 'c' }],
    });
    const object = { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'w', uid: 'u', resourceVersion: '1' } };
    expect(referrer?.kindsOf(object).map(({ kind }) => kind)).toEqual(['One', 'Two', 'One']);
  });

  it('keeps the referenced kinds of different primaries apart', () => {
    const watches = [{ source: 'referenced', as: 'metadata', map }] as const;
    const { referrers } = toWatchSet([
      aDeclaration({ watches, references: () => [] }),
      aDeclaration({ name: 'machine', primary: machineKind, watches, references: () => [] }),
    ]);
    expect(referrers.map(({ name }) => name)).toEqual(['Widget.conformance.example.com', 'Machine.cluster.x-k8s.io']);
  });

  it('refuses a watch of referenced kinds without the function that returns them', () => {
    const declaration = aDeclaration({ watches: [{ source: 'referenced', as: 'metadata', map }] });
    expect(() => toWatchSet([declaration])).toThrow('The declaration of widget watches referenced kinds');
  });

  it('names a kind by kind and group', () => {
    expect(toKindName(clusterKind)).toBe('Cluster.cluster.x-k8s.io');
    expect(toKindName({ group: '', kind: 'Secret' })).toBe('Secret');
  });
});
