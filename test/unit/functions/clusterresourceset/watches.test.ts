// The events that enqueue ClusterResourceSets.

import type { ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { resourceSetWatches } from '../../../../functions/clusterresourceset/watches.ts';
import { aSet, configMap, matchingCluster } from './set-objects.ts';

const [clusters, configMaps] = resourceSetWatches as readonly [Watch, Watch]; // true: both are declared

const event = (type: SourceEvent['type'], object: Unstructured): SourceEvent => ({ type, object });
const ref = (namespace: string | undefined, name: string): ObjectRef => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

describe('an event of a Cluster', () => {
  it('enqueues the ClusterResourceSets of its namespace, except those without selector', () => {
    expect(clusters.map(event('MODIFIED', matchingCluster().build()))).toBe('expand');
    expect(clusters.matches?.(aSet().build(), ref('ns', 'c1'))).toBe(true);
    expect(clusters.matches?.(aSet().withSpec({ clusterSelector: {} }).build(), ref('ns', 'c1'))).toBe(false);
    expect(clusters.matches?.(aSet().build(), ref('other', 'c1'))).toBe(false);
    expect(clusters.matches?.(aSet().build(), ref(undefined, 'c1'))).toBe(false);
    expect(clusters.scopeOf?.(ref('ns', 'c1'))).toEqual({ namespace: 'ns' });
    expect(clusters.scopeOf?.({ apiVersion: 'v1', kind: 'Cluster' })).toEqual({});
  });

  it.each([
    { to: matchingCluster().labelled({ more: 'labels' }), isNew: true, reason: 'labels' },
    { to: matchingCluster().withFinalizers('f').deleting(), isNew: true, reason: 'deletion' },
    { to: matchingCluster('c1', { isProbed: false }), isNew: true, reason: 'connection' },
    { to: matchingCluster().withUid('another'), isNew: true, reason: 'another Cluster of this name' },
    { to: matchingCluster().withCondition('Available'), isNew: false, reason: 'another condition' },
    { to: matchingCluster().atGeneration(7), isNew: false, reason: 'spec' },
  ])('says something new after a change of $reason: $isNew', ({ to, isNew }) => {
    const before = clusters.versionOf?.(matchingCluster().build());
    expect(clusters.versionOf?.(to.build()) !== before).toBe(isNew);
  });

  it('says something for a Cluster without labels', () => {
    const { metadata, ...others } = matchingCluster().build();
    const { labels: _, ...unlabelled } = metadata;
    expect(clusters.versionOf?.({ ...others, metadata: unlabelled })).toBe(
      '["uid-of-c1",[],null,"True","2026-01-01T00:00:00Z"]',
    );
  });

  it('enqueues no ClusterResourceSet without namespace', () => {
    const { metadata, ...others } = aSet().build();
    const { namespace: _, ...unplaced } = metadata;
    expect(clusters.matches?.({ ...others, metadata: unplaced }, ref('ns', 'c1'))).toBe(false);
  });

  it('says the same for the same labels in another order', () => {
    const both = (...names: readonly string[]) =>
      matchingCluster().labelled(Object.fromEntries(names.map(name => [name, ''])));
    expect(clusters.versionOf?.(both('a', 'b').build())).toBe(clusters.versionOf?.(both('b', 'a').build()));
  });
});

describe('an event of a ConfigMap', () => {
  const { metadata, ...plain } = configMap({});
  const owner = { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', kind: 'ClusterResourceSet', name: 'r1', uid: 'r' };
  const other = { ...owner, kind: 'Cluster', name: 'c1' };
  const owned = { ...plain, metadata: { ...metadata, ownerReferences: [owner, other] } };

  it.each([
    { type: 'MODIFIED', object: owned, to: [{ namespace: 'ns', name: 'r1' }], reason: 'its owners' },
    { type: 'ADDED', object: configMap({}), to: 'expand', reason: 'those that name it, found by a list' },
    { type: 'MODIFIED', object: configMap({}), to: [], reason: 'nothing without owner' },
    { type: 'DELETED', object: owned, to: [], reason: 'nothing after the deletion' },
  ] as const)('$type enqueues $reason', ({ type, object, to }) => {
    expect(configMaps.map(event(type, object))).toEqual(to);
  });

  it('enqueues the ClusterResourceSets of its namespace that name it', () => {
    expect(configMaps.matches?.(aSet().build(), ref('ns', 'cm1'))).toBe(true);
    expect(configMaps.matches?.(aSet().build(), ref('ns', 's1'))).toBe(false);
    expect(configMaps.matches?.(aSet().build(), ref('other', 'cm1'))).toBe(false);
    expect(configMaps.matches?.(aSet().build(), ref(undefined, 'cm1'))).toBe(false);
  });

  it('without namespace has owners without namespace', () => {
    const { namespace: _, ...unplaced } = owned.metadata;
    expect(configMaps.map(event('MODIFIED', { ...owned, metadata: unplaced }))).toEqual([
      { namespace: '', name: 'r1' },
    ]);
  });
});
