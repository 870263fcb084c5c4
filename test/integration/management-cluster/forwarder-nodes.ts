// The watch-forwarder with CAPI_WATCH_NODES=on on a real API server. It has exactly the generated roles.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Intent, Kubernetes, Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declarations } from '../../../functions/declarations.ts';
import { createForwarder, type Forwarder } from '../../../functions/watch-forwarder/forwarder.ts';
import { forwarderProgram } from '../../../infra/function-plans.ts';
import { outputs } from '../../../infra/kubernetes/outputs.ts';
import { applyManifests, parseManifests } from '../../../local/manifests.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createWorkloadWatches } from '../../../shared/kubernetes/rest/workload-watches.ts';
import { createMetricsRegistry } from '../../../shared/telemetry/metrics-registry.ts';
import { parseRequest } from '../../../shared/workqueue/message.ts';
import { expandQueue, workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { userOf } from '../../support/deployed-functions.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { MemoryQueues } from '../../support/memory-queues/queues.ts';
import type { RealControlPlane } from '../../support/real-control-plane.ts';
import { compareRights, parseAuditLog, type RbacManifest, toGrants, toReport } from '../../support/rights.ts';
import { createTestClient } from '../../support/test-client.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';

const namespace = 'default';
const user = userOf(forwarderProgram.name);
const workloadUser = 'workload';
const kubeconfigSecret = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'c1-kubeconfig' };
const otherSecret = { ...kubeconfigSecret, name: 'other' };
const nodeRef = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
const machineQueue = workQueueOf('machine');
const forbidden = { ok: false, failure: { reason: 'Forbidden' } };
const stepMs = 100;

const usualFiles = /^(?:forwarder\/(?:namespace|service-account|cluster-role-binding)|rbac\/watch-forwarder)\.yaml$/;
const nodeFiles = /^forwarder-nodes\/cluster-role(?:-binding)?\.yaml$/;

function manifestsIn(files: RegExp) {
  return outputs.filter(({ path }) => files.test(path)).flatMap(({ path, text }) => parseManifests(text, path));
}

/** A Cluster whose workload cluster is this API server, and a Machine with the Node `n1`. */
function objectsOf(kubeconfig: string): readonly Intent[] {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const initialized = {
    type: 'ControlPlaneInitialized',
    status: 'True',
    reason: 'Initialized',
    message: '',
    lastTransitionTime,
  };
  const secret = (name: string, value: string): Intent => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, labels },
    data: { value: Buffer.from(value).toString('base64') },
  });
  return [
    { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeRef.name } },
    secret(kubeconfigSecret.name, kubeconfig),
    secret(otherSecret.name, 'a-value'),
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { namespace, name: 'c1' },
      spec: { controlPlaneEndpoint: { host: '127.0.0.1', port: 1 } },
      status: { conditions: [initialized] },
    },
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: { namespace, name: 'm1', labels },
      spec: {
        clusterName: 'c1',
        bootstrap: { dataSecretName: 'bootstrap' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name: 'm1' },
      },
      status: { nodeRef: { name: nodeRef.name } },
    },
  ];
}

/** The users that the management cluster must have. */
export const forwarderUsers = [{ name: user }, { name: workloadUser, groups: ['system:masters'] }];

export function describeForwarderNodes(plane: () => RealControlPlane): void {
  describe('the watch-forwarder that watches Nodes', () => holdNodes(plane));
}

function holdNodes(plane: () => RealControlPlane): void {
  const queues = new MemoryQueues({
    clock: systemClock,
    queues: [...declarations.map(({ name }) => workQueueOf(name)), expandQueue].map(name => ({
      name,
      visibilityTimeoutSeconds: 180,
    })),
  });
  const stopping = new AbortController();
  const rbac = manifestsIn(nodeFiles);
  let client: WorldClient;
  let kubernetes: Kubernetes;
  let forwarder: Forwarder;
  let ended: Promise<void> | undefined;

  beforeAll(async () => {
    client = await connectWorldClient(plane().kubeconfigPath('admin'));
    await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
    await apply(usualFiles);
    for (const object of objectsOf(plane().kubeconfig(workloadUser))) {
      await client.create(object);
    }
    const credentials = await loadCredentials({ kubeconfigPath: plane().kubeconfigPath(user) });
    kubernetes = createTestClient({ credentials, client: 'test' });
    forwarder = createForwarder({
      declarations,
      kubernetes: { reads: kubernetes, watches: kubernetes.watches },
      nodes: {
        reads: kubernetes,
        connect: createWorkloadWatches({ addresses: 'any', client: 'test', userAgent: 'test' }),
      },
      queues,
      managementCluster: 'mgmt',
      watchFilter: '',
      clock: systemClock,
      newId: () => crypto.randomUUID(),
      log: aRecordingLog(),
      metrics: createMetricsRegistry(),
    });
  });

  afterAll(async () => {
    stopping.abort();
    await ended;
  });

  async function apply(files: RegExp): Promise<void> {
    const applied = await applyManifests(client.kubernetes, manifestsIn(files), { fieldManager: 'test' });
    expect(applied.map(({ outcome }) => outcome)).toEqual(applied.map(() => 'created'));
  }

  /** The Machines that were enqueued because of this version of an object. */
  function enqueuedBy({ metadata: { uid, resourceVersion } }: Unstructured): readonly string[] {
    return queues
      .messages(machineQueue)
      .map(({ body }) => parseRequest(body))
      .filter(({ sources }) => sources?.includes(`${uid}@${resourceVersion}`) === true)
      .map(({ key }) => key.name);
  }

  async function until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await delay(stepMs);
    }
  }

  it('cannot read the kubeconfig of a Cluster without the optional role', async () => {
    expect(await kubernetes.get(kubeconfigSecret)).toMatchObject(forbidden);
  });

  it('enqueues the Machine whose Node changes, with the optional role', async () => {
    await apply(nodeFiles);
    // The authorizer reads roles from its own watch.
    while (!(await kubernetes.get(kubeconfigSecret)).ok) {
      await delay(stepMs);
    }
    ended = forwarder.run(stopping.signal);
    const node = await client.read(nodeRef);
    await until(() => node !== undefined && enqueuedBy(node).length > 0);
    const changed = await client.patch(nodeRef, { metadata: { labels: { changed: 'yes' } } });
    await until(() => enqueuedBy(changed).length > 0);
    expect(enqueuedBy(changed)).toEqual(['m1']);
  });

  it('uses exactly the rights of the optional role on Secrets, for the kubeconfigs of Clusters only', () => {
    const requests = parseAuditLog(readFileSync(plane().auditLogPath, 'utf8'), name => name === user);
    const ofSecrets = requests.filter(({ resource, code }) => resource === 'secrets' && code !== 403);
    // Other objects have none of the compared parts.
    const grants = toGrants(rbac as unknown as readonly RbacManifest[]);
    expect(toReport(compareRights(grants, ofSecrets))).toBe('');
    expect(new Set(ofSecrets.map(({ name }) => name))).toEqual(new Set([kubeconfigSecret.name]));
    expect(requests.filter(({ code, resource }) => code === 403 && resource !== 'secrets')).toEqual([]);
  });

  it('can neither list nor change Secrets, and RBAC cannot limit which it gets by the end of a name', async () => {
    expect(await kubernetes.list({ apiVersion: 'v1', kind: 'Secret', namespace })).toMatchObject(forbidden);
    expect(await kubernetes.mergePatch(otherSecret, { data: {} })).toMatchObject(forbidden);
    expect(await kubernetes.delete(otherSecret)).toMatchObject(forbidden);
    expect(await kubernetes.get(otherSecret)).toMatchObject({ ok: true });
  });
}
