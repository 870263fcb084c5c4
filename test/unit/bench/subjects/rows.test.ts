import { expect, test } from 'vitest';
import type { ObjectMeasurements } from '../../../../bench/subjects/measure-objects.ts';
import { toRows } from '../../../../bench/subjects/rows.ts';
import type { Measurement } from '../../../../bench/subjects/workload.ts';

function aMeasurement(arrivedMs: readonly number[], requests: Readonly<Record<string, number>>): Measurement {
  return {
    objects: arrivedMs.length,
    arrivedMs,
    allMs: 4_000,
    requests: new Map(Object.entries(requests)),
    cpu: { apiserver: 300, etcd: 30, subject: null },
  };
}

const ours: ObjectMeasurements = {
  oneByOne: [aMeasurement([100], { 'get clusters': 3 }), aMeasurement([300], { 'get clusters': 1 })],
  atOnce: [aMeasurement([1_000, 2_000, 3_000], { 'get clusters': 9 })],
  memory: { residentMiB: 100, peakMiB: 120 },
};
const theirs: ObjectMeasurements = {
  oneByOne: [aMeasurement([1_000], { 'patch clusters': 2 }), aMeasurement([3_000], { 'patch clusters': 4 })],
  atOnce: [aMeasurement([4_000, 4_000, 4_000], { 'patch clusters': 6 })],
  memory: null,
};

test('each figure has one value per subject, ours first', () => {
  const rows = toRows({ kind: { apiVersion: 'v1', kind: 'Cluster' }, phase: 'Provisioned' }, [ours, theirs]);
  expect(rows.map(({ figure, unit, values }) => [figure, unit, ...values])).toEqual([
    ['one at a time (2): create → Provisioned, p50', 's', 0.2, 2],
    ['one at a time (2): create → Provisioned, max', 's', 0.3, 3],
    ['one at a time (2): API requests per Cluster', 'count', 2, 3],
    ['one at a time (2): writes per Cluster', 'count', 0, 3],
    ['one at a time (2):   of them get clusters', 'count', 2, 0],
    ['one at a time (2):   of them patch clusters', 'count', 0, 3],
    ['3 at once: create → Provisioned, p50', 's', 2, 4],
    ['3 at once: create → Provisioned, p99', 's', 3, 4],
    ['3 at once: create → Provisioned, max', 's', 3, 4],
    ['3 at once: all Provisioned', 's', 4, 4],
    ['3 at once: API requests per Cluster', 'count', 3, 2],
    ['3 at once: writes per Cluster', 'count', 0, 2],
    ['3 at once: CPU of kube-apiserver per Cluster', 'ms', 100, 100],
    ['3 at once: CPU of etcd per Cluster', 'ms', 10, 10],
    ['3 at once: CPU of the process per Cluster', 'ms', null, null],
    ['memory of the process, at the end', 'MiB', 100, null],
    ['memory of the process, peak', 'MiB', 120, null],
  ]);
});
