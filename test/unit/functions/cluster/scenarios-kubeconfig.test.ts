// Scenarios of the Cluster's behaviour: the kubeconfig Secret of Clusters without control plane object.
import { describe, expect, it } from 'vitest';
import { aMachine, type ClusterBuilder } from '../../../support/builders.ts';
import { aSignedKubeconfig } from '../../../support/fake-remote.ts';
import { timestamp } from '../../../support/object-builder.ts';
import {
  aFreshCluster,
  aSettledCluster,
  controlPlaneOk,
  endpointWrite,
  infraOk,
  infraRef,
  now,
  reconcileOnce,
  withBothRefs,
} from './cluster-pass.ts';
import { aSecret, base64, type SecretBuilder } from './secrets.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const authority = aSecret('c1-ca').holding({ 'tls.crt': 'PEM certificate', 'tls.key': 'PEM key' });

/** Returns a Secret with a kubeconfig that was signed `daysAgo` days ago and is valid for one year. */
function aGeneratedKubeconfig(daysAgo: number): SecretBuilder {
  const expiresAt = now + (365 - daysAgo) * dayMs;
  return aSecret('c1-kubeconfig')
    .ofType('cluster.x-k8s.io/secret')
    .ownedBy(aFreshCluster())
    .holding({ value: aSignedKubeconfig({ clusterName: 'c1', server: 'https://old.example:6443', expiresAt }) });
}

/** Returns a Cluster that references infrastructure and no control plane object. */
function standAlone(cluster: ClusterBuilder = aSettledCluster()): ClusterBuilder {
  return cluster.withInfrastructureRef(infraRef);
}

describe('the kubeconfig of a Cluster without control plane object', () => {
  it('is created once there are an endpoint and an authority', async () => {
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), authority] });
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
    expect(reconciled.writes).toEqual([endpointWrite, `create Secret ns/c1-kubeconfig ${JSON.stringify(secret)}`]);
    expect(reconciled.signer.requests).toEqual([
      {
        clusterName: 'c1',
        server: 'https://h.example:6443',
        authority: { certificate: 'PEM certificate', privateKey: 'PEM key' },
        now,
      },
    ]);
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(reconciled.condition('InfrastructureReady')).toBe('True/Ready');
    // In upstream, the connection loop sends the probe later. Here a timer enqueues the Cluster.
    expect(reconciled.result).toBe('requeueAfter 1000');
  });

  it('is created without a timer where probes are off', async () => {
    const reconciled = await reconcileOnce(standAlone(), {
      objects: [infraOk(), authority],
      settings: { probesRemote: false },
    });
    expect(reconciled.result).toBe('done');
    expect(reconciled.condition('RemoteConnectionProbe')).toBeUndefined();
    expect(reconciled.writes).toHaveLength(2);
  });

  it('is not written if it exists, regardless of its content', async () => {
    const arbitrary = aSecret('c1-kubeconfig').holding({ value: '\u0000arbitrary' });
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), authority, arbitrary] });
    expect(reconciled.writes).toEqual([endpointWrite]);
    expect(reconciled.signer.requests).toEqual([]);
    expect(reconciled.condition('RemoteConnectionProbe')).toBe('True/ProbeSucceeded');
    expect(reconciled.result).toBe('done');
  });

  it('an authority that cannot sign is an error', async () => {
    const broken = aSecret('c1-ca').holding({ 'tls.crt': 'PEM certificate', 'tls.key': 'nope' });
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), broken] });
    expect(reconciled.result).toBe('failed to decode private key: unable to decode PEM data');
    expect(reconciled.writes).toEqual([endpointWrite]);
    expect(reconciled.condition('InfrastructureReady')).toBe('True/Ready');
    expect(reconciled.status['observedGeneration']).toBeUndefined();
  });

  it('has an IPv6 endpoint in brackets', async () => {
    const reconciled = await reconcileOnce(standAlone().withEndpoint('::1', 6443), { objects: [infraOk(), authority] });
    expect(reconciled.signer.requests[0]?.server).toBe('https://[::1]:6443');
  });

  it('is not created for a Cluster whose infrastructure could not be marked as its own', async () => {
    const infra = infraOk().build();
    const { ownerReferences: _, ...metadata } = infra.metadata;
    const reconciled = await reconcileOnce(standAlone(), {
      objects: [{ ...infra, metadata }, authority],
      failures: { 'own:infrastructure': { message: 'no' } },
    });
    expect(reconciled.writes.filter(line => !line.startsWith('patch FooCluster'))).toEqual([]);
  });

  it.each([
    { at: 'get Secret ns/c1-kubeconfig', what: 'Kubeconfig Secret' },
    { at: 'get Secret ns/c1-ca', what: 'CA Secret' },
  ])('is an error when the $what cannot be read', async ({ at, what }) => {
    const reconciled = await reconcileOnce(standAlone(), {
      objects: [infraOk()],
      readFaults: [{ at, message: 'boom' }],
    });
    expect(reconciled.result).toBe(`failed to retrieve ${what} for Cluster "c1" in namespace "ns": boom`);
  });

  it('is an error when it cannot be written', async () => {
    const reconciled = await reconcileOnce(standAlone(), {
      objects: [infraOk(), authority],
      failures: { kubeconfig: { message: 'no' } },
    });
    expect(reconciled.result).toBe('failed to write Kubeconfig Secret for Cluster "c1" in namespace "ns": no');
    expect(reconciled.report.events.map(({ message }) => message).join()).not.toContain('signed');
  });

  it('counts as created if another writer created it concurrently', async () => {
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), authority] });
    const create = reconciled.actions.find(({ id }) => id === 'kubeconfig');
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
    const reconciled = await reconcileOnce(standAlone().createdAt(now - row.ageMinutes * minuteMs), {
      objects: [infraOk()],
    });
    expect([reconciled.result, reconciled.writes]).toEqual([`requeueAfter ${row.gap}`, [endpointWrite]]);
  });

  it.each([
    { machineAge: 0, infrastructure: undefined, gap: 1_000, reason: 'a new Machine' },
    { machineAge: 19, infrastructure: undefined, gap: 1_000, reason: 'a young Machine' },
    { machineAge: 20, infrastructure: undefined, gap: 5_000, reason: 'no authority for 20 s' },
    { machineAge: 120, infrastructure: undefined, gap: 15_000, reason: 'no authority for two minutes' },
    { machineAge: 600, infrastructure: undefined, gap: 30_000, reason: 'no authority for ten minutes' },
    { machineAge: 600, infrastructure: 10, gap: 1_000, reason: 'infrastructure that became ready' },
    { machineAge: 10, infrastructure: 600, gap: 1_000, reason: 'infrastructure that was ready before' },
    { machineAge: 600, infrastructure: -29, gap: 1_000, reason: 'a clock of a provider that is ahead' },
    { machineAge: 600, infrastructure: -31, gap: 30_000, reason: 'a time too far ahead, which is ignored' },
  ])('is awaited for $gap ms after the first control plane Machine ($reason)', async row => {
    const at = row.infrastructure === undefined ? undefined : timestamp(now - row.infrastructure * 1000);
    const cluster = standAlone().createdAt(now - 60 * minuteMs);
    const ready = at === undefined ? cluster : cluster.withCondition('InfrastructureReady', { lastTransitionTime: at });
    const machines = [row.machineAge, 0].map((age, index) =>
      aMachine()
        .named(`m${index}`)
        .controlPlane()
        .createdAt(now - age * 1000),
    );
    const reconciled = await reconcileOnce(ready, { objects: [infraOk(), ...machines] });
    expect(reconciled.result).toBe(`requeueAfter ${row.gap}`);
  });

  it('is awaited for the shortest time where the Cluster has no readable creation time', async () => {
    const reconciled = await reconcileOnce(standAlone().createdAtText('yesterday'), { objects: [infraOk()] });
    expect([reconciled.result, reconciled.writes]).toEqual(['requeueAfter 30000', [endpointWrite]]);
  });

  it('is not created for a Cluster that is being deleted', async () => {
    const reconciled = await reconcileOnce(standAlone().deleting().withEndpoint('h.example'), {
      objects: [infraOk(), authority],
    });
    expect(reconciled.ask.trips.flat().filter(line => line.includes('Secret'))).toEqual([]);
    expect(reconciled.writes).toEqual(['delete FooCluster ns/i1']);
  });
});

describe('the content of Secrets', () => {
  const canary = 'canary-77b1';

  it.each([
    { key: `PEM ${canary}`, failures: {}, reason: 'a kubeconfig is signed' },
    { key: `PEM ${canary}`, failures: { kubeconfig: { message: 'no' } }, reason: 'the Secret is refused' },
    { key: canary, failures: {}, reason: 'the key is broken' },
  ])('reaches neither status, events nor errors: $reason', async ({ key, failures }) => {
    const ca = aSecret('c1-ca').holding({ 'tls.crt': `PEM ${canary}`, 'tls.key': key });
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), ca], failures });
    expect(reconciled.signer.requests).toHaveLength(1);
    const { status, events } = reconciled.report;
    expect(JSON.stringify([status, events, reconciled.result])).not.toContain(canary);
  });
});

describe('renewing the kubeconfig', () => {
  const connected = () => standAlone().withEndpoint('h.example').infrastructureProvisioned();

  it('happens when it expires within half a year, for the server that it names', async () => {
    const reconciled = await reconcileOnce(connected(), { objects: [infraOk(), authority, aGeneratedKubeconfig(183)] });
    const value = base64(`signed c1 https://old.example:6443 ${now + 365 * dayMs}`);
    expect(reconciled.writes).toEqual([`patch Secret ns/c1-kubeconfig {"data":{"value":"${value}"}}`]);
    expect(reconciled.actions.find(({ id }) => id === 'kubeconfig')).toMatchObject({ resourceVersion: '11' });
  });

  it.each([
    { secret: aGeneratedKubeconfig(182), reason: 'it expires in half a year' },
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
    const reconciled = await reconcileOnce(connected(), { objects: [infraOk(), authority, secret] });
    expect([reconciled.result, reconciled.writes, reconciled.signer.requests]).toEqual(['done', [], []]);
  });

  it('waits without an error for a removed authority', async () => {
    const reconciled = await reconcileOnce(connected(), { objects: [infraOk(), aGeneratedKubeconfig(300)] });
    expect([reconciled.result, reconciled.writes]).toEqual(['done', []]);
  });

  it('fails with an authority that cannot sign', async () => {
    const broken = aSecret('c1-ca').holding({ 'tls.crt': 'nope' });
    const reconciled = await reconcileOnce(connected(), { objects: [infraOk(), broken, aGeneratedKubeconfig(300)] });
    expect(reconciled.result).toBe('failed to decode CA Cert: unable to decode PEM data');
  });

  it('does not happen where there is a control plane object', async () => {
    const cluster = withBothRefs(aSettledCluster()).withEndpoint('h.example').infrastructureProvisioned();
    const reconciled = await reconcileOnce(cluster, {
      objects: [infraOk(), controlPlaneOk(), authority, aGeneratedKubeconfig(300)],
    });
    expect([reconciled.writes, reconciled.signer.requests]).toEqual([[], []]);
  });
});
