// What a pass concludes about the connection to the workload cluster.
import { describe, expect, it } from 'vitest';
import { connectionState, isDead } from '../../../../../functions/machine/phases/node/connection.ts';
import { readCluster } from '../../../../../shared/api/cluster/reader.ts';
import { now } from './node-fixtures.ts';

const hour = 3_600_000;
const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');

function aProbedCluster({
  annotations = {},
  conditions = [],
}: {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conditions?: readonly object[];
}) {
  return readCluster({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c1', namespace: 'ns', uid: 'c', resourceVersion: '1', annotations },
    status: { initialization: { infrastructureProvisioned: true }, conditions },
  });
}

const probe = (status: string, message = '', lastTransitionTime = at(now)) => ({
  type: 'RemoteConnectionProbe',
  status,
  reason: 'r',
  message,
  lastTransitionTime,
});
const since = 'capi-serverless.dev/probe-failing-since';

it.each([
  {
    reason: 'connected',
    isConnected: true,
    cluster: aProbedCluster({ annotations: { [since]: at(now - hour) } }),
    lastSuccessAt: now,
    failures: 0,
  },
  {
    reason: 'failing since a time',
    isConnected: false,
    cluster: aProbedCluster({ annotations: { [since]: at(now - hour) } }),
    lastSuccessAt: now - hour,
    failures: 5,
  },
  {
    reason: 'an unreadable time',
    isConnected: false,
    cluster: aProbedCluster({ annotations: { [since]: 'x' } }),
    lastSuccessAt: undefined,
    failures: 0,
  },
  {
    reason: 'the Cluster is connected',
    isConnected: false,
    cluster: aProbedCluster({ conditions: [probe('True')] }),
    lastSuccessAt: now,
    failures: 1,
  },
  {
    reason: 'the Cluster was never probed',
    isConnected: false,
    cluster: aProbedCluster({ conditions: [] }),
    lastSuccessAt: undefined,
    failures: 0,
  },
  {
    reason: 'the Cluster was never connected',
    isConnected: false,
    cluster: aProbedCluster({ conditions: [probe('False', 'Remote connection not established yet')] }),
    lastSuccessAt: undefined,
    failures: 0,
  },
  {
    reason: 'the Cluster was never connected, and the first probe has failed',
    isConnected: false,
    cluster: aProbedCluster({
      annotations: { [since]: at(now - hour) },
      conditions: [probe('False', 'Remote connection not established yet')],
    }),
    lastSuccessAt: undefined,
    failures: 0,
  },
  {
    reason: 'all probes of the Cluster have failed',
    isConnected: false,
    cluster: aProbedCluster({
      annotations: { [since]: at(now - hour) },
      conditions: [probe('False', 'Remote connection probe failed', at(now - hour))],
    }),
    lastSuccessAt: undefined,
    failures: 5,
  },
  {
    reason: 'the condition has become False after the first failure',
    isConnected: false,
    cluster: aProbedCluster({
      annotations: { [since]: at(now - hour) },
      conditions: [probe('False', 'Remote connection probe failed', at(now - hour + 1000))],
    }),
    lastSuccessAt: now - hour,
    failures: 5,
  },
  {
    reason: 'a condition without transition time',
    isConnected: false,
    cluster: aProbedCluster({
      annotations: { [since]: at(now - hour) },
      conditions: [{ type: 'RemoteConnectionProbe', status: 'False', reason: 'r', message: '' }],
    }),
    lastSuccessAt: undefined,
    failures: 5,
  },
  {
    reason: 'the condition is still True',
    isConnected: false,
    cluster: aProbedCluster({ annotations: { [since]: at(now - 20_000) }, conditions: [probe('True')] }),
    lastSuccessAt: now - 20_000,
    failures: 5,
  },
  {
    reason: 'the condition contains the time of the last success',
    isConnected: false,
    cluster: aProbedCluster({
      annotations: { [since]: at(now - hour) },
      conditions: [probe('False', `Remote connection probe failed, probe last succeeded at ${at(now - hour - 5000)}`)],
    }),
    lastSuccessAt: now - hour - 5000,
    failures: 5,
  },
  {
    reason: 'the probe of the Cluster failed',
    isConnected: false,
    cluster: aProbedCluster({ conditions: [probe('False', 'Remote connection probe failed')] }),
    lastSuccessAt: undefined,
    failures: 5,
  },
])('$reason', ({ isConnected, cluster, lastSuccessAt, failures }) => {
  expect(connectionState(cluster, { isConnected, now })).toEqual({
    isConnected,
    lastSuccessAt,
    consecutiveFailures: failures,
  });
});

describe('without probes of Clusters', () => {
  const cluster = aProbedCluster({
    annotations: { [since]: at(now - hour) },
    conditions: [probe('False', 'Remote connection probe failed')],
  });

  it.each([
    { own: { failingSince: now - 60_000, wasConnected: true }, lastSuccessAt: now - 60_000, failures: 5 },
    { own: { failingSince: undefined, wasConnected: true }, lastSuccessAt: now, failures: 1 },
    { own: { failingSince: now - 60_000, wasConnected: false }, lastSuccessAt: undefined, failures: 0 },
  ])('the Machine remembers by itself: $own', ({ own, lastSuccessAt, failures }) => {
    expect(connectionState(cluster, { isConnected: false, now, own })).toEqual({
      isConnected: false,
      lastSuccessAt,
      consecutiveFailures: failures,
    });
  });

  it('a success needs no memory', () => {
    const own = { failingSince: now - 60_000, wasConnected: true };
    expect(connectionState(cluster, { isConnected: true, now, own }).lastSuccessAt).toBe(now);
  });
});

describe('a dead connection', () => {
  it.each([
    { reason: 'connected', isConnected: true, lastSuccessAt: now - hour, dead: false },
    { reason: 'lost for less than five probes', isConnected: false, lastSuccessAt: now - 49_999, dead: false },
    { reason: 'lost for five probes', isConnected: false, lastSuccessAt: now - 50_000, dead: true },
    { reason: 'never connected', isConnected: false, lastSuccessAt: undefined, dead: true },
  ])('$reason: $dead', ({ isConnected, lastSuccessAt, dead }) => {
    expect(isDead({ isConnected, lastSuccessAt, consecutiveFailures: 5 }, now)).toBe(dead);
  });
});
