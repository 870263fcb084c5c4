import { expect, test } from 'vitest';
import { toRows } from '../../../../bench/clusters/stage-rows.ts';
import type { MeasuredClusters } from '../../../../bench/clusters/topology-workload.ts';

function measuredClusters(objects: number, slowness: number): MeasuredClusters {
  const after = (seconds: number) => seconds * 1_000 * slowness;
  const spans = Array.from({ length: objects }, (_, index) => ({
    InfrastructureReady: after(index + 1),
    ControlPlaneInitialized: after(index + 3),
    Available: after(index + 5),
  }));
  return {
    objects,
    spans,
    requests: new Map([
      ['get clusters', 10 * objects],
      ['patch clusters', 2 * objects],
    ]),
    cpu: { apiserver: null, etcd: null, subject: 30 * objects },
  };
}

test('each stage has its times, and each number of Clusters its own rows', () => {
  const rows = toRows([
    [measuredClusters(2, 1), measuredClusters(4, 1)],
    [measuredClusters(2, 2), measuredClusters(4, 2)],
  ]);
  const values = new Map(rows.map(row => [row.figure, row.values]));
  expect(rows).toHaveLength(2 * 16);
  expect(values.get('2 at once: create → InfrastructureReady, p50')).toEqual([1.5, 3]);
  expect(values.get('2 at once: create → ControlPlaneInitialized, p99')).toEqual([4, 8]);
  expect(values.get('4 at once: create → Available, max')).toEqual([8, 16]);
  expect(values.get('4 at once: API requests per Cluster')).toEqual([12, 12]);
  expect(values.get('4 at once: writes per Cluster')).toEqual([2, 2]);
  expect(values.get('2 at once: CPU of etcd per Cluster')).toEqual([null, null]);
});
