// What a pass concludes about the connection to the workload cluster.
import { expect, it } from 'vitest';
import { connectionState } from '../../../../../functions/machine/phases/node/connection.ts';
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
