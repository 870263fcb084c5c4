import { expect, test } from 'vitest';
import type { Rollout } from '../../../../bench/rollout/rollout-workload.ts';
import { toRows } from '../../../../bench/rollout/rows.ts';

function aRollout(ms: number, requests: Readonly<Record<string, number>>): Rollout {
  const cpu = { apiserver: ms / 10, etcd: null, subject: 40 };
  return { objects: 1, ms, requests: new Map(Object.entries(requests)), cpu };
}

test('each figure is that of one rollout', () => {
  const ours = [aRollout(1_000, { 'get machines': 3, 'patch machines': 5 }), aRollout(3_000, { 'delete machines': 2 })];
  const rows = toRows([ours, [aRollout(4_000, { 'update machines': 1, 'deletecollection machines': 1 })]]);
  expect(rows.map(({ figure, unit, values }) => [figure, unit, ...values])).toEqual([
    ['rollout (2): change → all replaced, p50', 's', 2, 4],
    ['rollout (2): change → all replaced, max', 's', 3, 4],
    ['rollout (2): API requests per rollout', 'count', 5, 2],
    ['rollout (2): writes per rollout', 'count', 3.5, 2],
    ['rollout (2):   of them delete machines', 'count', 1, 0],
    ['rollout (2):   of them deletecollection machines', 'count', 0, 1],
    ['rollout (2):   of them get machines', 'count', 1.5, 0],
    ['rollout (2):   of them patch machines', 'count', 2.5, 0],
    ['rollout (2):   of them update machines', 'count', 0, 1],
    ['rollout (2): CPU of kube-apiserver per rollout', 'ms', 200, 400],
    ['rollout (2): CPU of etcd per rollout', 'ms', null, null],
    ['rollout (2): CPU of the process per rollout', 'ms', 40, 40],
  ]);
});
