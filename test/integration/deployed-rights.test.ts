// The generated roles before a real API server: each function may do its work under the group of its name, and little else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { runWindow } from '../../functions/windowed-forwarder/run-window.ts';
import { outputs } from '../../infra/kubernetes/outputs.ts';
import { missingRights } from '../../infra/local/access.ts';
import { installCrds } from '../../infra/local/crds.ts';
import { applyManifests, parseManifests, toResultLines } from '../../infra/local/manifests.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import { createKubernetes } from '../../shared/kubernetes/rest/client.ts';
import { readManagementCluster } from '../../shared/lambda/runtime.ts';
import { createMetricsRegistry } from '../../shared/telemetry/metrics.ts';
import { systemClock } from '../../shared/telemetry/system-clock.ts';
import { MemoryQueues } from '../../shared/workqueue/memory/queues.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { describeReal } from '../support/describe-real.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';

const functions = ['cluster', 'resync', 'audit-webhook', 'windowed-forwarder'];
const forwarder = 'system:serviceaccount:capi-serverless:watch-forwarder';

describeReal('the roles of a deployment', () => {
  let plane: RealControlPlane;
  const clients = new Map<string, Kubernetes>();

  beforeAll(async () => {
    plane = await startControlPlane({
      controllers: false,
      users: [...functions.map(name => ({ name, groups: [`capi-serverless:${name}`] })), { name: forwarder }],
    });
    for (const user of ['admin', ...functions, forwarder]) {
      const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath(user) });
      clients.set(user, createKubernetes({ credentials, client: 'test' }));
    }
    await installCrds(as('admin'), coreCrds, { clock: systemClock });
  });

  afterAll(() => plane?.stop());

  function as(user: string): Kubernetes {
    const client = clients.get(user);
    if (client === undefined) {
      throw new Error(`No client for ${user}`);
    }
    return client;
  }

  it('are accepted with the manifests of the forwarder', async () => {
    const files = outputs.filter(
      ({ path }) => /^(rbac|forwarder)\//.test(path) && !path.endsWith('/kustomization.yaml'),
    );
    const order = (path: string): number => (path.endsWith('/namespace.yaml') ? 0 : 1);
    const manifests = files
      .toSorted((a, b) => order(a.path) - order(b.path))
      .flatMap(({ path, text }) => parseManifests(text, path));
    const results = await applyManifests(as('admin'), manifests, { fieldManager: 'test' });
    expect(results.length).toBeGreaterThan(functions.length * 2);
    expect(results.filter(({ outcome }) => outcome !== 'created').flatMap(toResultLines)).toEqual([]);
  });

  it.each([...functions, forwarder])('let %s learn which management cluster it serves', async user => {
    expect(await readManagementCluster(as(user))).toMatch(/^[0-9a-f-]{36}$/);
    const other = await as(user).get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' });
    expect(other).toMatchObject({ ok: false, failure: { reason: 'Forbidden' } });
  });

  it('let a reconciler do what its declaration says', async () => {
    // Watching and listing are the forwarder's and the resync's.
    const missing = await missingRights(
      as('cluster'),
      declarations.map(declaration => ({ ...declaration, watches: [] })),
    );
    expect(missing.filter(right => !/^(list|watch) clusters\./.test(right))).toEqual([]);
  });

  it('let the resync list Clusters, and not read Secrets', async () => {
    const query = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
    expect((await as('resync').list(query)).ok).toBe(true);
    const secret = await as('resync').get({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'any' });
    expect(secret).toMatchObject({ ok: false, failure: { reason: 'Forbidden' } });
  });

  it('let the windowed forwarder run twice, and touch no ConfigMap but its own', async () => {
    const kubernetes = as('windowed-forwarder');
    const log = aRecordingLog();
    const queues = new MemoryQueues({ clock: systemClock, queues: toQueueSpecs(toConsumers(declarations)) });
    const own = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'kube-system',
      name: 'capi-serverless-windowed-forwarder',
    };
    const versions = new Set<string | undefined>();
    for (const name of ['one', 'two']) {
      await as('admin').create({
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { namespace: 'default', name },
        spec: { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
      });
      await runWindow({
        declarations,
        kubernetes,
        queues,
        queueDesign: 'default',
        managementCluster: 'mgmt',
        watchFilter: '',
        stateNamespace: 'kube-system',
        clock: systemClock,
        newId: () => crypto.randomUUID(),
        log,
        metrics: createMetricsRegistry(),
        signal: AbortSignal.timeout(60_000),
      });
      const stored = await kubernetes.get(own);
      versions.add(stored.ok ? stored.value.metadata.resourceVersion : undefined);
    }
    expect(versions.has(undefined)).toBe(false);
    expect(versions.size).toBe(2);
    const others = { ...own, name: 'extension-apiserver-authentication' };
    expect(await kubernetes.mergePatch(others, { data: { owned: 'true' } })).toMatchObject({
      ok: false,
      failure: { reason: 'Forbidden' },
    });
  });
});
