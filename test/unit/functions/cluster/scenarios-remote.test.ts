// Scenarios of the Cluster's behaviour: the connection to the workload cluster.

import type { Instant } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { toDue } from '../../../../shared/workqueue/timer-grid.ts';
import type { ClusterBuilder } from '../../../support/builders.ts';
import { fakeWorkload, probeFailed } from '../../../support/fake-remote.ts';
import { ObjectBuilder, timestamp } from '../../../support/object-builder.ts';
import {
  anUnconnectedCluster,
  aSettledCluster,
  type ClusterWorld,
  controlPlaneOk,
  cp1,
  infraOk,
  now,
  reconcileOnce,
  withBothRefs,
} from './cluster-pass.ts';
import { aSecret } from './secrets.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const annotation = 'capi-serverless.dev/probe-failing-since';
const kubeconfig = aSecret('c1-kubeconfig').holding({ value: 'a kubeconfig' });
const both = [infraOk(), controlPlaneOk(), kubeconfig];

/** Returns a provisioned Cluster with an endpoint and a kubeconfig, so that it can be probed. */
function probeable(cluster: ClusterBuilder = aSettledCluster()): ClusterBuilder {
  return withBothRefs(cluster).withEndpoint('h.example').infrastructureProvisioned();
}

function failingSince(instant: Instant, cluster: ClusterBuilder = probeable()): ClusterBuilder {
  return cluster.annotated({ [annotation]: timestamp(instant) });
}

function reconcileFailing(cluster: ClusterBuilder, world: ClusterWorld & { readonly lastSuccessAt?: Instant } = {}) {
  const { lastSuccessAt, ...rest } = world;
  return reconcileOnce(cluster, { objects: both, workload: fakeWorkload(probeFailed(lastSuccessAt)), ...rest });
}

const failed = { status: 'False', reason: 'ProbeFailed', observedGeneration: 2 } as const;

describe('the connection to the workload cluster', () => {
  it('is probed with the Cluster’s kubeconfig', async () => {
    const reconciled = await reconcileOnce(probeable(anUnconnectedCluster()), { objects: both });
    expect(reconciled.workload.targets).toEqual([
      { cluster: 'uid-1', origin: 'in Secret ns/c1-kubeconfig', kubeconfig: 'a kubeconfig', version: '11' },
    ]);
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(reconciled.condition('Available')).toBe('True/Available');
    expect([reconciled.result, reconciled.writes]).toEqual(['done', []]);
  });

  it.each([
    { cluster: probeable().deleting(), world: {}, reason: 'it is being deleted' },
    { cluster: probeable(), world: { number: 2 }, reason: 'a later pass of the same invocation' },
    { cluster: probeable(), world: { objects: [infraOk(), controlPlaneOk()] }, reason: 'there is no kubeconfig' },
    { cluster: withBothRefs(aSettledCluster()).infrastructureProvisioned(), world: {}, reason: 'it has no endpoint' },
    { cluster: withBothRefs(aSettledCluster()).withEndpoint('h'), world: {}, reason: 'it is not provisioned' },
  ])('is not probed: $reason', async ({ cluster, world }) => {
    const reconciled = await reconcileOnce(cluster.withCondition('RemoteConnectionProbe', { observedGeneration: 2 }), {
      objects: both,
      ...world,
    });
    expect(reconciled.workload.targets).toEqual([]);
    expect(reconciled.generationOf('RemoteConnectionProbe')).toBe(2);
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('True/RemoteConnectionProbe');
  });

  it.each([
    { seconds: 0, wait: 1_000, reason: 'just initialized' },
    { seconds: 19, wait: 1_000, reason: 'the last of the shortest gaps' },
    { seconds: 20, wait: 5_000, reason: 'no kubeconfig for 20 s' },
    { seconds: 120, wait: 15_000, reason: 'no kubeconfig for two minutes' },
    { seconds: 600, wait: 30_000, reason: 'no kubeconfig for ten minutes' },
    { seconds: 2700, wait: 600_000, reason: 'never longer than the resync period' },
  ])('waits $wait ms for the kubeconfig, $seconds s after the control plane was initialized ($reason)', async row => {
    const cluster = probeable(anUnconnectedCluster())
      .createdAt(now - 60 * minuteMs)
      .controlPlaneInitialized()
      .withCondition('ControlPlaneInitialized', { lastTransitionTime: timestamp(now - row.seconds * 1000) });
    for (const number of [1, 2]) {
      const reconciled = await reconcileOnce(cluster, { objects: [infraOk(), controlPlaneOk()], number });
      expect([reconciled.result, reconciled.writes]).toEqual([`requeueAfter ${row.wait}`, []]);
    }
  });

  it.each([
    { cluster: probeable(anUnconnectedCluster()), reason: 'the control plane is not initialized' },
    { cluster: probeable().controlPlaneInitialized(), reason: 'it was connected before' },
    { cluster: withBothRefs(anUnconnectedCluster()).controlPlaneInitialized(), reason: 'it has no endpoint' },
  ])('does not wait for the kubeconfig by a timer: $reason', async ({ cluster }) => {
    const objects = [infraOk(), cp1().adopted()];
    expect((await reconcileOnce(cluster, { objects })).result).toBe('done');
  });

  it('is not established before the first success', async () => {
    const reconciled = await reconcileFailing(probeable(anUnconnectedCluster()));
    expect(reconciled.condition('RemoteConnectionProbe')).toBe(
      'False/ProbeFailed Remote connection not established yet',
    );
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * RemoteConnectionProbe: Remote connection not established yet',
    );
  });

  it('stores the time of the first failure, and is probed again soon', async () => {
    const reconciled = await reconcileFailing(probeable());
    expect(reconciled.writes).toEqual([
      `patch Cluster ns/c1 {"metadata":{"annotations":{"${annotation}":"2026-01-01T01:00:00Z"}}}`,
    ]);
    expect(reconciled.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(reconciled.result).toBe('requeueAfter 10000');
  });

  it('is probed after the shortest of several requeues', async () => {
    const reconciled = await reconcileFailing(probeable(), { objects: [infraOk(), kubeconfig] });
    expect(reconciled.condition('ControlPlaneAvailable')).toContain('FooControlPlane does not exist');
    expect(reconciled.result).toBe('requeueAfter 10000');
  });

  it('counts as lost sooner where this process has seen a success', async () => {
    const cluster = failingSince(now - minuteMs, probeable(anUnconnectedCluster()));
    const reconciled = await reconcileFailing(cluster, { lastSuccessAt: now - 2 * minuteMs });
    expect(reconciled.condition('RemoteConnectionProbe')).toBe(
      'False/ProbeFailed Remote connection probe failed, probe last succeeded at 2026-01-01T00:58:00Z',
    );
  });

  it('removes that time with the recovery', async () => {
    const reconciled = await reconcileOnce(failingSince(now - 2 * minuteMs), { objects: both });
    expect(reconciled.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"annotations":{"${annotation}":null}}}`]);
    expect([reconciled.result, reconciled.condition('RemoteConnectionProbe')]).toEqual(['done', 'True/ProbeSucceeded']);
  });

  it('replaces a time that cannot be read', async () => {
    const reconciled = await reconcileFailing(probeable().annotated({ [annotation]: 'yesterday' }));
    expect(reconciled.writes).toHaveLength(1);
    expect(reconciled.result).toBe('requeueAfter 10000');
  });

  it('is an error when the time cannot be stored', async () => {
    const reconciled = await reconcileFailing(probeable(), { failures: { 'probe:failing-since': { message: 'no' } } });
    expect(reconciled.result).toBe('failed to patch Cluster ns/c1: failed to patch spec and metadata: no');
  });

  it('is lost after the grace period, and reports its last success', async () => {
    const reconciled = await reconcileFailing(failingSince(now - 50_000), { lastSuccessAt: now - 60_000 });
    const message = `Remote connection probe failed, probe last succeeded at ${timestamp(now - 60_000)}`;
    expect(reconciled.condition('RemoteConnectionProbe')).toBe(`False/ProbeFailed ${message}`);
    expect(reconciled.condition('Available')).toBe(`False/NotAvailable * RemoteConnectionProbe: ${message}`);
    expect([reconciled.result, reconciled.writes]).toEqual(['requeueAfter 30000', []]);
  });

  it('is lost after the fifth failure where it never worked', async () => {
    const reconciled = await reconcileFailing(failingSince(now - 120_000, probeable(anUnconnectedCluster())));
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection probe failed');
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * RemoteConnectionProbe: Remote connection probe failed',
    );
    expect([reconciled.result, reconciled.writes]).toEqual(['requeueAfter 30000', []]);
  });

  it('keeps its condition while there is no new result', async () => {
    const reconciled = await reconcileFailing(
      failingSince(now - 49_000).withCondition('RemoteConnectionProbe', { observedGeneration: 2 }),
    );
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('True/RemoteConnectionProbe');
    expect(reconciled.generationOf('RemoteConnectionProbe')).toBe(2);
    expect([reconciled.result, reconciled.writes]).toEqual(['requeueAfter 1000', []]);
  });

  it('stays True during a short interruption, at the current generation, where the last success is known', async () => {
    const reconciled = await reconcileFailing(
      failingSince(now - 20_000)
        .withCondition('RemoteConnectionProbe', { reason: 'ProbeSucceeded' })
        .atGeneration(4),
      { lastSuccessAt: now - 30_000 },
    );
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(reconciled.generationOf('RemoteConnectionProbe')).toBe(4);
  });

  it.each([
    { message: 'Remote connection probe failed', reason: 'without the time of the last success' },
    {
      message: 'Remote connection probe failed, probe last succeeded at 2025-12-31T00:00:00Z',
      reason: 'with the time that another process knew',
    },
  ])('keeps the message "$message" while the failure lasts ($reason)', async ({ message }) => {
    const lost = failingSince(now - 5 * minuteMs).withCondition('RemoteConnectionProbe', { ...failed, message });
    const reconciled = await reconcileFailing(lost, { lastSuccessAt: now - 6 * minuteMs });
    expect(reconciled.condition('RemoteConnectionProbe')).toBe(`False/ProbeFailed ${message}`);
    expect(reconciled.generationOf('RemoteConnectionProbe')).toBe(3);
  });

  it('stays lost without the annotation, as after upstream, by its condition', async () => {
    const message = 'Remote connection probe failed';
    const lastTransitionTime = timestamp(now - 31 * minuteMs);
    const lost = probeable().withCondition('RemoteConnectionProbe', { ...failed, message, lastTransitionTime });
    const reconciled = await reconcileFailing(lost, { lastSuccessAt: now - minuteMs });
    expect(reconciled.condition('RemoteConnectionProbe')).toBe(`False/ProbeFailed ${message}`);
    expect([reconciled.writes, reconciled.result]).toEqual([[], 'requeueAfter 120000']);
  });

  it('is lost at once, without a probe, if its kubeconfig has more than 64 KiB', async () => {
    const message = 'Remote connection probe failed: Secret ns/c1-kubeconfig has more than 64 KiB';
    const large = (bytes: number) => [
      infraOk(),
      controlPlaneOk(),
      aSecret('c1-kubeconfig').holding({ value: 'k'.repeat(bytes) }),
    ];
    const refused = await reconcileOnce(probeable(), { objects: large(65_537) });
    expect(refused.workload.targets).toEqual([]);
    expect(refused.condition('RemoteConnectionProbe')).toBe(`False/ProbeFailed ${message}`);
    expect(refused.condition('Available')).toBe(`False/NotAvailable * RemoteConnectionProbe: ${message}`);
    expect([refused.result, refused.writes]).toEqual(['requeueAfter 10000', []]);
    const taken = await reconcileOnce(probeable(), { objects: large(65_536) });
    expect(taken.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
  });

  it('no longer reports a refused kubeconfig after the next probe failed', async () => {
    const message = 'Remote connection probe failed: Secret ns/c1-kubeconfig has more than 64 KiB';
    const lost = failingSince(now - 5 * minuteMs).withCondition('RemoteConnectionProbe', { ...failed, message });
    const reconciled = await reconcileFailing(lost);
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection probe failed');
  });

  it('counts as failing when its kubeconfig cannot be read', async () => {
    const reconciled = await reconcileFailing(probeable(), {
      readFaults: [{ at: 'get Secret ns/c1-kubeconfig', message: 'boom' }],
    });
    expect(reconciled.workload.targets).toEqual([]);
    expect(reconciled.result).toBe('requeueAfter 10000');
  });

  it.each([
    { seconds: 0, connected: true, wait: 10_000, reason: 'just failed' },
    { seconds: 10, connected: true, wait: 20_000, reason: 'the second probe' },
    { seconds: 30, connected: true, wait: 20_000, reason: 'the flip' },
    { seconds: 50, connected: true, wait: 30_000, reason: 'after the flip' },
    { seconds: 30, connected: false, wait: 30_000, reason: 'never connected: gaps of 30 s' },
    { seconds: 100, connected: false, wait: 20_000, reason: 'never connected: the flip after 2 min' },
    { seconds: 1799, connected: true, wait: 30_000, reason: 'the last of half an hour' },
    { seconds: 1800, connected: true, wait: 60_000, reason: 'growing' },
    { seconds: 1900, connected: true, wait: 120_000, reason: 'growing' },
    { seconds: 2700, connected: true, wait: 600_000, reason: 'full length' },
    { seconds: 864_000, connected: true, wait: 600_000, reason: 'never longer' },
  ])('is probed again in $wait ms after $seconds s ($reason)', async ({ seconds, connected, wait }) => {
    const cluster = connected ? aSettledCluster() : anUnconnectedCluster();
    const reconciled = await reconcileFailing(failingSince(now - seconds * 1000, probeable(cluster)));
    expect(reconciled.result).toBe(`requeueAfter ${wait}`);
  });

  it('is probed again even if a later pass of the invocation does not probe', async () => {
    const reconciled = await reconcileFailing(failingSince(now - 10_000), { number: 2 });
    expect([reconciled.workload.targets, reconciled.result]).toEqual([[], 'requeueAfter 20000']);
  });

  it('is lost after the configured grace period', async () => {
    const reconciled = await reconcileFailing(failingSince(now - 5_000), { settings: { remoteGracePeriodMs: 5_000 } });
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection probe failed');
  });
});

describe('without probes', () => {
  const settings = { probesRemote: false };

  it('the connection is not reported, and Available ignores it', async () => {
    const reconciled = await reconcileOnce(failingSince(now - minuteMs), { objects: both, settings });
    expect(reconciled.workload.targets).toEqual([]);
    expect(reconciled.condition('RemoteConnectionProbe')).toBeUndefined();
    expect(reconciled.condition('Available')).toBe('True/Available');
    expect(reconciled.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"annotations":{"${annotation}":null}}}`]);
    expect(reconciled.result).toBe('done');
  });

  it('a Cluster that waits for its topology does not report it either', async () => {
    const reconciled = await reconcileOnce(anUnconnectedCluster().withTopology({ class: 'cls' }), {
      objects: [new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', name: 'cls' })],
      settings,
    });
    expect(reconciled.condition('RemoteConnectionProbe')).toBeUndefined();
  });
});

describe('a workload cluster that no longer answers', () => {
  const resyncMs = 10 * minuteMs;

  /** The number of passes per day, with timers on their grid, and without the passes of the resync. */
  async function passesPerDay(days: number): Promise<readonly number[]> {
    const dues = new Set<Instant>([0]);
    const perDay = Array.from({ length: days }, () => 0);
    for (let at = 0; at < days * dayMs; at += 1000) {
      const isTimer = dues.delete(at);
      if (!isTimer && at % resyncMs !== 0) {
        continue;
      }
      const day = Math.floor(at / dayMs);
      perDay[day] = (perDay[day] ?? 0) + (at % resyncMs === 0 ? 0 : 1);
      const { report } = await reconcileFailing(failingSince(now - at));
      const delayMs = report.result.kind === 'requeueAfter' ? report.result.ms : Number.NaN;
      dues.add(toDue({ now: at, delayMs, ...(isTimer ? { latestDue: at } : {}) }));
    }
    return perDay;
  }

  it('costs a bounded number of passes per day beyond the resync', async () => {
    const [first = Number.NaN, second, third] = await passesPerDay(3);
    expect(first).toBeLessThanOrEqual(200);
    expect(Math.max(second ?? Number.NaN, third ?? Number.NaN)).toBeLessThanOrEqual(150);
  });
});
