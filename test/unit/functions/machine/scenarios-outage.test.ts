// A Machine notes the outage of its workload cluster on its Cluster (docs/decisions/0061-machines-report-outages.md).
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aCapiCluster, aMachine, bootstrapOk, infraOk, now } from './scenario-objects.ts';
import { aRunningMachine, reconcileOnce, runningWorld } from './world.ts';

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
