// The forwarder with the embedded API server. It supports the lists and watches of this server.
import { describe, expect, it } from 'vitest';
import { clusterKind, clusterWatches } from '../../../../functions/cluster/watches.ts';
import { createForwarder } from '../../../../functions/watch-forwarder/forwarder.ts';
import { kindsOfCluster } from '../../../../shared/api/cluster/reader.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { parseRequest } from '../../../../shared/workqueue/message.ts';
import { aDeclaration, aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';

const infrastructure = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedCluster' };
const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
const one = { namespace: 'default', name: 'one' };

async function startForwarding(
  api: MemoryApi,
): Promise<{ requestTexts: () => readonly string[]; expanded: () => readonly string[] }> {
  const { clock, kubernetes } = api;
  const declaration = aDeclaration({
    name: 'cluster',
    primary: clusterKind,
    watches: clusterWatches,
    references: kindsOfCluster,
    fieldManager: 'us',
    owns: { conditions: ['Available'], v1beta1: [], status: ['phase'] },
    dropsOwnStatus: 'but conditions',
  });
  const queues = new MemoryQueues({
    clock,
    queues: ['work-cluster.fifo', 'expand'].map(name => ({ name, visibilityTimeoutSeconds: 180 })),
  });
  let ids = 0;
  const forwarder = createForwarder({
    declarations: [declaration],
    kubernetes: { reads: kubernetes, watches: kubernetes.watches },
    queues,
    managementCluster: 'mgmt',
    clock,
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
    watchFilter: '',
    log: aRecordingLog(),
    metrics: createMetricsRegistry(),
  });
  void forwarder.run(new AbortController().signal);
  await clock.advance(10);
  return {
    requestTexts: () =>
      queues.messages('work-cluster.fifo').map(({ body }) => {
        const { key, cause } = parseRequest(body);
        return `${cause} ${key.namespace}/${key.name}`;
      }),
    expanded: () => queues.messages('expand').map(({ body }) => parseExpansion(body).source.name ?? ''),
  };
}

describe('with the embedded API server', () => {
  it('enqueues a Cluster, and follows its infrastructure object from creation to deletion', async () => {
    const api = createMemoryApi();
    const { requestTexts, expanded } = await startForwarding(api);
    const created = await api.others.create({
      ...cluster,
      metadata: one,
      spec: {
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name: 'one' },
      },
    });
    await api.clock.advance(2_000);
    expect(requestTexts()).toEqual(['event default/one']);
    // The kind is followed from now on. The list does not contain earlier deletions.
    expect(expanded()).toEqual(['']);

    await api.others.create({ ...infrastructure, metadata: one, spec: {} });
    await api.clock.advance(2_000);
    expect(expanded()).toEqual(['', 'one']);

    const ownerReferences = [{ ...cluster, name: 'one', uid: created.ok ? created.value.metadata.uid : '' }];
    await api.others.mergePatch({ ...infrastructure, ...one }, { metadata: { ownerReferences } });
    await api.clock.advance(2_000);
    expect(requestTexts()).toEqual(['event default/one', 'event default/one']);

    await api.others.delete({ ...infrastructure, ...one });
    await api.clock.advance(2_000);
    expect(requestTexts()).toHaveLength(3);
    expect(expanded()).toHaveLength(2);
  });

  it('does not enqueue a Cluster for the status that its reconciler writes, but for that of others', async () => {
    const api = createMemoryApi();
    const { requestTexts } = await startForwarding(api);
    const ref = { ...cluster, ...one };
    const condition = (type: string) => ({
      conditions: [{ type, status: 'True', reason: 'Any', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    await api.others.create({ ...cluster, metadata: one, spec: { paused: false } });
    const writes = [
      { by: 'us', status: { phase: 'Pending' } },
      { by: 'us', status: { phase: 'Provisioning' } },
      { by: 'us', status: condition('TopologyReconciled') },
      { by: 'us', status: { phase: 'Provisioned' } },
      { by: 'someone', status: { phase: 'Failed' } },
      { by: 'us', status: { phase: 'Provisioned' } },
      { by: 'us', status: { phase: 'Deleting' } },
      { by: 'someone', status: { phase: null } },
    ];
    const enqueued: number[] = [];
    for (const { by, status } of writes) {
      await api.clock.advance(2_000);
      const before = requestTexts().length;
      await api.others.mergePatch(ref, { status }, { subresource: 'status', fieldManager: by });
      await api.clock.advance(2_000);
      enqueued.push(requestTexts().length - before);
    }
    // The first status adds its manager. When the phase of someone else is replaced, they own no field any more.
    expect(enqueued).toEqual([1, 0, 1, 0, 1, 1, 0, 1]);
  });

  it('enqueues each of two hundred Clusters that are created at once, once', async () => {
    const api = createMemoryApi();
    const { requestTexts } = await startForwarding(api);
    for (let index = 0; index < 200; index += 1) {
      await api.others.create({
        ...cluster,
        metadata: { namespace: 'default', name: `c${index}` },
        spec: { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
      });
    }
    await api.clock.advance(5_000);
    expect(requestTexts()).toHaveLength(200);
    expect(new Set(requestTexts()).size).toBe(200);
  });
});
