import { describe, expect, it } from 'vitest';
import type { GivenObject } from '../../../../cli/plan/files.ts';
import { applyManifest, toSent } from '../../../../cli/plan/kubectl-apply.ts';
import { aCluster } from '../../../support/builders.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const live = aCluster().withUid('u1').atResourceVersion('7').build();

function manifest(spec: unknown, metadata: object = {}): GivenObject {
  return { apiVersion: live.apiVersion, kind: 'Cluster', metadata: { name: 'c1', namespace: 'ns', ...metadata }, spec };
}

function liveWith(spec: unknown, previous?: string) {
  const annotations = previous === undefined ? {} : { [lastApplied]: previous };
  return { ...live, metadata: { ...live.metadata, annotations }, spec };
}

describe('a manifest as an apply sends it', () => {
  it('has neither status nor fields of the server', () => {
    const printed = { ...manifest({}, { uid: 'u', resourceVersion: '1', labels: { a: 'b' } }), status: { phase: 'x' } };
    expect(toSent(printed)).toEqual(manifest({}, { labels: { a: 'b' } }));
  });
});

interface Row {
  readonly reason: string;
  readonly previous?: object | string;
  readonly before: unknown;
  readonly applied: unknown;
  readonly after: unknown;
}

describe('an apply to an object', () => {
  it.each<Row>([
    { reason: 'keeps fields of others', before: { a: 1, b: 2 }, applied: { a: 3 }, after: { a: 3, b: 2 } },
    { reason: 'replaces lists whole', before: { a: [1, 2] }, applied: { a: [3] }, after: { a: [3] } },
    {
      reason: 'removes what only the previous manifest has',
      previous: { spec: { a: 1, deep: { x: 1, y: 1 } } },
      before: { a: 1, b: 2, deep: { x: 1, y: 1, z: 1 } },
      applied: { deep: { x: 1 } },
      after: { b: 2, deep: { x: 1, z: 1 } },
    },
    {
      reason: 'removes nothing that a prototype has by name',
      previous: { spec: { constructor: 1 } },
      before: { constructor: 1, a: 1 },
      applied: {},
      after: { a: 1 },
    },
    { reason: 'removes a null', before: { a: 1, b: 2 }, applied: { a: null }, after: { b: 2 } },
    { reason: 'ignores an annotation that is not JSON', previous: '{', before: { a: 1 }, applied: {}, after: { a: 1 } },
  ])('$reason', ({ previous, before, applied, after }) => {
    const text = typeof previous === 'object' ? JSON.stringify(previous) : previous;
    const { merged } = applyManifest(liveWith(before, text), manifest(applied));
    expect(merged.spec).toEqual(after);
    expect(merged.metadata).toMatchObject({ uid: 'u1', resourceVersion: '7' });
  });

  it('has a patch with the changes only, and none without a change', () => {
    expect(applyManifest(liveWith({ a: 1, b: 2 }), manifest({ a: 3 })).patch).toEqual({ spec: { a: 3 } });
    expect(applyManifest(liveWith({ a: 1, b: 2 }), manifest({ b: 2 })).patch).toBeUndefined();
  });
});
