// The requests of a settled MachineHealthCheck, with the production kernel, an API server and a workload cluster in memory.
import { describe, expect, it } from 'vitest';
import { machineHealthCheckReconciler } from '../../../../functions/machinehealthcheck/reconciler.ts';
import { toSecretData } from '../../../../shared/api/secret.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import { createMemoryWorkload } from '../../../../shared/kubernetes/memory/memory-workload.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { countingIds, createMemoryApi } from '../../../support/memory-api.ts';
import { built } from '../../../support/object-builder.ts';
import { resultText } from '../../../support/result-text.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';
import { aCapiCluster, aCheck, HealthTestObject, machine, node, now } from './scenario-objects.ts';

const kubeconfig = {
  ...new HealthTestObject({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).build(),
  data: { value: toSecretData('kubeconfig') },
};
const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachine', name: 'i' };
const aMachine = (number: number) =>
  machine(number).withSpec({ clusterName: 'c1', bootstrap: { dataSecretName: 'd' }, infrastructureRef });
const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', namespace: 'ns', name: 'h1' };

async function aWorld(count: number) {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const api = createMemoryApi({ clock: new SteppedClock(now) });
  const [cluster] = api.given(aCapiCluster(), kubeconfig, aCheck(), ...numbers.map(aMachine));
  const workload = createMemoryWorkload({ clock: api.clock, ids: countingIds(1_000_000) });
  const remote = workload.cluster(cluster?.metadata.uid ?? '');
  for (const { status, spec, metadata } of numbers.map(number => built(node(number)))) {
    const { name } = metadata;
    await remote.kubernetes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: spec ?? {} });
    await remote.kubernetes.mergePatch(
      { apiVersion: 'v1', kind: 'Node', name },
      { status: status as object },
      { subresource: 'status' },
    );
  }
  const reconcileOnce = async () => {
    const before = { own: api.calls.all.length, writes: api.calls.writes.length, remote: remote.sent };
    const { result } = await reconcile(
      {
        reconciler: machineHealthCheckReconciler,
        kubernetes: api.kubernetes,
        ports: { workloadApi: workload.api },
        clock: api.clock,
        signal: new AbortController().signal,
        log: aRecordingLog(),
        watchFilter: '',
      },
      ref,
    );
    return {
      result: resultText(result),
      requests: api.calls.all.slice(before.own).map(({ verb, kind }) => `${verb} ${kind}`),
      writes: api.calls.writes.slice(before.writes),
      toNodes: remote.sent - before.remote,
    };
  };
  return { api, remote, reconcileOnce };
}

const settled = ['get Cluster', 'get MachineHealthCheck', 'get Secret', 'list Machine'];

describe('the requests of a settled MachineHealthCheck', () => {
  it.each([
    { count: 1, toNodes: 1, reason: 'each Node is read' },
    { count: 10, toNodes: 10, reason: 'each Node is read' },
    { count: 11, toNodes: 1, reason: 'all Nodes are listed' },
    { count: 1000, toNodes: 1, reason: 'all Nodes are listed' },
  ])('are 4 with $count Machines, and $toNodes to the workload cluster: $reason', async ({ count, toNodes }) => {
    const world = await aWorld(count);
    await world.reconcileOnce();
    expect(world.api.read(ref).status).toMatchObject({ expectedMachines: count, currentHealthy: count });
    for (let pass = 0; pass < 2; pass += 1) {
      const { requests, ...made } = await world.reconcileOnce();
      expect(requests.toSorted()).toEqual(settled);
      expect(made).toEqual({ result: 'requeueAfter 300000', writes: [], toNodes });
    }
  });

  it('are one more for each Machine that changes, of 1,000', async () => {
    const world = await aWorld(1000);
    await world.reconcileOnce();
    await world.remote.kubernetes.delete({ apiVersion: 'v1', kind: 'Node', name: 'n7' });
    const { writes, toNodes, requests } = await world.reconcileOnce();
    expect(writes.map(line => line.split(/[ .]/).slice(0, 3).join(' ')).toSorted()).toEqual([
      'create Event ns/m7',
      'patch Machine ns/m7',
      'patch MachineHealthCheck ns/h1',
    ]);
    expect(toNodes).toBe(2);
    expect(requests.filter(request => request.startsWith('list'))).toEqual(['list Machine']);
  });
});
