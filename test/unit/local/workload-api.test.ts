// A simulated control plane, the endpoint that simulates its API server, and the probe of the Cluster.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instancesIn, toInstances } from '../../../local/provider/machines/pool.ts';
import { textAt } from '../../../local/provider/machines/read.ts';
import { createSimulatedControlPlane } from '../../../local/provider/simulated-control-plane.ts';
import {
  readSimulatedWorkload,
  type SimulatedWorkload,
  serverOf,
  toWorkloadEnvironment,
} from '../../../local/provider/simulated-workload.ts';
import { type LocalWorkloadApi, startWorkloadApi } from '../../../local/workload-api.ts';
import { secretText } from '../../../shared/api/secret.ts';
import { createSigner } from '../../../shared/certificates/x509/lazy-signer.ts';
import { readInlineKubeconfig } from '../../../shared/kubernetes/credentials/kubeconfig.ts';
import { Connection } from '../../../shared/kubernetes/rest/connection.ts';
import { createWorkload } from '../../../shared/kubernetes/rest/workload.ts';
import { createWorkloadNodes } from '../../../shared/kubernetes/rest/workload-nodes.ts';
import { createWorkloadWatches } from '../../../shared/kubernetes/rest/workload-watches.ts';
import { aCluster, aControlPlane } from '../../support/builders.ts';
import { fakeReads } from '../../support/fake-reads.ts';
import { ObjectBuilder } from '../../support/object-builder.ts';
import { aSimulatedMachine } from '../../support/simulated-machine.ts';
import { createSimulatedWorld } from '../../support/simulated-object.ts';

const now = Date.now();
let api: LocalWorkloadApi;

beforeAll(async () => {
  api = await startWorkloadApi(systemClock);
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
    const earlier = await startWorkloadApi(systemClock);
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

/** A path that is not served is answered with text. */
function toBody(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text;
}

describe('the API server of a simulated cluster', () => {
  const machine = aSimulatedMachine('m1', { startsAt: '2026-01-01T00:00:00Z', version: 'v1.35.0' });
  const pool = new ObjectBuilder({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'SimulatedMachinePool',
    name: 'mp1',
  })
    .labelled({ 'cluster.x-k8s.io/cluster-name': 'c1' })
    .withStatus({
      instances: [
        { version: 'v1.34.0', replicas: 1 },
        { version: 'v1.35.0', replicas: 2 },
      ],
    });
  let server: LocalWorkloadApi;

  async function kubeconfigOf(name: string, of = server): Promise<string> {
    const { authority } = of.workload;
    const base = serverOf(of.workload, { namespace: 'ns', name });
    const signed = await createSigner().kubeconfig({ clusterName: name, server: base, authority, now });
    return signed.ok ? signed.value : '';
  }

  async function ask(path: string, { name = 'c1', of = server, method = 'GET', body = '', kubeconfig = '' } = {}) {
    const { endpoint } = await readInlineKubeconfig('test', kubeconfig || (await kubeconfigOf(name, of)));
    const connection = new Connection(endpoint, {
      connectTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
      maxAnswerBytes: 1e6,
      maxSockets: 1,
    });
    const { signal } = new AbortController();
    const headers = body === '' ? {} : { 'content-type': 'application/json' };
    const exchange = await connection.exchange({ method, path, headers, signal, ...(body === '' ? {} : { body }) });
    connection.dropIdleSockets();
    return 'lost' in exchange
      ? { status: 0, body: exchange.lost.message }
      : { status: exchange.answer.status, body: toBody(exchange.answer.body.toString()) };
  }

  beforeAll(async () => {
    const other = aSimulatedMachine('m2', { startsAt: '2026-01-01T00:00:00Z', version: 'v1.35.0' }, 'c2');
    server = await startWorkloadApi(systemClock, fakeReads([aCluster(), machine, pool, other]));
  });

  afterAll(() => server.stop());

  it('has a Node for each machine and each instance of a pool, with its version', async () => {
    const { body } = await ask('/api/v1/nodes');
    const { items } = body as { readonly items: readonly Unstructured[] }; // True: a list of Nodes.
    const versions = items.map(
      node => `${node.metadata.name.split('-')[0]} ${textAt(node, 'status.nodeInfo.kubeletVersion')}`,
    );
    expect(versions.toSorted()).toEqual(['m1 v1.35.0', 'mp1 v1.34.0', 'mp1 v1.35.0', 'mp1 v1.35.0']);
  });

  it('reports the version of the Nodes of pools', async () => {
    const kubeconfig = await kubeconfigOf('c1');
    const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig, version: '1' };
    const names = toInstances(pool.build().metadata, instancesIn(pool.build())).map(({ name }) => name);
    const nodes = createWorkloadNodes({ userAgent: 'test', addresses: 'any' });
    const versions = await nodes.kubeletVersions(target, names, new AbortController().signal);
    expect(names.map(name => versions.get(name))).toEqual(
      ['v1.35.0', 'v1.35.0', 'v1.34.0'].map(value => ({ ok: true, value })),
    );
  });

  it('lists and watches the metadata of Nodes for the watch-forwarder', async () => {
    const kubeconfig = await kubeconfigOf('c1');
    const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig, version: '1' };
    const watches = await createWorkloadWatches({ userAgent: 'test', client: 'test', addresses: 'any' })(target);
    const query = { apiVersion: 'v1', kind: 'Node', as: 'metadata' } as const;
    const over = new AbortController();
    const page = watches.ok ? await watches.value.page(query, { limit: 500, signal: over.signal }) : watches;
    if (!watches.ok || !page.ok) {
      throw new Error('The Nodes could not be listed');
    }
    const { items, resourceVersion } = page.value;
    expect(items.map(({ metadata }) => metadata.name)).toContain('m1');
    expect(items.filter(item => 'status' in item)).toEqual([]);
    const stream = watches.value.watch(query, { resourceVersion, signal: over.signal });
    const next = stream[Symbol.asyncIterator]().next();
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'extra' } };
    await ask('/api/v1/nodes', { method: 'POST', body: JSON.stringify(node) });
    expect(await next).toMatchObject({ value: { type: 'ADDED', object: { metadata: { name: 'extra' } } } });
    over.abort();
  });

  it('stores objects, and evicts Pods', async () => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-m1' } };
    const path = '/api/v1/namespaces/default/pods/web-m1';
    const evicted = await ask(`${path}/eviction`, { method: 'POST', body: JSON.stringify(eviction) });
    expect(evicted).toMatchObject({ status: 201, body: { status: 'Success' } });
    expect(await ask(path)).toMatchObject({ status: 200, body: { metadata: { deletionGracePeriodSeconds: 5 } } });
  });

  it.each([
    { path: '/api/v1/nodes/m2', status: 404, reason: 'a Node of another Cluster' },
    { path: '/apis/apps/v1/deployments', status: 404, reason: 'a kind that is not served' },
    { path: '', status: 200, reason: 'the root' },
    { path: '/api/v1', status: 200, reason: 'what can be requested' },
    { path: '/apis/policy/v1', status: 200, reason: 'budgets' },
  ])('answers $path with $status: $reason', async ({ path, status }) => {
    expect((await ask(path)).status).toBe(status);
  });

  it('serves nothing at a path without Cluster, as "kubectl get --raw" requests it, and names the remedy', async () => {
    const kubeconfig = (await kubeconfigOf('c1')).replace('/clusters/ns/c1', '');
    expect(await ask('/api/v1/nodes', { kubeconfig })).toMatchObject({
      status: 404,
      body: { reason: 'NotFound', message: expect.stringMatching(/^\/api\/v1\/nodes is not served.*without --raw/) },
    });
    expect(await ask('/clusters/ns/c1/api/v1/nodes', { kubeconfig })).toMatchObject({ status: 200 });
  });

  it('reports that the machines cannot be read, and recovers', async () => {
    const fault = { at: 'list SimulatedMachine ns', message: 'boom' };
    const broken = await startWorkloadApi(systemClock, fakeReads([aCluster()], [fault]));
    expect(await ask('/api/v1/nodes', { of: broken })).toMatchObject({
      status: 500,
      body: { message: 'Listing SimulatedMachines of c1 failed: boom' },
    });
    expect(broken.size).toBe(0);
    await broken.stop();
  });
});
