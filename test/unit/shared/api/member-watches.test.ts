import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { clusterPauses, clusterWatch } from '../../../../shared/api/member-watches.ts';
import { SeenVersions } from '../../../../shared/event-source/seen-versions.ts';
import { aCluster } from '../../../support/builders.ts';

const watch = { reconciler: 'machine', ...clusterWatch({ conditions: ['InfrastructureReady'] }) };

const toCluster = (generation: number, spec: JsonObject = {}): Unstructured => {
  const object = aCluster().withSpec(spec).build();
  return { ...object, metadata: { ...object.metadata, uid: 'uid-1', generation } };
};

/** Returns whether each event may concern the members. */
function forwarded(objects: readonly Unstructured[]): readonly boolean[] {
  const seen = new SeenVersions();
  return objects.map(object => seen.isNews(watch, { type: 'MODIFIED', object }, false));
}

describe('the members of a Cluster', () => {
  it('are not enqueued when another part of its spec changes', () => {
    const version = (text: string): JsonObject => ({ topology: { version: text } });
    const objects = [toCluster(1, version('v1.35.0')), toCluster(2, version('v1.36.0')), toCluster(3)];
    expect(forwarded(objects)).toEqual([true, false, false]);
  });

  it('are enqueued when it is paused and resumed', () => {
    expect(forwarded([toCluster(1), toCluster(2, { paused: true }), toCluster(3)])).toEqual([true, true, true]);
  });

  it('are enqueued when a pause may have passed between two events', () => {
    expect(forwarded([toCluster(1), toCluster(3)])).toEqual([true, true]);
  });

  it('are enqueued when a condition that they read changes', () => {
    const changed = aCluster().withCondition('InfrastructureReady', { status: 'False' }).build();
    const metadata = toCluster(1).metadata;
    expect(forwarded([toCluster(1), { ...changed, metadata }])).toEqual([true, true]);
  });
});

it('event sources read only what is compared', () => {
  expect(watch.parts).toEqual(['spec.paused', 'status.conditions']);
  expect(clusterPauses().parts).toEqual(['spec.paused']);
});
