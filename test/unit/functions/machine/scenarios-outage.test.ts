// A Machine notes the outage of its workload cluster on its Cluster (docs/decisions/0061-machines-report-outages.md).
import { describe, expect, it } from 'vitest';
import { createMachineReconciler } from '../../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../../functions/machine/settings.ts';
import { timestamp } from '../../../support/object-builder.ts';
import { aRunningMachine, changed, reconcileOnce, runningWorld, type ScenarioWorld } from './machine-pass.ts';
import { aCapiCluster, aMachine, bootstrapOk, infraOk, now } from './scenario-objects.ts';

const noted = { 'capi-serverless.dev/probe-failing-since': timestamp(now - 60_000) };
const failed = { status: 'False', message: 'Remote connection probe failed' } as const;
const neverConnected = { status: 'False', message: 'Remote connection not established yet' } as const;

describe('a workload cluster that does not answer, while its Cluster still reports a connection', () => {
  const note = `patch Cluster ns/c1 {"metadata":{"annotations":{"capi-serverless.dev/probe-failing-since":"${timestamp(now)}"}}}`;
  const lost = { ...runningWorld, isConnected: false };

  it('is noted on the Cluster, which is then reconciled and probes it', async () => {
    const pass = await reconcileOnce(await aRunningMachine(), lost);
    expect(pass.writes).toContain(note);
    expect(pass.versions.get('cluster:failing-since')).toBe(aCapiCluster().build().metadata.resourceVersion);
    expect(pass.condition('NodeReady')).toBe('True/NodeReady');
  });

  it('is noted by one of several Machines: the lost race of another changes nothing', async () => {
    const failures = { 'cluster:failing-since': { message: 'Operation cannot be fulfilled on clusters "c1"' } };
    const [first, second] = [
      await reconcileOnce(await aRunningMachine(), lost),
      await reconcileOnce(await aRunningMachine(), { ...lost, failures }),
    ];
    expect(second.status).toEqual(first.status);
    expect(second.result).toEqual(first.result);
  });

  it('is noted once by the Machines of a process', async () => {
    const reconciler = createMachineReconciler(defaultSettings);
    const machine = await aRunningMachine();
    const other = changed(machine, { metadata: { uid: 'm2-uid' } });
    const noteOf = async (of: typeof machine, afterMs = 0) =>
      (await reconcileOnce(of, { ...lost, reconciler, afterMs })).writes.filter(line =>
        line.startsWith('patch Cluster'),
      );
    expect(await noteOf(machine)).toHaveLength(1);
    expect(await noteOf(other, 9_999)).toHaveLength(0);
    expect(await noteOf(machine, 9_999)).toHaveLength(1);
    expect(await noteOf(other, 19_999)).toHaveLength(1);
  });

  it.each([
    { reason: 'it answers', world: runningWorld },
    { reason: 'Clusters are not probed', world: { ...lost, settings: { probesRemote: false } } },
    {
      reason: 'it is noted already',
      world: { ...lost, cluster: aCapiCluster().annotated(noted).withCondition('RemoteConnectionProbe', failed) },
    },
    {
      reason: 'it is noted, and the condition has not changed yet',
      world: {
        ...lost,
        cluster: aCapiCluster().annotated(noted),
      },
    },
    {
      reason: 'it was never connected',
      world: { ...lost, cluster: aCapiCluster().withCondition('RemoteConnectionProbe', neverConnected) },
    },
    { reason: 'a Cluster in deletion is not probed', world: { ...lost, cluster: aCapiCluster().deleting() } },
    {
      reason: 'nothing was asked of it',
      world: { ...lost, objects: [bootstrapOk(), infraOk().withSpec({ providerID: '' })] },
      machine: aMachine(),
    },
  ])('is not noted: $reason', async ({ world, machine }) => {
    const pass = await reconcileOnce(machine ?? (await aRunningMachine()), world);
    expect(pass.writes.filter(write => write.startsWith('patch Cluster'))).toEqual([]);
  });
});

describe('an outage without probes of Clusters (scenario 135)', () => {
  const settings = { probesRemote: false };
  const annotation = 'capi-serverless.dev/probe-failing-since';
  const world: ScenarioWorld = { ...runningWorld, settings };
  const lost: ScenarioWorld = { ...world, isConnected: false };
  const memoryOf = (machine: { readonly metadata: { readonly annotations?: object } }) =>
    machine.metadata.annotations?.[annotation as never];

  it('flips the conditions once, after the grace period, and back with the first answer', async () => {
    const first = await reconcileOnce(await aRunningMachine(), lost);
    expect(memoryOf(first.machine)).toBe(JSON.stringify({ connection: timestamp(now) }));
    expect(first.condition('NodeReady')).toBe('True/NodeReady');
    expect(first.result).toBe('requeueAfter 300001');
    const before = await reconcileOnce(first.machine, { ...lost, afterMs: 300_000 });
    expect(before.writes).toEqual([]);
    expect(before.condition('NodeReady')).toBe('True/NodeReady');
    const after = await reconcileOnce(before.machine, { ...lost, afterMs: 300_001 });
    const message = `Unknown/ConnectionDown Last successful probe at ${timestamp(now)}`;
    expect(after.condition('NodeReady')).toBe(message);
    expect(after.condition('NodeHealthy')).toBe(message);
    expect(after.result).toBe('requeueAfter 300000');
    const later = await reconcileOnce(after.machine, { ...lost, afterMs: 3_600_000 });
    expect(later.writes).toEqual([]);
    expect(later.status['conditions']).toEqual(after.status['conditions']);
    const answered = await reconcileOnce(later.machine, { ...world, afterMs: 3_700_000 });
    expect(memoryOf(answered.machine)).toBeUndefined();
    expect(answered.condition('NodeReady')).toBe('True/NodeReady');
    expect((await reconcileOnce(answered.machine, world)).writes).toEqual([]);
  });

  it('is forgotten when Clusters are probed again', async () => {
    const { machine } = await reconcileOnce(await aRunningMachine(), lost);
    const probed = await reconcileOnce(machine, { ...lost, settings: {} });
    expect(memoryOf(probed.machine)).toBeUndefined();
  });

  it('is not remembered by a check that the time limit of the pass has ended', async () => {
    const workloadFaults = [{ at: 'get Node n1', message: 'aborted', reason: 'Aborted' as const }];
    const pass = await reconcileOnce(await aRunningMachine(), { ...world, workloadFaults, late: true });
    expect(pass.writes).toEqual([]);
    const { machine } = await reconcileOnce(await aRunningMachine(), lost);
    expect((await reconcileOnce(machine, { ...world, workloadFaults, late: true })).writes).toEqual([]);
  });

  it('never gave a connection to a Machine without Node', async () => {
    const pass = await reconcileOnce(aMachine(), { ...lost, workload: [] });
    expect(pass.condition('NodeReady')).toBe('Unknown/ConnectionDown Remote connection not established yet');
    expect(pass.result).toBe('requeueAfter 300000');
  });
});

describe('a Machine that waits for its first Node in an outage', () => {
  const failedProbe = { status: 'False', message: 'Remote connection probe failed' } as const;

  it.each([
    { reason: 'its Cluster reports a connection', cluster: aCapiCluster(), ms: 15_000 },
    { reason: 'a probe has failed', cluster: aCapiCluster().annotated(noted), ms: 240_001 },
    {
      reason: 'the connection is lost',
      cluster: aCapiCluster().withCondition('RemoteConnectionProbe', failedProbe),
      ms: 300_000,
    },
    {
      reason: 'the Cluster was never connected',
      cluster: aCapiCluster().annotated(noted).withCondition('RemoteConnectionProbe', neverConnected),
      ms: 15_000,
    },
    {
      reason: 'the Cluster was never probed',
      cluster: aCapiCluster().withStatus({
        conditions: [{ type: 'ControlPlaneInitialized', status: 'True', reason: 'x', message: '' }],
      }),
      ms: 15_000,
    },
  ])('is reconciled again after $ms ms: $reason', async ({ cluster, ms }) => {
    const pass = await reconcileOnce(aMachine(), { ...runningWorld, isConnected: false, cluster });
    expect(pass.result).toBe(`requeueAfter ${ms}`);
  });
});
