// Scenarios of the checks of a drain: what a check costs, when it is repeated, and what ends it early.

import type { ListQuery } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { createMachineReconciler } from '../../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../../functions/machine/settings.ts';
import { timestamp } from '../../../support/object-builder.ts';
import { aDeletedMachine, changed, deletingWorld, reconcileOnce, type ScenarioWorld } from './machine-pass.ts';
import { aCapiCluster, aCrd, bootstrapOk, crds, infraOk, nodeOk, now, TestObject } from './scenario-objects.ts';

const started = timestamp(now);
const header = `Drain not completed yet (started at ${started}):`;
const cordoned = () => nodeOk().withSpec({ unschedulable: true });
const aPod = (name: string) =>
  new TestObject({ apiVersion: 'v1', kind: 'Pod', name })
    .in('app')
    .withUid(`${name}-uid`)
    .withSpec({ nodeName: 'n1' })
    .withStatus({ phase: 'Running' });
const draining: ScenarioWorld = { ...deletingWorld, workload: [cordoned(), aPod('p1')] };
const aDrainedMachine = async () =>
  changed(await aDeletedMachine(), { status: { deletion: { nodeDrainStartTime: started } } });

const attached = cordoned().withStatus({ volumesAttached: [{ name: 'kubernetes.io/csi/d^h1', devicePath: '' }] });
const volumes: ScenarioWorld = { ...deletingWorld, workload: [attached] };

describe('the first check of a Node that another client has cordoned (scenario 133)', () => {
  it('stores the start of the drain, then another pass evicts', async () => {
    const first = await reconcileOnce(await aDeletedMachine(), draining);
    expect(first.writes).toEqual([]);
    expect(first.status['deletion']).toEqual({ nodeDrainStartTime: started });
    expect(first.condition('Deleting')).toBe(`True/DrainingNode ${header}`);
    expect(first.v1beta1('DrainingSucceeded')).toBe('False/Info/Draining Draining the node before deletion');
    expect(first.result).toBe('again');
    const second = await reconcileOnce(first.machine, { ...draining, number: 2 });
    expect(second.writes).toEqual(['evict Pod app/p1']);
  });

  it('needs no other pass if nothing is evicted', async () => {
    const waiting = aPod('job').labelled({ 'cluster.x-k8s.io/drain': 'WaitCompleted' });
    const waits = await reconcileOnce(await aDeletedMachine(), { ...draining, workload: [cordoned(), waiting] });
    expect(waits.result).toBe('requeueAfter 20000');
    const empty = await reconcileOnce(await aDeletedMachine(), { ...draining, workload: [cordoned()] });
    expect(empty.writes).toEqual(['delete FooMachine ns/i1']);
  });
});

describe('the cost of a check of a drain', () => {
  it('is at most 11 requests to the management cluster, with the Machine itself', async () => {
    const pass = await reconcileOnce(await aDrainedMachine(), draining);
    expect(pass.writes).toEqual(['evict Pod app/p1']);
    expect(pass.ask.trips.flat().length + 1).toBeLessThanOrEqual(11);
  });

  it('is two more with a control plane object', async () => {
    const ref = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'FooControlPlane', name: 'cp1' };
    const controlPlane = new TestObject({ apiVersion: `${ref.apiGroup}/v1`, kind: ref.kind, name: ref.name });
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...draining,
      cluster: aCapiCluster().withControlPlaneRef(ref),
      crds: [...crds, aCrd(ref)],
      objects: [...(draining.objects ?? []), controlPlane],
    });
    expect(pass.writes).toEqual(['evict Pod app/p1']);
    expect(pass.ask.trips.flat().length + 1).toBeLessThanOrEqual(13);
  });

  it('contains the kubeconfig in the first round trip', async () => {
    const pass = await reconcileOnce(await aDrainedMachine(), draining);
    expect(pass.ask.trips[0]).toContain('get Secret ns/c1-kubeconfig');
  });

  it('reads metadata of members of the control plane, up to the first one that remains', async () => {
    const queries: ListQuery[] = [];
    const pass = await reconcileOnce(await aDrainedMachine(), { ...draining, onList: query => queries.push(query) });
    expect(pass.writes).toEqual(['evict Pod app/p1']);
    const [members, ...others] = queries.filter(({ kind }) => kind === 'Machine');
    expect(others).toEqual([]);
    expect(members).toMatchObject({
      namespace: 'ns',
      labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
      withLabels: ['cluster.x-k8s.io/control-plane'],
      as: 'metadata',
      limit: 50,
    });
    const { until = () => false } = members ?? {};
    const aMember = (name: string) => new TestObject({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name });
    expect(until(aMember('cpm').build())).toBe(true);
    expect(until(aMember('cpm').deleting().build())).toBe(false);
    expect(until(aMember('m1').build())).toBe(false);
  });

  it('the Machine itself is no member that remains', async () => {
    const own = new TestObject({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm1' }).labelled({
      'cluster.x-k8s.io/cluster-name': 'c1',
      'cluster.x-k8s.io/control-plane': '',
    });
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...draining,
      objects: [bootstrapOk(), infraOk(), own],
    });
    expect(pass.writes).toEqual(['delete FooMachine ns/i1']);
  });
});

describe('the next check of the same process', () => {
  const aProcess = () => createMachineReconciler(defaultSettings);

  it('at a drain is postponed for 20 s, without any request for Pods', async () => {
    const reconciler = aProcess();
    const first = await reconcileOnce(await aDrainedMachine(), { ...draining, reconciler });
    const echo = await reconcileOnce(first.machine, { ...draining, reconciler, afterMs: 1_000 });
    expect(echo.asked).toEqual(['get Node n1']);
    expect(echo.writes).toEqual([]);
    expect(echo.result).toBe('requeueAfter 19000');
    expect(echo.condition('Deleting')).toBe(first.condition('Deleting'));
    const due = await reconcileOnce(echo.machine, { ...draining, reconciler, afterMs: 20_000 });
    expect(due.asked).toContain('list Pod ');
  });

  it('at volumes is postponed as well', async () => {
    const reconciler = aProcess();
    const first = await reconcileOnce(await aDrainedMachine(), { ...volumes, reconciler });
    expect(first.condition('Deleting')).toContain('True/WaitingForVolumeDetach');
    const echo = await reconcileOnce(first.machine, { ...volumes, reconciler, afterMs: 5_000 });
    expect(echo.asked).toEqual(['get Node n1']);
    expect(echo.result).toBe('requeueAfter 15000');
    const excluded = changed(first.machine, {
      metadata: { annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' } },
    });
    const later = await reconcileOnce(excluded, { ...volumes, reconciler, afterMs: 6_000 });
    expect(later.asked).toEqual(['get Node n1']);
    expect(later.result).toBe('requeueAfter 14000');
  });

  it.each<ScenarioWorld & { readonly reason: string; readonly change?: object }>([
    { reason: 'in a later pass of the invocation', number: 2 },
    { reason: 'of another process', reconciler: aProcess() },
    {
      reason: 'if its result was not stored',
      change: { status: { conditions: null } },
    },
    {
      reason: 'at volumes, after the drain was excluded',
      change: { metadata: { annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' } } },
    },
  ])('is not postponed $reason', async ({ reason: _, change = {}, ...world }) => {
    const reconciler = aProcess();
    const first = await reconcileOnce(await aDrainedMachine(), { ...draining, reconciler });
    const pods = { ...draining, reconciler, afterMs: 1_000, ...world };
    const paused = {
      status: {
        conditions: (first.status['conditions'] as readonly { readonly type: string }[]).filter(
          ({ type }) => type === 'Paused',
        ),
      },
    };
    const machine = changed(first.machine, 'status' in change ? paused : change);
    const next = await reconcileOnce(machine, pods);
    expect(next.asked.some(line => line.startsWith('list '))).toBe(true);
  });

  it('of another Machine is not postponed', async () => {
    const reconciler = aProcess();
    const first = await reconcileOnce(await aDrainedMachine(), { ...draining, reconciler });
    const other = changed(first.machine, { metadata: { uid: 'm2-uid' } });
    const next = await reconcileOnce(other, { ...draining, reconciler, afterMs: 1_000 });
    expect(next.asked).toContain('list Pod ');
  });

  it('is forgotten when the deletion goes on, and for the oldest of more than 1000 Machines', async () => {
    const reconciler = aProcess();
    const first = await reconcileOnce(await aDrainedMachine(), { ...draining, reconciler });
    await reconcileOnce(first.machine, { ...draining, workload: [], reconciler, afterMs: 1_000 });
    const again = await reconcileOnce(first.machine, { ...draining, reconciler, afterMs: 2_000 });
    expect(again.asked).toContain('list Pod ');
    for (let index = 0; index < 1000; index += 1) {
      const other = changed(first.machine, { metadata: { uid: `other-${index}` } });
      await reconcileOnce(other, { ...draining, reconciler, afterMs: 2_000 });
    }
    const forgotten = await reconcileOnce(again.machine, { ...draining, reconciler, afterMs: 3_000 });
    expect(forgotten.asked).toContain('list Pod ');
  });
});

describe('a check that the time limit of the pass has ended', () => {
  const aborted = (at: string) => [{ at, message: 'aborted', reason: 'Aborted' as const }];
  const cp = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'FooControlPlane', name: 'cp1' };

  it.each<ScenarioWorld & { readonly reason: string }>([
    { reason: 'the Node', ...draining, workloadFaults: aborted('get Node n1') },
    { reason: 'Pods', ...draining, workloadFaults: aborted('list Pod ') },
    { reason: 'rules', ...draining, readFaults: aborted('list MachineDrainRule ns') },
    { reason: 'members', ...draining, readFaults: aborted('list Machine ns') },
    {
      reason: 'the control plane',
      ...draining,
      cluster: aCapiCluster().withControlPlaneRef(cp),
      crds: [...crds, aCrd(cp)],
      readFaults: aborted('get FooControlPlane ns/cp1'),
    },
    { reason: 'VolumeAttachments', ...volumes, workloadFaults: aborted('list VolumeAttachment ') },
    { reason: 'PersistentVolumes', ...volumes, workloadFaults: aborted('list PersistentVolume ') },
    { reason: 'the kubeconfig', ...draining, readFaults: aborted('get Secret ns/c1-kubeconfig') },
  ])('keeps the stored stage, and sends no Event: $reason', async ({ reason: _, ...world }) => {
    const stored = (await reconcileOnce(await aDrainedMachine(), draining)).machine;
    const pass = await reconcileOnce(stored, { ...world, late: true });
    expect(pass.writes).toEqual([]);
    expect(pass.events).toEqual([]);
    expect(pass.result).toContain('aborted');
    expect(pass.condition('Deleting')).toBe(
      `True/DrainingNode ${header}\n* Pod app/p1: deletionTimestamp set, but still not removed from the Node`,
    );
    for (const type of ['NodeHealthy', 'DrainingSucceeded', 'VolumeDetachSucceeded']) {
      expect(pass.v1beta1(type)).toEqual((await reconcileOnce(stored, draining)).v1beta1(type));
    }
    expect(pass.condition('NodeReady')).toBe('True/NodeReady');
  });

  it('during the wait for volumes keeps it as well', async () => {
    const stored = (await reconcileOnce(await aDrainedMachine(), volumes)).machine;
    const excluded = changed(stored, {
      metadata: { annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' } },
    });
    const pass = await reconcileOnce(excluded, { ...volumes, workloadFaults: aborted('get Node n1'), late: true });
    expect(pass.writes).toEqual([]);
    expect(pass.condition('Deleting')).toContain('True/WaitingForVolumeDetach Waiting for Node volumes');
  });

  it('reports an answer that arrived before it', async () => {
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...draining,
      workloadFaults: [{ at: 'list Pod ', message: 'boom' }],
    });
    expect(pass.condition('Deleting')).toContain('Error draining Node');
  });
});
