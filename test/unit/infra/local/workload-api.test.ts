// A simulated control plane, the endpoint that plays its API server, and the probe that the Cluster makes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedControlPlane } from '../../../../infra/local/provider/simulated-control-plane.ts';
import type { SimulatedWorkload } from '../../../../infra/local/provider/simulated-workload.ts';
import { readSimulatedWorkload, toWorkloadEnvironment } from '../../../../infra/local/provider/simulated-workload.ts';
import { startWorkloadApi, type WorkloadApi } from '../../../../infra/local/workload-api.ts';
import { secretText } from '../../../../shared/api/secret.ts';
import { createSigner } from '../../../../shared/certificates/x509/lazy-signer.ts';
import { createWorkload } from '../../../../shared/kubernetes/rest/workload.ts';
import { aCluster, aControlPlane } from '../../../support/builders.ts';
import { createSimulatedWorld } from '../../../support/simulated-world.ts';

const now = Date.now();
let api: WorkloadApi;

beforeAll(async () => {
  api = await startWorkloadApi(now);
});

afterAll(() => api.stop());

function aWorld(workload: () => SimulatedWorkload | undefined = () => api.workload) {
  const world = createSimulatedWorld({
    reconciler: createSimulatedControlPlane(workload),
    object: aControlPlane(),
    cluster: aCluster().withEndpoint('api.example.com').infrastructureProvisioned(),
  });
  const secret = (suffix: string) =>
    world.api.find({ apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: `c1-${suffix}` });
  const kubeconfig = () => {
    const found = secret('kubeconfig');
    return found === undefined ? '' : secretText(found, 'value');
  };
  return { ...world, secret, kubeconfig };
}

function probe(kubeconfig: string) {
  const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig, version: '1' };
  return createWorkload({ userAgent: 'test' }).probe(target, new AbortController().signal);
}

describe('a simulated control plane', () => {
  it('makes the authority and a kubeconfig with which the probe succeeds', async () => {
    const world = aWorld();
    await world.reconcile();
    for (const suffix of ['ca', 'kubeconfig']) {
      expect(world.secret(suffix)).toMatchObject({
        type: 'cluster.x-k8s.io/secret',
        metadata: {
          labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
          ownerReferences: [{ kind: 'SimulatedControlPlane', controller: true }],
        },
      });
    }
    expect(await probe(world.kubeconfig())).toEqual({ ok: true });
  });

  it('has an authority that signs for a Cluster without control plane object, too', async () => {
    const world = aWorld();
    await world.reconcile();
    const ca = world.secret('ca') ?? world.object();
    const authority = { certificate: secretText(ca, 'tls.crt'), privateKey: secretText(ca, 'tls.key') };
    const { server } = api.workload;
    const signed = await createSigner().kubeconfig({ clusterName: 'c2', server, authority, now: Date.now() });
    expect(await probe(signed.ok ? signed.value : '')).toEqual({ ok: true });
  });

  it('writes nothing more once they are there', async () => {
    const world = aWorld();
    await world.reconcile();
    const before = [world.secret('ca'), world.secret('kubeconfig')];
    await world.reconcile();
    expect([world.secret('ca'), world.secret('kubeconfig')]).toEqual(before);
  });

  it('replaces what an earlier run left, which listened elsewhere', async () => {
    const earlier = await startWorkloadApi(now);
    await earlier.stop();
    let current = earlier.workload;
    const world = aWorld(() => current);
    await world.reconcile();
    expect(await probe(world.kubeconfig())).toMatchObject({ ok: false });
    current = api.workload;
    await world.reconcile();
    expect(await probe(world.kubeconfig())).toEqual({ ok: true });
  });

  it('is unreachable on request, and comes back', async () => {
    const world = aWorld();
    await world.annotate({ 'simulated.capi-serverless.dev/unreachable': '' });
    await world.reconcile();
    expect(await probe(world.kubeconfig())).toMatchObject({ ok: false });
    await world.annotate({ 'simulated.capi-serverless.dev/unreachable': null });
    await world.reconcile();
    expect(await probe(world.kubeconfig())).toEqual({ ok: true });
  });

  it('leaves Secrets alone that are not its own', async () => {
    const world = aWorld();
    const metadata = { name: 'c1-kubeconfig', namespace: 'ns' };
    await world.api.others.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { value: btoa('mine') } });
    await world.reconcile();
    expect(world.kubeconfig()).toBe('mine');
  });

  it('fails when it may not write them, and goes on with the rest', async () => {
    const world = aWorld();
    world.api.calls.fail({
      at: ({ verb, kind }) => verb === 'create' && kind === 'Secret',
      failure: { reason: 'Forbidden', message: 'no' },
    });
    const result = await world.reconcile();
    expect(result).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringMatching(/^Writing Secret ns\/c1-ca failed: no/) },
    });
    expect(world.condition('Available')).toBeDefined();
  });

  it('makes none where nothing plays the workload cluster, nor when it is being deleted', async () => {
    const world = aWorld(() => undefined);
    await world.reconcile();
    expect(world.secret('ca')).toBeUndefined();
  });
});

describe('the environment of the simulated provider', () => {
  it('hands over the endpoint and the authority', () => {
    expect(readSimulatedWorkload(toWorkloadEnvironment(api.workload))).toEqual(api.workload);
    expect(readSimulatedWorkload({})).toBeUndefined();
  });
});
