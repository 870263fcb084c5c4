// A batch of ten Machines in deletion, each in a Cluster of its own. The API servers of seven workload clusters are hostile
// to a drain. The other Machines are drained in the same invocation, and each hostile server gets few requests.
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createMachineReconciler } from '../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../functions/machine/settings.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { createWorkloadClients } from '../../../shared/kubernetes/rest/workload-clients.ts';
import { toBody } from '../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { aCluster, aMachine } from '../../support/builders.ts';
import { fakeHooks } from '../../support/fake-hooks.ts';
import { type FaultServer, type Received, reply, type Script, startFaultServer } from '../../support/fault-server.ts';
import { createMemoryApi, type MemoryApi } from '../../support/memory-api.ts';
import { ObjectBuilder } from '../../support/object-builder.ts';
import { conditionIn } from '../../support/result-text.ts';
import { staticMachineCrds, staticMachineKind } from '../../support/static-provider.ts';
import { plainKubeconfig } from '../../support/workload-kubeconfig.ts';
import { aSecret } from '../functions/cluster/secrets.ts';

const machineFinalizer = 'machine.cluster.x-k8s.io';
const core = 'cluster.x-k8s.io/v1beta2';
const many = 10_000;
/** All of them together are larger than a list whose objects are kept. Their containers are not kept. */
const podBytes = 7_000;
/** The number of pages of a list is limited. */
const mostRequests = 2_100;
const mostConditionCharacters = 4_000;

const status = (code: number, reason: string) => ({ kind: 'Status', apiVersion: 'v1', code, reason, message: reason });
const listOf = (items: readonly unknown[], next = {}) => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '1', ...next },
  items,
});

const aNode = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
  spec: { providerID: `static://${name}`, unschedulable: true },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
});

const aPod = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  metadata: { name, namespace: 'app', uid: `uid-${name}`, resourceVersion: '1', labels },
  spec: { containers: [{ name: 'main', image: 'x'.repeat(podBytes) }] },
  status: { phase: 'Running' },
});

/** Answers the requests for Pods. Returns whether it does. */
type PodScript = (request: Received, response: ServerResponse) => boolean;

/** An API server that differs in the Pods of its Node only. */
const servingNode =
  (podScript: PodScript): Script =>
  (request, response) => {
    const name = /^\/api\/v1\/nodes\/(?<name>[^/]+)$/.exec(request.path)?.groups?.['name'];
    if (name !== undefined) {
      reply(response, 200, aNode(name));
    } else if (!podScript(request, response)) {
      reply(response, 404, status(404, 'NotFound'));
    }
  };

const isList = ({ path, method }: Received): boolean => path === '/api/v1/pods' && method === 'GET';

const onList =
  (answer: (request: Received, response: ServerResponse) => void): PodScript =>
  (request, response) => {
    if (isList(request)) {
      answer(request, response);
    }
    return isList(request);
  };

/** The Pods are skipped, so that the list alone is large. */
const manyPods = onList(({ query }, response) => {
  const first = Number(query['continue'] ?? 0);
  const end = Math.min(many, first + Number(query['limit'] ?? many));
  const pods = Array.from({ length: end - first }, (_, at) =>
    aPod(`p${first + at}`, { 'cluster.x-k8s.io/drain': 'skip' }),
  );
  reply(response, 200, listOf(pods, end < many ? { continue: String(end) } : {}));
});

const endlessPages = onList((_request, response) => reply(response, 200, listOf([aPod('p')], { continue: 'next' })));

const endless = onList((_request, response) => {
  response.writeHead(200);
  const fill = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536))) {
      // The buffer has room.
    }
  };
  response.on('drain', fill);
  fill();
});

/** Refuses evictions without end. */
const refusing: PodScript = (request, response) => {
  if (request.method === 'POST') {
    reply(response, 429, status(429, 'TooManyRequests'), { 'retry-after': '999999' });
  } else {
    reply(response, 200, listOf(Array.from({ length: 20 }, (_, at) => aPod(`p${at}`))));
  }
  return true;
};

const hostile: readonly { readonly reason: string; readonly pods: PodScript }[] = [
  { reason: 'an endless list', pods: endless },
  { reason: 'pages without end', pods: endlessPages },
  { reason: 'no answer', pods: onList(() => undefined) },
  {
    reason: '429 without end',
    pods: onList((_request, response) =>
      reply(response, 429, status(429, 'TooManyRequests'), { 'retry-after': '999999' }),
    ),
  },
  {
    reason: 'another kind',
    pods: onList((_request, response) => reply(response, 200, { ...listOf([]), kind: 'SecretList' })),
  },
  { reason: 'no Pods in the list', pods: onList((_request, response) => reply(response, 200, listOf([1, {}, null]))) },
  { reason: 'evictions that are refused without end', pods: refusing },
];
const harmless: readonly PodScript[] = [
  manyPods,
  onList((_request, response) => reply(response, 200, listOf([]))),
  onList((_request, response) => reply(response, 200, listOf([]))),
];
const scripts = [...hostile.map(({ pods }) => pods), ...harmless];
const names = scripts.map((_, at) => `m${at}`);
const servers: FaultServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

function given(api: MemoryApi, name: string, server: string): void {
  const aMember = () => aMachine().ofCluster(name).withFinalizers(machineFinalizer);
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: staticMachineKind.kind, name };
  api.given(
    aCluster()
      .named(name)
      .infrastructureProvisioned()
      .withCondition('ControlPlaneInitialized')
      .withCondition('RemoteConnectionProbe'),
    aSecret(`${name}-kubeconfig`).holding({ value: plainKubeconfig({ server }) }),
    // Without another Machine of the control plane, the Node would not be drained.
    aMember().named(`${name}-cp`).controlPlane(),
    aMember()
      .named(name)
      .annotated({ 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '' })
      .withNode(name)
      .withSpec({ providerID: `static://${name}`, infrastructureRef })
      .withStatus({ deletion: { nodeDrainStartTime: '2026-01-01T00:00:00Z' } })
      .deleting(),
    new ObjectBuilder({ ...staticMachineKind, name })
      .withFinalizers('example.com/static')
      .withSpec({ providerID: `static://${name}` })
      .withStatus({ initialization: { provisioned: true } }),
  );
}

function messageOf(name: string) {
  const key = { managementCluster: 'mc', group: 'cluster.x-k8s.io', kind: 'Machine', namespace: 'ns', name };
  return {
    messageId: name,
    body: toBody({ v: 1, reconciler: 'machine', key, cause: 'event', attempt: 0, trace: 't' }),
  };
}

it('drains the Nodes of other Clusters, and bounds requests and texts', async () => {
  const api = createMemoryApi({ crds: staticMachineCrds });
  for (const [at, name] of names.entries()) {
    const server = await startFaultServer(servingNode(scripts[at] ?? manyPods), { tls: false });
    servers.push(server);
    given(api, name, server.url);
  }
  const clients = createWorkloadClients({
    client: 'machine',
    userAgent: 'test',
    clock: api.clock,
    addresses: 'any',
    limits: { connectTimeoutMs: 2_000, requestTimeoutMs: 4_000 },
  });
  const unserved = await reconcileBatch(
    {
      ...aBatchContext(api),
      reconciler: createMachineReconciler(defaultSettings),
      ports: { hooks: fakeHooks(), workloadApi: clients.api },
      workload: clients.writers,
    },
    names.map(messageOf),
  );
  expect(unserved).toEqual([]);
  const deletingOf = (name: string) => {
    const machine = api.read({ apiVersion: core, kind: 'Machine', namespace: 'ns', name });
    return conditionIn((machine.status as { readonly conditions?: unknown } | undefined)?.conditions, 'Deleting');
  };
  expect(names.map(name => deletingOf(name)?.reason)).toEqual([
    ...hostile.map(() => 'DrainingNode'),
    ...harmless.map(() => 'WaitingForInfrastructureDeletion'),
  ]);
  for (const name of names) {
    expect((deletingOf(name)?.message ?? '').length).toBeLessThan(mostConditionCharacters);
  }
  expect(servers.map(({ received }) => received.length).filter(count => count > mostRequests)).toEqual([]);
});
