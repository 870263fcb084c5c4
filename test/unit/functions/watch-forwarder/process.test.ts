import { describe, expect, it } from 'vitest';
import { ForwarderProcess, missingQueues } from '../../../../functions/watch-forwarder/process.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';
import { clusterDeclaration, SwitchedQueues } from './stepped-forwarder.ts';

function aProcess(managementCluster: () => Promise<string> = async () => 'mgmt') {
  const api = createMemoryApi();
  const log = aRecordingLog();
  const queues = new MemoryQueues({
    clock: api.clock,
    queues: ['work-cluster.fifo', 'expand'].map(name => ({ name, visibilityTimeoutSeconds: 180 })),
  });
  const send = new SwitchedQueues(queues);
  let ids = 0;
  const work = new ForwarderProcess({
    declarations: [clusterDeclaration],
    kubernetes: api.kubernetes,
    managementCluster,
    queues: send,
    clock: api.clock,
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
    watchFilter: '',
    log,
    metrics: createMetricsRegistry(),
  });
  const stopping = new AbortController();
  const ended = work.run(stopping.signal);
  return { api, log, send, work, ended, stop: () => stopping.abort() };
}

const cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'one', namespace: 'default' },
  spec: { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
};

describe('the forwarder process', () => {
  it('becomes ready, lists its sources, and exits with 0 if everything was sent', async () => {
    const { api, work, ended, stop } = aProcess();
    expect(work.unready(api.clock.now())).toEqual(['The API server has not been reached yet']);
    await api.clock.advance(10);
    expect(work.unready(api.clock.now())).toEqual([]);
    expect(work.gauges(api.clock.now() + 2_000)).toContainEqual({
      name: 'capi_serverless_source_silence_seconds',
      labels: { source: 'Cluster.cluster.x-k8s.io', origin: 'declared', state: 'watching' },
      value: 2.01,
    });
    stop();
    await api.clock.advance(0);
    expect(await ended).toBe(0);
  });

  it('waits for the API server with growing gaps', async () => {
    let tries = 0;
    const { api, work, log } = aProcess(async () => {
      tries += 1;
      if (tries < 4) {
        throw new Error('connect ECONNREFUSED');
      }
      return 'mgmt';
    });
    await api.clock.advance(4_000);
    expect(log.lines.filter(({ level }) => level === 'error').map(line => line['retryAfterMs'])).toEqual([
      500, 1_000, 2_000,
    ]);
    expect(work.unready(api.clock.now())).toEqual([]);
  });

  it('can be stopped while it waits', async () => {
    const { api, ended, stop } = aProcess(() => Promise.reject(new Error('connect ECONNREFUSED')));
    await api.clock.advance(1_000);
    stop();
    await api.clock.advance(0);
    expect(await ended).toBe(0);
  });

  it('exits with 1 if a queue accepts nothing for ten seconds', async () => {
    const { api, send, work, ended, stop } = aProcess();
    await api.clock.advance(10);
    send.outage = new Set(['work-cluster.fifo']);
    await api.others.create(cluster);
    await api.clock.advance(10);
    expect(work.gauges(api.clock.now())[0]).toEqual({ name: 'capi_serverless_pending_messages', value: 1 });
    stop();
    await api.clock.advance(11_000);
    expect(await ended).toBe(1);
  });
});

describe('the queues of the forwarder', () => {
  it('are one per reconciler and the expand queue', () => {
    const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012/x';
    expect(missingQueues([clusterDeclaration], { delay: url })).toEqual(['expand', 'work-cluster.fifo']);
    expect(missingQueues([clusterDeclaration], { expand: url, 'work-cluster.fifo': url })).toEqual([]);
    expect(missingQueues([clusterDeclaration], { expand: url, 'work.fifo': url })).toEqual([]);
  });
});
