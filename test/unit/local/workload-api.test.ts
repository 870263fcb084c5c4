// A simulated control plane, the endpoint that simulates its API server, and the probe of the Cluster.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionsIn } from '../../../local/provider/machines/counts.ts';
import { toInstances } from '../../../local/provider/machines/pool.ts';
import { textAt } from '../../../local/provider/machines/read.ts';
import { createSimulatedControlPlane } from '../../../local/provider/simulated-control-plane.ts';
import {
  readSimulatedWorkload,
  type SimulatedWorkload,
  serverOf,
  toWorkloadEnvironment,
} from '../../../local/provider/simulated-workload.ts';
import { type LocalWorkloadApi, startWorkloadApi } from '../../../local/workload-api.ts';
import type { Unstructured } from '../../../packages/apimachinery/object.ts';
import { secretText } from '../../../shared/api/secret.ts';
import { createSigner } from '../../../shared/certificates/x509/lazy-signer.ts';
import { readInlineKubeconfig } from '../../../shared/kubernetes/credentials/kubeconfig.ts';
import { Connection } from '../../../shared/kubernetes/rest/connection.ts';
import { createWorkload } from '../../../shared/kubernetes/rest/workload.ts';
import { createWorkloadNodes } from '../../../shared/kubernetes/rest/workload-nodes.ts';
import { aCluster, aControlPlane, aMachine, aMachinePool } from '../../support/builders.ts';
import { fakeReads } from '../../support/fake-reads.ts';
import { createSimulatedWorld } from '../../support/simulated-world.ts';

const now = Date.now();
let api: LocalWorkloadApi;

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
  // A busy machine may need longer than the timeout of a deployment.
  return createWorkload({ userAgent: 'test', addresses: 'any', timeoutMs: 60_000 }).probe(
    target,
    new AbortController().signal,
  );
}

describe('a simulated control plane', () => {
  it('creates the authority and a kubeconfig with which the probe succeeds', async () => {
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

  it('replaces the kubeconfig of an earlier run, which listened elsewhere', async () => {
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

  it('is unreachable on request, and recovers', async () => {
    const world = aWorld();
    await world.annotate({ 'simulated.capi-serverless.dev/unreachable': '' });
    await world.reconcile();
    expect(await probe(world.kubeconfig())).toMatchObject({ ok: false });
    await world.annotate({ 'simulated.capi-serverless.dev/unreachable': null });
    await world.reconcile();
    expect(await probe(world.kubeconfig())).toEqual({ ok: true });
  });

  it('does not change Secrets of others', async () => {
    const world = aWorld();
    const metadata = { name: 'c1-kubeconfig', namespace: 'ns' };
    await world.api.others.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { value: btoa('mine') } });
    await world.reconcile();
    expect(world.kubeconfig()).toBe('mine');
  });

  it('fails when it may not write them, and continues with the rest', async () => {
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

  it('creates none without a simulated workload cluster or while it is being deleted', async () => {
    const world = aWorld(() => undefined);
    await world.reconcile();
    expect(world.secret('ca')).toBeUndefined();
  });
});

describe('the environment of the simulated provider', () => {
  it('passes the endpoint and the authority', () => {
    expect(readSimulatedWorkload(toWorkloadEnvironment(api.workload))).toEqual(api.workload);
    expect(readSimulatedWorkload({})).toBeUndefined();
  });
});

describe('the API server of a simulated cluster', () => {
  const machine = aMachine()
    .ofCluster('c1')
    .controlPlane()
    .withNode('m1')
    .withStatus({ nodeInfo: { kubeletVersion: 'v1.35.0' } })
    .withCondition('NodeReady');
  const pool = aMachinePool()
    .named('mp1')
    .withStatus({
      versions: [
        { version: 'v1.34.0', replicas: 1 },
        { version: 'v1.35.0', replicas: 2 },
      ],
    });
  let server: LocalWorkloadApi;

  async function ask(path: string) {
    const { authority } = server.workload;
    const base = serverOf(server.workload, { namespace: 'ns', name: 'c1' });
    const signed = await createSigner().kubeconfig({ clusterName: 'c1', server: base, authority, now });
    const { endpoint } = await readInlineKubeconfig('test', signed.ok ? signed.value : '');
    const connection = new Connection(endpoint, {
      connectTimeoutMs: 5000,
      requestTimeoutMs: 5000,
      maxAnswerBytes: 1e6,
      maxSockets: 1,
    });
    const signal = new AbortController().signal;
    const exchange = await connection.exchange({ method: 'GET', path, headers: {}, signal });
    connection.dropIdleSockets();
    return 'lost' in exchange
      ? { status: 0, body: exchange.lost.message }
      : { status: exchange.answer.status, body: JSON.parse(exchange.answer.text) as unknown };
  }

  beforeAll(async () => {
    server = await startWorkloadApi(
      now,
      fakeReads([machine, pool, aMachine().named('m2').ofCluster('c2').withNode('m2')]),
    );
  });

  afterAll(() => server.stop());

  it('shows the Node of each Machine, and those of MachinePools, with the version that each runs', async () => {
    const { body } = await ask('/api/v1/nodes');
    const { items } = body as { readonly items: readonly Unstructured[] };
    const versions = items.map(
      node => `${node.metadata.name.split('-')[0]} ${textAt(node, 'status.nodeInfo.kubeletVersion')}`,
    );
    expect(versions.toSorted()).toEqual(['m1 v1.35.0', 'mp1 v1.34.0', 'mp1 v1.35.0', 'mp1 v1.35.0']);
  });

  it('answers for one Node, by the name in the status of a Machine', async () => {
    expect(await ask('/api/v1/nodes/m1')).toMatchObject({
      status: 200,
      body: {
        kind: 'Node',
        metadata: { name: 'm1', labels: { 'node-role.kubernetes.io/control-plane': '' } },
        status: { nodeInfo: { kubeletVersion: 'v1.35.0' }, conditions: [{ type: 'Ready', status: 'True' }] },
      },
    });
  });

  it('reports the version of the Nodes of MachinePools', async () => {
    const { authority } = server.workload;
    const base = serverOf(server.workload, { namespace: 'ns', name: 'c1' });
    const signed = await createSigner().kubeconfig({ clusterName: 'c1', server: base, authority, now });
    const kubeconfig = signed.ok ? signed.value : '';
    const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig, version: '1' };
    const names = toInstances(pool.build().metadata, versionsIn(pool.build())).map(({ name }) => name);
    const nodes = createWorkloadNodes({ userAgent: 'test', addresses: 'any' });
    const versions = await nodes.kubeletVersions(target, names, new AbortController().signal);
    expect(names.map(name => versions.get(name))).toEqual(
      ['v1.35.0', 'v1.35.0', 'v1.34.0'].map(value => ({ ok: true, value })),
    );
  });

  it.each([
    { path: '/api/v1/nodes/m2', status: 404, reason: 'a Node of another Cluster' },
    { path: '/api/v1/pods', status: 404, reason: 'nothing but Nodes' },
    { path: '/', status: 200, reason: 'a probe' },
    { path: '/api/v1', status: 200, reason: 'what can be requested' },
  ])('answers $path with $status: $reason', async ({ path, status }) => {
    expect((await ask(path)).status).toBe(status);
  });

  it('reports that the Machines cannot be read', async () => {
    const broken = await startWorkloadApi(now, fakeReads([], [{ at: 'list Machine ns', message: 'boom' }]));
    const previous = server;
    server = broken;
    expect(await ask('/api/v1/nodes')).toMatchObject({
      status: 500,
      body: { message: 'Listing Machines of c1 failed: boom' },
    });
    server = previous;
    await broken.stop();
  });
});
