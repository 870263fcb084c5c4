// A batch of ten Machines, each in a Cluster of its own. The API servers of six workload clusters are hostile. The other
// Machines are reconciled in the same invocation, and each hostile server gets few requests and sends few bytes.
import { afterEach, expect, it } from 'vitest';
import { createMachineReconciler } from '../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../functions/machine/settings.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { createWorkloadClients } from '../../../shared/kubernetes/rest/workload-clients.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { aCluster, aMachine } from '../../support/builders.ts';
import { fakeHooks } from '../../support/fake-hooks.ts';
import { type FaultServer, reply, type Script, startFaultServer } from '../../support/fault-server.ts';
import { createMemoryApi, type MemoryApi } from '../../support/memory-api.ts';
import { ObjectBuilder } from '../../support/object-builder.ts';
import { conditionIn } from '../../support/result-text.ts';
import { staticMachineCrds, staticMachineKind } from '../../support/static-provider.ts';
import { plainKubeconfig } from '../../support/workload-kubeconfig.ts';
import { aSecret } from '../functions/cluster/secrets.ts';
import { toMachineMessage } from './drained-machine.ts';

const maxAnswerBytes = 1024 * 1024;
/** A server sends some bytes after the client has closed the connection. */
const mostBytesSent = 8 * maxAnswerBytes;
let bytesSent = 0;
/** Two attempts of the client, and one request for each candidate name and the list. */
const mostRequests = 12;
const nodes = 5_000;
const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' };

const aNode = (name: string, providerID: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
  spec: { providerID },
  status: { conditions: [ready] },
});

const well =
  (name: string): Script =>
  (_request, response) =>
    reply(response, 200, aNode(name, `static://${name}`));

const endless: Script = (_request, response) => {
  response.writeHead(200);
  const fill = (): void => {
    let hasRoom = true;
    while (hasRoom && !response.destroyed) {
      bytesSent += 65_536;
      hasRoom = response.write('x'.repeat(65_536));
    }
  };
  response.on('drain', fill);
  fill();
};

/** Names of Nodes are not those of Machines, so that the list is read. */
const manyNodes: Script = ({ path, query }, response) => {
  if (path !== '/api/v1/nodes') {
    reply(response, 404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'nodes not found' });
    return;
  }
  const first = Number(query['continue'] ?? 0);
  const limit = Number(query['limit'] ?? nodes);
  const count = Math.min(limit, nodes - first);
  const items = Array.from({ length: count }, (_, at) => aNode(`node-${first + at}`, `other://${first + at}`));
  const next = first + count < nodes ? { continue: String(first + count) } : {};
  reply(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1', ...next }, items });
};

const hostile: readonly { readonly reason: string; readonly script: Script }[] = [
  { reason: 'an endless answer', script: endless },
  { reason: 'no answer', script: () => undefined },
  { reason: 'an answer that stops', script: (_request, response) => void response.writeHead(200).write('{"kind":') },
  {
    reason: '429 without end',
    script: (_request, response) =>
      reply(response, 429, { kind: 'Status', message: 'later' }, { 'retry-after': '999999' }),
  },
  {
    reason: 'another kind',
    script: (_request, response) => reply(response, 200, { kind: 'Pod', metadata: { name: 'm4' } }),
  },
  { reason: '5,000 Nodes of other machines', script: manyNodes },
];
const names = Array.from({ length: 10 }, (_, at) => `m${at}`);
const servers: FaultServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

function given(api: MemoryApi, name: string, server: string): void {
  api.given(
    aCluster()
      .named(name)
      .infrastructureProvisioned()
      .withCondition('ControlPlaneInitialized')
      .withCondition('RemoteConnectionProbe'),
    aSecret(`${name}-kubeconfig`).holding({ value: plainKubeconfig({ server }) }),
    aMachine()
      .named(name)
      .ofCluster(name)
      .withFinalizers('machine.cluster.x-k8s.io')
      .withSpec({
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: staticMachineKind.kind, name },
      }),
  );
  api.given(
    new ObjectBuilder({ ...staticMachineKind, name })
      .withSpec({ providerID: `static://${name}` })
      .withStatus({ initialization: { provisioned: true } }),
  );
}

it('reconciles the Machines of other Clusters, and bounds requests and bytes', async () => {
  const api = createMemoryApi({ crds: staticMachineCrds });
  for (const [at, name] of names.entries()) {
    const server = await startFaultServer(hostile[at]?.script ?? well(name), { tls: false });
    servers.push(server);
    given(api, name, server.url);
  }
  const clients = createWorkloadClients({
    client: 'machine',
    userAgent: 'test',
    clock: api.clock,
    addresses: 'any',
    limits: { connectTimeoutMs: 300, requestTimeoutMs: 600, maxAnswerBytes },
  });
  const reconcileAll = () =>
    reconcileBatch(
      {
        ...aBatchContext(api),
        reconciler: createMachineReconciler(defaultSettings),
        ports: { hooks: fakeHooks(), workloadApi: clients.api },
        workload: clients.writers,
      },
      names.map(toMachineMessage),
    );
  expect(await reconcileAll()).toEqual([]);
  const stateOf = (name: string) => {
    const machine = api.read({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', namespace: 'ns', name });
    return conditionIn((machine.status as { readonly conditions?: unknown } | undefined)?.conditions, 'NodeReady')
      ?.status;
  };
  expect(names.map(stateOf)).toEqual([...hostile.map(() => 'Unknown'), 'True', 'True', 'True', 'True']);
  expect(bytesSent).toBeLessThan(mostBytesSent);
  for (const { received } of servers) {
    expect(received.length).toBeLessThanOrEqual(mostRequests);
  }
});
