// Scenarios of the Cluster's behaviour: the kubeconfig Secret, and the connection to the workload cluster.
import { describe, expect, it } from 'vitest';
import type { Instant } from '../../../../shared/api/object.ts';
import { toDue } from '../../../../shared/workqueue/timer-grid.ts';
import type { ClusterBuilder } from '../../../support/builders.ts';
import { aSignedKubeconfig, fakeWorkload, probeFailed } from '../../../support/fake-remote.ts';
import { ObjectBuilder, timestamp } from '../../../support/object-builder.ts';
import {
  aFreshCluster,
  anUnconnectedCluster,
  aSettledCluster,
  controlPlaneOk,
  endpointWrite,
  infraOk,
  infraRef,
  now,
  reconcileOnce,
  type World,
  withBothRefs,
} from './world.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

class SecretBuilder extends ObjectBuilder {
  holding(texts: Readonly<Record<string, string>>): this {
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)]));
    return this.with({ data });
  }

  ofType(type: string): this {
    return this.with({ type });
  }
}

function aSecret(name: string): SecretBuilder {
  return new SecretBuilder({ apiVersion: 'v1', kind: 'Secret', name }).atResourceVersion('11');
}

const authority = aSecret('c1-ca').holding({ 'tls.crt': 'PEM certificate', 'tls.key': 'PEM key' });

/** As it was made `daysAgo`, for a year. */
function aGeneratedKubeconfig(daysAgo: number): SecretBuilder {
  const expiresAt = now + (365 - daysAgo) * dayMs;
  return aSecret('c1-kubeconfig')
    .ofType('cluster.x-k8s.io/secret')
    .ownedBy(aFreshCluster())
    .holding({ value: aSignedKubeconfig({ clusterName: 'c1', server: 'https://old.example:6443', expiresAt }) });
}

/** Names infrastructure and no control plane object. */
function standAlone(cluster: ClusterBuilder = aSettledCluster()): ClusterBuilder {
  return cluster.withInfrastructureRef(infraRef);
}

describe('the kubeconfig of a Cluster without control plane object', () => {
  it('scenario 17: is made once there are an endpoint and an authority', async () => {
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), authority] });
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'c1-kubeconfig',
        namespace: 'ns',
        labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
        ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'uid-1' }],
      },
      type: 'cluster.x-k8s.io/secret',
      data: { value: base64(`signed c1 https://h.example:6443 ${now + 365 * dayMs}`) },
    };
    expect(told.writes).toEqual([endpointWrite, `create Secret ns/c1-kubeconfig ${JSON.stringify(secret)}`]);
    expect(told.signer.requests).toEqual([
      {
        clusterName: 'c1',
        server: 'https://h.example:6443',
        authority: { certificate: 'PEM certificate', privateKey: 'PEM key' },
        now,
      },
    ]);
    expect(told.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(told.condition('InfrastructureReady')).toBe('True/Ready');
    // Upstream's own connection loop would look after a while; here the Cluster is woken for it.
    expect(told.result).toBe('requeueAfter 10000');
  });

  it('scenario 17: without probes nothing is left to be looked at', async () => {
    const told = await reconcileOnce(standAlone(), {
      objects: [infraOk(), authority],
      settings: { probesRemote: false },
    });
    expect(told.result).toBe('done');
    expect(told.condition('RemoteConnectionProbe')).toBeUndefined();
    expect(told.writes).toHaveLength(2);
  });

  it('scenario 18: is left alone when there is one, whatever it holds', async () => {
    const arbitrary = aSecret('c1-kubeconfig').holding({ value: '\u0000arbitrary' });
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), authority, arbitrary] });
    expect(told.writes).toEqual([endpointWrite]);
    expect(told.signer.requests).toEqual([]);
    expect(told.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(told.result).toBe('done');
  });

  it('scenario 19: an authority that cannot sign is an error', async () => {
    const broken = aSecret('c1-ca').holding({ 'tls.crt': 'PEM certificate', 'tls.key': 'nope' });
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), broken] });
    expect(told.result).toBe('failed to decode private key: unable to decode PEM data');
    expect(told.writes).toEqual([endpointWrite]);
    expect(told.condition('InfrastructureReady')).toBe('True/Ready');
    expect(told.status['observedGeneration']).toBeUndefined();
  });

  it('leads to an IPv6 endpoint in brackets', async () => {
    const told = await reconcileOnce(standAlone().withEndpoint('::1', 6443), { objects: [infraOk(), authority] });
    expect(told.signer.requests[0]?.server).toBe('https://[::1]:6443');
  });

  it('is not made for a Cluster whose infrastructure could not be marked as its own', async () => {
    const infra = infraOk().build();
    const { ownerReferences: _, ...metadata } = infra.metadata;
    const told = await reconcileOnce(standAlone(), {
      objects: [{ ...infra, metadata }, authority],
      failures: { 'own:infrastructure': { message: 'no' } },
    });
    expect(told.writes.filter(line => !line.startsWith('patch FooCluster'))).toEqual([]);
  });

  it.each([
    { at: 'get Secret ns/c1-kubeconfig', what: 'Kubeconfig Secret' },
    { at: 'get Secret ns/c1-ca', what: 'CA Secret' },
  ])('is an error when the $what cannot be read', async ({ at, what }) => {
    const told = await reconcileOnce(standAlone(), { objects: [infraOk()], readFaults: [{ at, message: 'boom' }] });
    expect(told.result).toBe(`failed to retrieve ${what} for Cluster "c1" in namespace "ns": boom`);
  });

  it('is an error when it cannot be written', async () => {
    const told = await reconcileOnce(standAlone(), {
      objects: [infraOk(), authority],
      failures: { kubeconfig: { message: 'no' } },
    });
    expect(told.result).toBe('failed to write Kubeconfig Secret for Cluster "c1" in namespace "ns": no');
    expect(told.report.events.map(({ message }) => message).join()).not.toContain('signed');
  });

  it('that somebody else made meanwhile counts as made', async () => {
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), authority] });
    const create = told.actions.find(({ id }) => id === 'kubeconfig');
    expect(create?.do === 'create' && create.ours(aSecret('c1-kubeconfig').build())).toBe(true);
  });

  it.each([
    { ageMinutes: 1, gap: 30_000, reason: 'a young Cluster' },
    { ageMinutes: 29, gap: 30_000, reason: 'still young' },
    { ageMinutes: 30, gap: 60_000, reason: 'half an hour old' },
    { ageMinutes: 31, gap: 120_000, reason: 'doubling' },
    { ageMinutes: 33, gap: 240_000, reason: 'doubling' },
    { ageMinutes: 37, gap: 480_000, reason: 'doubling' },
    { ageMinutes: 45, gap: 600_000, reason: 'never longer than the resync period' },
    { ageMinutes: 6000, gap: 600_000, reason: 'never longer than the resync period' },
  ])('is awaited for $gap ms while there is no authority, $ageMinutes min after creation ($reason)', async row => {
    const told = await reconcileOnce(standAlone().createdAt(now - row.ageMinutes * minuteMs), { objects: [infraOk()] });
    expect([told.result, told.writes]).toEqual([`requeueAfter ${row.gap}`, [endpointWrite]]);
  });

  it('is no business of a Cluster that is being deleted', async () => {
    const told = await reconcileOnce(standAlone().deleting().withEndpoint('h.example'), {
      objects: [infraOk(), authority],
    });
    expect(told.ask.trips.flat().filter(line => line.includes('Secret'))).toEqual([]);
    expect(told.writes).toEqual(['delete FooCluster ns/i1']);
  });
});

describe('what Secrets hold', () => {
  const canary = 'canary-77b1';

  it.each([
    { key: `PEM ${canary}`, failures: {}, reason: 'a kubeconfig is made' },
    { key: `PEM ${canary}`, failures: { kubeconfig: { message: 'no' } }, reason: 'the Secret is refused' },
    { key: canary, failures: {}, reason: 'the key is broken' },
  ])('reaches neither status, events nor errors: $reason', async ({ key, failures }) => {
    const ca = aSecret('c1-ca').holding({ 'tls.crt': `PEM ${canary}`, 'tls.key': key });
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), ca], failures });
    expect(told.signer.requests).toHaveLength(1);
    const { status, events } = told.report;
    expect(JSON.stringify([status, events, told.result])).not.toContain(canary);
  });
});

describe('renewing the kubeconfig', () => {
  const connected = () => standAlone().withEndpoint('h.example').infrastructureProvisioned();

  it('happens when less than half a year is left, for the server that it names', async () => {
    const told = await reconcileOnce(connected(), { objects: [infraOk(), authority, aGeneratedKubeconfig(183)] });
    const value = base64(`signed c1 https://old.example:6443 ${now + 365 * dayMs}`);
    expect(told.writes).toEqual([`patch Secret ns/c1-kubeconfig {"data":{"value":"${value}"}}`]);
    expect(told.actions.find(({ id }) => id === 'kubeconfig')).toMatchObject({ resourceVersion: '11' });
  });

  it.each([
    { secret: aGeneratedKubeconfig(182), reason: 'half a year is left' },
    { secret: aGeneratedKubeconfig(300).ofType('Opaque'), reason: 'another type: the user’s own' },
    {
      secret: aSecret('c1-kubeconfig')
        .ofType('cluster.x-k8s.io/secret')
        .holding({
          value: aSignedKubeconfig({ clusterName: 'c1', server: 'https://h', expiresAt: now }),
        }),
      reason: 'no owner: the user’s own',
    },
    {
      secret: aGeneratedKubeconfig(300).holding({
        value: aSignedKubeconfig({ clusterName: 'c2', server: 'https://h', expiresAt: now }),
      }),
      reason: 'of another Cluster',
    },
    { secret: aGeneratedKubeconfig(300).holding({ value: 'mine' }), reason: 'content of the user’s own' },
  ])('does not happen: $reason', async ({ secret }) => {
    const told = await reconcileOnce(connected(), { objects: [infraOk(), authority, secret] });
    expect([told.result, told.writes, told.signer.requests]).toEqual(['done', [], []]);
  });

  it('waits in silence for an authority that was taken away', async () => {
    const told = await reconcileOnce(connected(), { objects: [infraOk(), aGeneratedKubeconfig(300)] });
    expect([told.result, told.writes]).toEqual(['done', []]);
  });

  it('fails with an authority that cannot sign', async () => {
    const broken = aSecret('c1-ca').holding({ 'tls.crt': 'nope' });
    const told = await reconcileOnce(connected(), { objects: [infraOk(), broken, aGeneratedKubeconfig(300)] });
    expect(told.result).toBe('failed to decode CA Cert: unable to decode PEM data');
  });

  it('is left to the control plane provider where there is a control plane object', async () => {
    const cluster = withBothRefs(aSettledCluster()).withEndpoint('h.example').infrastructureProvisioned();
    const told = await reconcileOnce(cluster, {
      objects: [infraOk(), controlPlaneOk(), authority, aGeneratedKubeconfig(300)],
    });
    expect([told.writes, told.signer.requests]).toEqual([[], []]);
  });
});

const annotation = 'capi-serverless.dev/probe-failing-since';
const kubeconfig = aSecret('c1-kubeconfig').holding({ value: 'a kubeconfig' });
const both = [infraOk(), controlPlaneOk(), kubeconfig];

/** Provisioned, with an endpoint and a kubeconfig: it can be probed. */
function probeable(cluster: ClusterBuilder = aSettledCluster()): ClusterBuilder {
  return withBothRefs(cluster).withEndpoint('h.example').infrastructureProvisioned();
}

function failingSince(instant: Instant, cluster: ClusterBuilder = probeable()): ClusterBuilder {
  return cluster.annotated({ [annotation]: timestamp(instant) });
}

function reconcileFailing(cluster: ClusterBuilder, world: World & { readonly lastSuccessAt?: Instant } = {}) {
  const { lastSuccessAt, ...rest } = world;
  return reconcileOnce(cluster, { objects: both, workload: fakeWorkload(probeFailed(lastSuccessAt)), ...rest });
}

const failed = { status: 'False', reason: 'ProbeFailed', observedGeneration: 2 } as const;

describe('the connection to the workload cluster', () => {
  it('is probed with the Cluster’s kubeconfig', async () => {
    const told = await reconcileOnce(probeable(anUnconnectedCluster()), { objects: both });
    expect(told.workload.targets).toEqual([
      { cluster: 'uid-1', origin: 'in Secret ns/c1-kubeconfig', kubeconfig: 'a kubeconfig', version: '11' },
    ]);
    expect(told.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(told.condition('Available')).toBe('True/Available');
    expect([told.result, told.writes]).toEqual(['done', []]);
  });

  it.each([
    { cluster: probeable().deleting(), world: {}, reason: 'it is being deleted' },
    { cluster: probeable(), world: { number: 2 }, reason: 'a later pass of the same invocation' },
    { cluster: probeable(), world: { objects: [infraOk(), controlPlaneOk()] }, reason: 'there is no kubeconfig' },
    { cluster: withBothRefs(aSettledCluster()).infrastructureProvisioned(), world: {}, reason: 'it has no endpoint' },
    { cluster: withBothRefs(aSettledCluster()).withEndpoint('h'), world: {}, reason: 'it is not provisioned' },
  ])('is not probed: $reason', async ({ cluster, world }) => {
    const told = await reconcileOnce(cluster.withCondition('RemoteConnectionProbe', { observedGeneration: 2 }), {
      objects: both,
      ...world,
    });
    expect(told.workload.targets).toEqual([]);
    expect(told.generationOf('RemoteConnectionProbe')).toBe(2);
    expect(told.condition('RemoteConnectionProbe')).toBe('True/RemoteConnectionProbe');
  });

  it('is not established before the first success', async () => {
    const told = await reconcileFailing(probeable(anUnconnectedCluster()));
    expect(told.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection not established yet');
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * RemoteConnectionProbe: Remote connection not established yet',
    );
  });

  it('keeps the time of the first failure, and looks again soon', async () => {
    const told = await reconcileFailing(probeable());
    expect(told.writes).toEqual([
      `patch Cluster ns/c1 {"metadata":{"annotations":{"${annotation}":"2026-01-01T01:00:00Z"}}}`,
    ]);
    expect(told.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(told.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(told.result).toBe('requeueAfter 10000');
  });

  it('looks again at the soonest of several wishes', async () => {
    const told = await reconcileFailing(probeable(), { objects: [infraOk(), kubeconfig] });
    expect(told.condition('ControlPlaneAvailable')).toContain('FooControlPlane does not exist');
    expect(told.result).toBe('requeueAfter 10000');
  });

  it('is given up sooner where this process knows of a success that no condition tells of', async () => {
    const cluster = failingSince(now - minuteMs, probeable(anUnconnectedCluster()));
    const told = await reconcileFailing(cluster, { lastSuccessAt: now - 2 * minuteMs });
    expect(told.condition('RemoteConnectionProbe')).toBe(
      'False/ProbeFailed Remote connection probe failed, probe last succeeded at 2026-01-01T00:58:00Z',
    );
  });

  it('forgets that time with the recovery', async () => {
    const told = await reconcileOnce(failingSince(now - 2 * minuteMs), { objects: both });
    expect(told.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"annotations":{"${annotation}":null}}}`]);
    expect([told.result, told.condition('RemoteConnectionProbe')]).toEqual(['done', 'True/ProbeSucceeded']);
  });

  it('replaces a time that cannot be read', async () => {
    const told = await reconcileFailing(probeable().annotated({ [annotation]: 'yesterday' }));
    expect(told.writes).toHaveLength(1);
    expect(told.result).toBe('requeueAfter 10000');
  });

  it('is an error when the time cannot be kept', async () => {
    const told = await reconcileFailing(probeable(), { failures: { 'probe:failing-since': { message: 'no' } } });
    expect(told.result).toBe('failed to patch Cluster ns/c1: failed to patch spec and metadata: no');
  });

  it('scenario 35: is lost after the grace period, and tells when it last worked', async () => {
    const told = await reconcileFailing(failingSince(now - 50_000), { lastSuccessAt: now - 60_000 });
    const message = `Remote connection probe failed, probe last succeeded at ${timestamp(now - 60_000)}`;
    expect(told.condition('RemoteConnectionProbe')).toBe(`False/ProbeFailed ${message}`);
    expect(told.condition('Available')).toBe(`False/NotAvailable * RemoteConnectionProbe: ${message}`);
    expect([told.result, told.writes]).toEqual(['requeueAfter 30000', []]);
  });

  it('scenario 36: is given up after the fifth failure where it never worked', async () => {
    const told = await reconcileFailing(failingSince(now - 120_000, probeable(anUnconnectedCluster())));
    expect(told.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection probe failed');
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * RemoteConnectionProbe: Remote connection probe failed',
    );
    expect([told.result, told.writes]).toEqual(['requeueAfter 30000', []]);
  });

  it('scenario 37: says what it said while nothing is known yet', async () => {
    const told = await reconcileFailing(
      failingSince(now - 49_000).withCondition('RemoteConnectionProbe', { observedGeneration: 2 }),
    );
    expect(told.condition('RemoteConnectionProbe')).toBe('True/RemoteConnectionProbe');
    expect(told.generationOf('RemoteConnectionProbe')).toBe(2);
    expect([told.result, told.writes]).toEqual(['requeueAfter 1000', []]);
  });

  it('is forgiven a short interruption, at the current generation, where the last success is known', async () => {
    const told = await reconcileFailing(
      failingSince(now - 20_000)
        .withCondition('RemoteConnectionProbe', { reason: 'ProbeSucceeded' })
        .atGeneration(4),
      { lastSuccessAt: now - 30_000 },
    );
    expect(told.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(told.generationOf('RemoteConnectionProbe')).toBe(4);
  });

  it.each([
    { message: 'Remote connection probe failed', reason: 'whoever said so did not know' },
    {
      message: 'Remote connection probe failed, probe last succeeded at 2025-12-31T00:00:00Z',
      reason: 'another process knew',
    },
  ])('sticks to "$message" as long as it lasts ($reason)', async ({ message }) => {
    const lost = failingSince(now - 5 * minuteMs).withCondition('RemoteConnectionProbe', { ...failed, message });
    const told = await reconcileFailing(lost, { lastSuccessAt: now - 6 * minuteMs });
    expect(told.condition('RemoteConnectionProbe')).toBe(`False/ProbeFailed ${message}`);
    expect(told.generationOf('RemoteConnectionProbe')).toBe(3);
  });

  it('stays lost without the annotation, as upstream leaves it, since its condition says so', async () => {
    const message = 'Remote connection probe failed';
    const lastTransitionTime = timestamp(now - 31 * minuteMs);
    const lost = probeable().withCondition('RemoteConnectionProbe', { ...failed, message, lastTransitionTime });
    const told = await reconcileFailing(lost, { lastSuccessAt: now - minuteMs });
    expect(told.condition('RemoteConnectionProbe')).toBe(`False/ProbeFailed ${message}`);
    expect([told.writes, told.result]).toEqual([[], 'requeueAfter 120000']);
  });

  it('counts as failing when its kubeconfig cannot be read', async () => {
    const told = await reconcileFailing(probeable(), {
      readFaults: [{ at: 'get Secret ns/c1-kubeconfig', message: 'boom' }],
    });
    expect(told.workload.targets).toEqual([]);
    expect(told.result).toBe('requeueAfter 10000');
  });

  it.each([
    { seconds: 0, connected: true, wait: 10_000, reason: 'just failed' },
    { seconds: 10, connected: true, wait: 20_000, reason: 'the second look' },
    { seconds: 30, connected: true, wait: 20_000, reason: 'the flip' },
    { seconds: 50, connected: true, wait: 30_000, reason: 'after the flip' },
    { seconds: 30, connected: false, wait: 30_000, reason: 'never connected: gaps of 30 s' },
    { seconds: 100, connected: false, wait: 20_000, reason: 'never connected: the flip after 2 min' },
    { seconds: 1799, connected: true, wait: 30_000, reason: 'the last of half an hour' },
    { seconds: 1800, connected: true, wait: 60_000, reason: 'growing' },
    { seconds: 1900, connected: true, wait: 120_000, reason: 'growing' },
    { seconds: 2700, connected: true, wait: 600_000, reason: 'full length' },
    { seconds: 864_000, connected: true, wait: 600_000, reason: 'never longer' },
  ])('is looked at again in $wait ms after $seconds s ($reason)', async ({ seconds, connected, wait }) => {
    const cluster = connected ? aSettledCluster() : anUnconnectedCluster();
    const told = await reconcileFailing(failingSince(now - seconds * 1000, probeable(cluster)));
    expect(told.result).toBe(`requeueAfter ${wait}`);
  });

  it('is looked at again even if a later pass of the invocation does not probe', async () => {
    const told = await reconcileFailing(failingSince(now - 10_000), { number: 2 });
    expect([told.workload.targets, told.result]).toEqual([[], 'requeueAfter 20000']);
  });

  it('is lost after another grace period where that is set', async () => {
    const told = await reconcileFailing(failingSince(now - 5_000), { settings: { remoteGracePeriodMs: 5_000 } });
    expect(told.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection probe failed');
  });
});

describe('without probes', () => {
  const settings = { probesRemote: false };

  it('nothing is told of the connection, and Available does without', async () => {
    const told = await reconcileOnce(failingSince(now - minuteMs), { objects: both, settings });
    expect(told.workload.targets).toEqual([]);
    expect(told.condition('RemoteConnectionProbe')).toBeUndefined();
    expect(told.condition('Available')).toBe('True/Available');
    expect(told.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"annotations":{"${annotation}":null}}}`]);
    expect(told.result).toBe('done');
  });

  it('a Cluster that waits for its topology tells nothing either', async () => {
    const told = await reconcileOnce(anUnconnectedCluster().withTopology({ class: 'cls' }), {
      objects: [new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', name: 'cls' })],
      settings,
    });
    expect(told.condition('RemoteConnectionProbe')).toBeUndefined();
  });
});

describe('a workload cluster that stays dead', () => {
  const resyncMs = 10 * minuteMs;

  /** Passes per day, with the timers as they fall on their grid, and without those that the resync would make anyway. */
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

  it('costs a bounded number of passes a day besides the resync', async () => {
    const [first = Number.NaN, second, third] = await passesPerDay(3);
    expect(first).toBeLessThanOrEqual(200);
    expect(Math.max(second ?? Number.NaN, third ?? Number.NaN)).toBeLessThanOrEqual(150);
  });
});
