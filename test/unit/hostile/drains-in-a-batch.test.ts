// A batch of ten Machines in deletion, each in a Cluster of its own. The API servers of seven workload clusters are hostile
// to a drain. The other Machines are drained in the same invocation, and each hostile server gets few requests.
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createMachineReconciler } from '../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../functions/machine/settings.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { createWorkloadClients } from '../../../shared/kubernetes/rest/workload-clients.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { fakeHooks } from '../../support/fake-hooks.ts';
import { type FaultServer, type Received, reply, type Script, startFaultServer } from '../../support/fault-server.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { staticMachineCrds } from '../../support/static-provider.ts';
import { aCordonedNode, aPodList, deletingOf, giveDrainedMachine, toMachineMessage } from './drained-machine.ts';

const many = 10_000;
/** All of them together are larger than a list whose objects are kept. Their containers are not kept. */
const podBytes = 7_000;
/** The number of pages of a list is limited. */
const mostRequests = 2_100;
const mostConditionCharacters = 4_000;

const status = (code: number, reason: string) => ({ kind: 'Status', apiVersion: 'v1', code, reason, message: reason });
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
      reply(response, 200, aCordonedNode(name));
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
  reply(response, 200, aPodList(pods, end < many ? { continue: String(end) } : {}));
});

const endlessPages = onList((_request, response) => reply(response, 200, aPodList([aPod('p')], { continue: 'next' })));

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
    reply(response, 200, aPodList(Array.from({ length: 20 }, (_, at) => aPod(`p${at}`))));
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
    pods: onList((_request, response) => reply(response, 200, { ...aPodList([]), kind: 'SecretList' })),
  },
  {
    reason: 'no Pods in the list',
    pods: onList((_request, response) => reply(response, 200, aPodList([1, {}, null]))),
  },
  { reason: 'evictions that are refused without end', pods: refusing },
];
const harmless: readonly PodScript[] = [
  manyPods,
  onList((_request, response) => reply(response, 200, aPodList([]))),
  onList((_request, response) => reply(response, 200, aPodList([]))),
];
const scripts = [...hostile.map(({ pods }) => pods), ...harmless];
const names = scripts.map((_, at) => `m${at}`);
const servers: FaultServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

it('drains the Nodes of other Clusters, and bounds requests and texts', async () => {
  const api = createMemoryApi({ crds: staticMachineCrds });
  for (const [at, name] of names.entries()) {
    const server = await startFaultServer(servingNode(scripts[at] ?? manyPods), { tls: false });
    servers.push(server);
    giveDrainedMachine(api, name, server.url);
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
    names.map(toMachineMessage),
  );
  expect(unserved).toEqual([]);
  expect(names.map(name => deletingOf(api, name)?.reason)).toEqual([
    ...hostile.map(() => 'DrainingNode'),
    ...harmless.map(() => 'WaitingForInfrastructureDeletion'),
  ]);
  for (const name of names) {
    expect((deletingOf(api, name)?.message ?? '').length).toBeLessThan(mostConditionCharacters);
  }
  expect(servers.map(({ received }) => received.length).filter(count => count > mostRequests)).toEqual([]);
});
