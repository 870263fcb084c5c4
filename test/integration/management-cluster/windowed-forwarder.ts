// The windowed forwarder on a real API server: it finds the current version, and loses no change.

import type { Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { beforeAll, describe, expect, it } from 'vitest';
import { clusterKind, clusterWatches } from '../../../functions/cluster/watches.ts';
import { runWindow } from '../../../functions/windowed-forwarder/run-window.ts';
import { kindsOfCluster } from '../../../shared/api/cluster/reader.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createMetricsRegistry } from '../../../shared/telemetry/metrics-registry.ts';
import { parseRequest } from '../../../shared/workqueue/message.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { aDeclaration, aRecordingLog } from '../../support/kernel.ts';
import { MemoryQueues } from '../../support/memory-queues/queues.ts';
import type { RealControlPlane } from '../../support/real-control-plane.ts';
import { createTestClient } from '../../support/test-client.ts';

/** On a management cluster without Clusters. */
export function describeWindowedForwarder(plane: () => RealControlPlane): void {
  describe('runs of the windowed forwarder', () => holdRuns(plane));
}

function holdRuns(plane: () => RealControlPlane): void {
  const stateRef = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'kube-system',
    name: 'capi-serverless-windowed-forwarder',
  };
  const log = aRecordingLog();
  const queues = new MemoryQueues({
    clock: systemClock,
    queues: ['work-cluster.fifo', 'expand'].map(name => ({ name, visibilityTimeoutSeconds: 180 })),
  });
  let kubernetes: Kubernetes;
  let ids = 0;
  let reported = 0;

  beforeAll(async () => {
    const credentials = await loadCredentials({ kubeconfigPath: plane().kubeconfigPath('admin') });
    kubernetes = createTestClient({ credentials, client: 'test' });
    await installDefinitions(kubernetes, coreCrds);
  });

  /** Returns the messages of one run in the form `cause name`. */
  async function run(): Promise<readonly string[]> {
    await runWindow({
      declarations: [
        aDeclaration({ name: 'cluster', primary: clusterKind, watches: clusterWatches, references: kindsOfCluster }),
      ],
      kubernetes,
      queues,
      managementCluster: 'mgmt',
      watchFilter: '',
      stateNamespace: 'kube-system',
      newId: () => {
        ids += 1;
        return `id-${ids}`;
      },
      log,
      metrics: createMetricsRegistry(),
      signal: new AbortController().signal,
    });
    const all = queues.messages('work-cluster.fifo').map(({ body }) => parseRequest(body));
    const fresh = all.slice(reported);
    reported = all.length;
    return fresh.map(({ cause, key }) => `${cause} ${key.name}`);
  }

  async function createCluster(name: string): Promise<void> {
    const created = await kubernetes.create({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { namespace: 'default', name },
      spec: { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
    });
    expect(created.ok).toBe(true);
  }

  async function versionOfMachines(): Promise<number> {
    const state = await kubernetes.get(stateRef);
    const data = state.ok ? (state.value['data'] as Readonly<Record<string, string>>) : {}; // true: a ConfigMap contains texts
    return Number(data['Machine.cluster.x-k8s.io']?.split(' ')[1]);
  }

  it('send every object once, then only changes, list nothing again, and advance unchanged kinds', async () => {
    await createCluster('one');
    expect(await run()).toEqual(['list one']);
    const before = await versionOfMachines();
    await createCluster('two');
    expect(await run()).toEqual(['event two']);
    expect(await run()).toEqual([]);
    expect(await versionOfMachines()).toBeGreaterThan(before);
    expect(log.lines.filter(({ message }) => message === 'Forwarding changes').slice(1)).toMatchObject([
      { messages: 1 },
      { messages: 0 },
    ]);
    expect(log.lines.filter(line => 'listed' in line)).toHaveLength(1);
  });
}
