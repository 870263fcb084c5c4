import { expect, test } from 'vitest';
import type { ServerMeasurements } from '../../../../bench/apiserver/measure-server.ts';
import { toRows } from '../../../../bench/apiserver/rows.ts';

const ours: ServerMeasurements = {
  readyMs: [600, 800, 700],
  readyCpuMs: [140, 300, 150],
  emptyMiB: 80,
  fullMiB: 100,
  creates: { perSecond: 1000, perCpuSecond: 1500 },
  patches: { perSecond: 2000, perCpuSecond: 2500 },
  configMaps: { perSecond: 3000, perCpuSecond: 3500 },
  reads: { perSecond: 4000, perCpuSecond: 4500 },
};
const theirs: ServerMeasurements = {
  ...ours,
  readyMs: [4000, 6000],
  readyCpuMs: [],
  fullMiB: null,
  reads: { perSecond: 8000, perCpuSecond: null },
};

test('each figure has one value per server, ours first', () => {
  const rows = toRows([ours, theirs], { starts: 3, clusters: 10, requests: 60 });
  expect(rows.map(({ figure, unit, values }) => [figure, unit, ...values])).toEqual([
    ['start → ready, median of 3', 's', 0.7, 5],
    ['start → ready: processor time', 's', 0.15, null],
    ['memory with the definitions', 'MiB', 80, 80],
    ['memory with 10 Clusters', 'MiB', 100, null],
    ['create Cluster (10): per second', 'count', 1000, 1000],
    ['create Cluster (10): per second of CPU', 'count', 1500, 1500],
    ['label patch of a Cluster (60): per second', 'count', 2000, 2000],
    ['label patch of a Cluster (60): per second of CPU', 'count', 2500, 2500],
    ['create ConfigMap (60): per second', 'count', 3000, 3000],
    ['create ConfigMap (60): per second of CPU', 'count', 3500, 3500],
    ['get Cluster (60): per second', 'count', 4000, 8000],
    ['get Cluster (60): per second of CPU', 'count', 4500, null],
  ]);
});
