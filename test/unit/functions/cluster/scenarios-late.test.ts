// Scenarios of a slow API server: the time for reads is up before all objects are read.
import { describe, expect, it } from 'vitest';
import { fakeWorkload, probeFailed } from '../../../support/fake-remote.ts';
import {
  anUnconnectedCluster,
  aSettledCluster,
  controlPlaneOk,
  cp1,
  i1,
  infraOk,
  logs,
  reconcileOnce,
  withBothRefs,
} from './cluster-pass.ts';
import { aSecret } from './secrets.ts';

const aborted = (at: string) => ({ at, message: 'aborted before an answer came', reason: 'Aborted' }) as const;
const machines = aborted('list Machine ns');
const infrastructure = aborted('get FooCluster ns/i1');
const controlPlane = aborted('get FooControlPlane ns/cp1');
const objects = [infraOk(), controlPlaneOk()];
const stored = () =>
  withBothRefs(aSettledCluster())
    .withEndpoint('h.example')
    .infrastructureProvisioned()
    .withCondition('InfrastructureReady', { status: 'True', reason: 'Ready', observedGeneration: 2 })
    .withCondition('WorkerMachinesReady', { status: 'True', reason: 'NoReplicas', observedGeneration: 2 });

describe('a late pass', () => {
  it('writes what it has read, and keeps the stored conditions of the rest', async () => {
    const late = await reconcileOnce(stored(), { objects, readFaults: [machines], late: true });
    expect(late.condition('WorkerMachinesReady')).toBe('True/NoReplicas');
    expect(late.generationOf('WorkerMachinesReady')).toBe(2);
    expect(late.condition('InfrastructureReady')).toBe('True/Ready');
    expect(late.generationOf('InfrastructureReady')).toBe(3);
    expect(late.condition('ControlPlaneAvailable')).toBe('True/Available');
    expect(late.status['initialization']).toMatchObject({ controlPlaneInitialized: true });
  });

  it('fails with the names of the reads without an answer, so that the next try observes the generation', async () => {
    const late = await reconcileOnce(stored(), { objects, readFaults: [machines], late: true });
    expect(late.result).toContain('failed to list Machines for cluster ns/c1: aborted before an answer came');
    expect(late.status['observedGeneration']).toBeUndefined();
  });

  it('reports no condition of an unread object that has none yet', async () => {
    const late = await reconcileOnce(stored(), { objects, readFaults: [machines], late: true });
    expect(late.condition('ControlPlaneMachinesReady')).toBeUndefined();
  });

  it('marks a new object as owned although another one is not read yet', async () => {
    const both = { objects: [i1(), cp1()], readFaults: [controlPlane], late: true };
    const late = await reconcileOnce(withBothRefs(aSettledCluster()), both);
    expect(late.writes).toEqual([expect.stringContaining('patch FooCluster ns/i1')]);
  });

  it('keeps the counters of a control plane that is not read', async () => {
    const counted = stored().withStatus({ controlPlane: { replicas: 3, readyReplicas: 2 } });
    const late = await reconcileOnce(counted, { objects, readFaults: [controlPlane], late: true });
    expect(late.status['controlPlane']).toEqual({ replicas: 3, readyReplicas: 2 });
    const refused = await reconcileOnce(counted, { objects, readFaults: [controlPlane] });
    expect(refused.status['controlPlane']).toEqual({});
  });

  it('keeps the finalizer and the infrastructure of a Cluster whose Machines are not read', async () => {
    const late = await reconcileOnce(stored().deleting(), { objects, readFaults: [machines], late: true });
    expect(late.writes).toEqual([]);
  });
});

it('a pass in time reports that an object could not be read', async () => {
  const refused = await reconcileOnce(stored(), { objects, readFaults: [infrastructure] });
  expect(refused.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
});

describe('the probe of a pass without time for it', () => {
  const kubeconfig = aSecret('c1-kubeconfig').holding({ value: 'a kubeconfig' });
  const given = [...objects, kubeconfig];
  const postponed = { ok: false, error: 'no time is left for a probe', postponed: true } as const;
  const unconnected = () => withBothRefs(anUnconnectedCluster()).withEndpoint('h.example').infrastructureProvisioned();

  it.each([
    { probe: postponed, late: false, reason: 'it was not sent' },
    { probe: probeFailed(), late: true, reason: 'it was interrupted' },
  ])('is sent ten seconds later, and counts as no failure: $reason', async ({ probe, late }) => {
    const ended = await reconcileOnce(unconnected(), { objects: given, workload: fakeWorkload(probe), late });
    expect(ended.writes).toEqual([]);
    expect(ended.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection not established yet');
    expect(ended.result).toBe('requeueAfter 10000');
  });

  it('keeps a stored result', async () => {
    const ended = await reconcileOnce(stored(), { objects: given, workload: fakeWorkload(postponed) });
    expect(ended.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(ended.condition('Available')).toBe('True/Available');
  });
});
