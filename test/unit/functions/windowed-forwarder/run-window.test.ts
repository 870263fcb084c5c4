// Runs of the windowed forwarder with the memory API: the messages, the stored versions, and interrupted runs.

import type { ApiFailure, Kubernetes, Watches } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { clusterKind, clusterWatches } from '../../../../functions/cluster/watches.ts';
import { runWindow } from '../../../../functions/windowed-forwarder/run-window.ts';
import { kindsOfCluster } from '../../../../shared/api/cluster/reader.ts';
import { mostReferencedKinds } from '../../../../shared/event-source/referenced-kinds.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { parseRequest } from '../../../../shared/workqueue/message.ts';
import type { QueueSender } from '../../../../shared/workqueue/port.ts';
import { SendValidationError } from '../../../../shared/workqueue/send-limits.ts';
import { aCluster } from '../../../support/builders.ts';
import { aDeclaration, aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';

const clusterRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default' };
const infraRef = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedCluster',
  namespace: 'default',
};
const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
  name: 'capi-serverless-windowed-forwarder',
};
const declaration = aDeclaration({
  name: 'cluster',
  primary: clusterKind,
  watches: clusterWatches,
  references: kindsOfCluster,
});

function windowOptions({ kubernetes, clock }: MemoryApi) {
  const queues = new MemoryQueues({
    clock,
    queues: ['work-cluster.fifo', 'work-topology.fifo', 'expand'].map(name => ({
      name,
      visibilityTimeoutSeconds: 180,
    })),
  });
  const log = aRecordingLog();
  let ids = 0;
  const options = {
    declarations: [declaration],
    kubernetes,
    queues: queues as QueueSender,
    managementCluster: 'mgmt',
    watchFilter: '',
    stateNamespace: 'kube-system',
    clock,
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
    log,
    metrics: createMetricsRegistry(),
    signal: new AbortController().signal,
  };
  return { options, queues, log };
}

function aWorld() {
  const api = createMemoryApi();
  const { clock, others } = api;
  const { options, queues, log } = windowOptions(api);
  let sent = 0;
  const messages = () => queues.messages('work-cluster.fifo');
  return {
    api,
    clock,
    log,
    queues,
    options,
    /** One complete run. Returns its messages, each as `cause namespace/name`. */
    async run(change: Partial<typeof options> = {}): Promise<readonly string[]> {
      const ended = runWindow({ ...options, ...change });
      const isOver = ended.then(
        () => true,
        () => true,
      );
      while (!(await Promise.race([isOver, clock.advance(100)]))) {}
      await ended;
      const all = messages().map(({ body }) => parseRequest(body));
      const fresh = all.slice(sent);
      sent = all.length;
      return fresh.map(({ cause, key }) => `${cause} ${key.namespace}/${key.name}`);
    },
    messages,
    expansions: () => queues.messages('expand').map(({ body }) => parseExpansion(body).source.name),
    async createCluster(name: string, spec: object = { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } }) {
      await others.create({ ...clusterRef, metadata: { namespace: 'default', name }, spec });
    },
    annotate: (ref: Parameters<Kubernetes['mergePatch']>[0], value: string) =>
      others.mergePatch(ref, { metadata: { annotations: { value } } }),
    stored: () => (api.find(configMap) as { readonly data?: Readonly<Record<string, string>> } | undefined)?.data,
    requests: (verb: string, kind: string) =>
      api.calls.all.filter(call => call.verb === verb && call.kind === kind).length,
  };
}

const named = (name: string) => ({ ...clusterRef, name });
const withInfra = (name: string) => ({
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name },
});

const machine = {
  clusterName: 'missing',
  bootstrap: { dataSecretName: 'b' },
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name: 'm' },
};

async function* failing(failure: ApiFailure): ReturnType<Watches['watch']> {
  yield { type: 'FAILED', failure };
}

describe('the first run', () => {
  it('sends every object and stores the version of each kind', async () => {
    const { run, createCluster, stored } = aWorld();
    await createCluster('one');
    await createCluster('two');
    expect(await run()).toEqual(['list default/one', 'list default/two']);
    expect(Object.keys(stored() ?? {}).toSorted()).toEqual([
      'Cluster.cluster.x-k8s.io',
      'Machine.cluster.x-k8s.io',
      'MachineDeployment.cluster.x-k8s.io',
      'MachinePool.cluster.x-k8s.io',
      'settings',
    ]);
    expect(stored()?.['Cluster.cluster.x-k8s.io']).toMatch(/^v1beta2 \d+$/);
  });

  it('includes the objects that Clusters reference', async () => {
    const { api, run, createCluster, expansions, stored } = aWorld();
    await createCluster('one', withInfra('one'));
    await api.others.create({ ...infraRef, metadata: { namespace: 'default', name: 'one' }, spec: {} });
    await run();
    expect(expansions()).toEqual(['one']);
    expect(stored()?.['referenced.Cluster.SimulatedCluster.infrastructure.cluster.x-k8s.io']).toMatch(/^v1beta2 \d+$/);
  });
});

describe('a later run', () => {
  it('sends the changes since, once per key, with the ids of a watch', async () => {
    const { run, createCluster, annotate, messages } = aWorld();
    await createCluster('one');
    await createCluster('two');
    await run();
    for (const value of ['a', 'b', 'c']) {
      await annotate(named('one'), value);
    }
    expect(await run()).toEqual(['event default/one']);
    const sources = parseRequest(messages().at(-1)?.body ?? '').sources;
    expect(sources).toHaveLength(1);
  });

  it('sends nothing without changes, and writes the ConfigMap at most once', async () => {
    const { api, run, createCluster } = aWorld();
    await createCluster('one');
    await run();
    api.calls.reset();
    expect(await run()).toEqual([]);
    expect(api.calls.writes.filter(line => !line.startsWith('patch ConfigMap '))).toEqual([]);
    expect(api.calls.writes.length).toBeLessThanOrEqual(1);
  });

  it('advances idle kinds with bookmarks, so that their versions do not expire', async () => {
    const { run, createCluster, stored } = aWorld();
    await run();
    const before = stored()?.['Machine.cluster.x-k8s.io'] ?? '';
    await createCluster('one');
    await run();
    const after = stored()?.['Machine.cluster.x-k8s.io'] ?? '';
    expect(Number(after.split(' ')[1])).toBeGreaterThan(Number(before.split(' ')[1]));
  });

  it('lists everything again if the version has expired', async () => {
    const { api, run, createCluster, annotate } = aWorld();
    await createCluster('one');
    await createCluster('two');
    await run();
    await annotate(named('one'), 'a');
    api.core.compact();
    expect(await run()).toEqual(['list default/one', 'list default/two']);
  });

  it('lists everything again if the versions belong to another history', async () => {
    const { api, run, createCluster, stored } = aWorld();
    await createCluster('one');
    await run();
    const data = Object.fromEntries(Object.keys(stored() ?? {}).map(key => [key, 'v1beta2 999999']));
    await api.others.mergePatch(configMap, { data: { ...data, settings: stored()?.['settings'] } });
    expect(await run()).toEqual(['list default/one']);
  });

  it.each([
    { change: { watchFilter: 'blue' }, reason: 'another filter selects other objects' },
    { change: { managementCluster: 'other' }, reason: 'the ConfigMap was copied from another cluster' },
    {
      change: { declarations: [declaration, aDeclaration({ name: 'topology', primary: clusterKind })] },
      reason: 'a new reconciler has received nothing yet',
    },
  ])('lists everything again if its settings have changed: $reason', async ({ change }) => {
    const { api, run, createCluster, options } = aWorld();
    await createCluster('one');
    await run();
    api.calls.reset();
    await run({ ...options, ...change });
    expect(api.calls.all.filter(({ verb, kind }) => verb === 'watch' && kind === 'Cluster')).toEqual([]);
  });

  it('ignores unreadable data in the ConfigMap', async () => {
    const { api, run, createCluster } = aWorld();
    await createCluster('one');
    await run();
    await api.others.mergePatch(configMap, { data: { 'Cluster.cluster.x-k8s.io': 'rubbish' } });
    expect(await run()).toEqual(['list default/one']);
  });
});

describe('kinds that Clusters reference', () => {
  it('are read from the run in which a Cluster references them', async () => {
    const { api, run, createCluster, annotate, expansions } = aWorld();
    await run();
    await createCluster('one', withInfra('one'));
    await api.others.create({ ...infraRef, metadata: { namespace: 'default', name: 'one' }, spec: {} });
    expect(await run()).toEqual(['event default/one']);
    expect(expansions()).toEqual(['one']);
    await annotate({ ...infraRef, name: 'one' }, 'a');
    expect(await run()).toEqual([]);
    expect(expansions()).toEqual(['one', 'one']);
  });

  it('are dropped when the last Cluster that references them is deleted', async () => {
    const { api, run, createCluster, stored } = aWorld();
    await createCluster('one', withInfra('one'));
    await createCluster('two', withInfra('one'));
    await run();
    await api.others.delete(named('one'));
    await run();
    expect(stored()).toHaveProperty(['referenced.Cluster.SimulatedCluster.infrastructure.cluster.x-k8s.io']);
    await api.others.delete(named('two'));
    await run();
    expect(stored()).not.toHaveProperty(['referenced.Cluster.SimulatedCluster.infrastructure.cluster.x-k8s.io']);
  });

  it('are read beside 120 Clusters of six namespaces that reference kinds without a CRD', async () => {
    const { api, run, stored } = aWorld();
    const infra = withInfra('one').infrastructureRef;
    const give = (namespace: string, name: string, kind: string) => {
      const cluster = aCluster().in(namespace).named(name);
      return api.given(cluster.withInfrastructureRef({ ...infra, kind }));
    };
    for (let index = 0; index < 120; index += 1) {
      give(`a${Math.floor(index / 20)}`, `c${index}`, `Missing${index}`);
    }
    give('z', 'one', infra.kind);
    await run();
    const kinds = Object.entries(stored() ?? {}).filter(([name]) => name.startsWith('referenced.'));
    expect(kinds.filter(([, version]) => version === 'missing')).toHaveLength(mostReferencedKinds);
    expect(kinds.filter(([, version]) => version !== 'missing')).toHaveLength(1);
  });

  it('are listed once their CRD exists', async () => {
    const { api, run, createCluster, stored } = aWorld();
    const ref = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'LaterCluster', name: 'one' };
    await createCluster('one', { infrastructureRef: ref });
    await run();
    expect(stored()?.['referenced.Cluster.LaterCluster.infrastructure.cluster.x-k8s.io']).toBe('missing');
    const { core } = api;
    core.create(core.registry.endpointOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '', laterCrd);
    await run();
    expect(stored()?.['referenced.Cluster.LaterCluster.infrastructure.cluster.x-k8s.io']).toMatch(/^v1 \d+$/);
  });
});

describe('a kind whose version has expired', () => {
  it('enqueues every Cluster, because a list does not show deletions', async () => {
    const { api, run, createCluster, stored, expansions, options } = aWorld();
    await createCluster('one');
    await run();
    expect(expansions()).toEqual([]);
    const { watches } = options.kubernetes;
    const watch: Watches['watch'] = (query, at) =>
      query.kind === 'Machine' ? failing({ reason: 'Gone', code: 410, message: 'too old' }) : watches.watch(query, at);
    await api.others.create({
      ...clusterRef,
      kind: 'Machine',
      metadata: { namespace: 'default', name: 'm' },
      spec: machine,
    });
    expect(
      await run({ kubernetes: { ...options.kubernetes, watches: { page: watches.page.bind(watches), watch } } }),
    ).toEqual([]);
    expect(expansions()).toEqual([undefined]);
    expect(stored()?.['Machine.cluster.x-k8s.io']).toMatch(/^v1beta2 \d+$/);
  });
});

describe('a run that ends early', () => {
  it('stores nothing if a queue refuses, so that the next run sends the messages again', async () => {
    const { run, createCluster, options, stored } = aWorld();
    await createCluster('one');
    await run();
    const before = stored();
    await createCluster('two');
    const queues: QueueSender = {
      send: async (_queue, messages) => messages.map(() => ({ ok: false, error: new Error('Throttled') })),
    };
    await expect(run({ ...options, queues })).rejects.toThrow('Sending messages failed: Throttled');
    expect(stored()).toEqual(before);
    expect(await run()).toEqual(['event default/two']);
  });

  it('drops a message that no queue can accept, and stores its versions', async () => {
    const { run, createCluster, options, stored, log } = aWorld();
    await createCluster('one');
    await run();
    const before = stored();
    await createCluster('two');
    const queues: QueueSender = {
      send: async (_queue, messages) =>
        messages.map(() => ({ ok: false, error: new SendValidationError('body is empty') })),
    };
    await run({ ...options, queues });
    expect(stored()).not.toEqual(before);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ message: 'Dropping a message that no queue can accept', error: 'body is empty' }),
    );
    expect(await run()).toEqual([]);
  });

  it('stores nothing at its deadline', async () => {
    const { run, createCluster, options, stored, messages } = aWorld();
    await createCluster('one');
    await expect(run({ ...options, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(stored()).toBeUndefined();
    expect(messages()).toEqual([]);
    expect(await run()).toEqual(['list default/one']);
  });

  it('because a kind cannot be read sends all other kinds and names the failed one', async () => {
    const { api, run, createCluster, stored } = aWorld();
    await createCluster('one');
    await run();
    const machines = stored()?.['Machine.cluster.x-k8s.io'];
    await createCluster('two');
    api.calls.fail({
      at: ({ verb, kind }) => verb === 'page' && kind === 'Machine',
      failure: { reason: 'Forbidden', code: 403, message: 'machines is forbidden' },
      times: 1,
    });
    await expect(run()).rejects.toThrow('Reading changes failed for Machine.cluster.x-k8s.io: machines is forbidden');
    expect(stored()?.['Machine.cluster.x-k8s.io']).toBe(machines);
    expect(await run()).toContain('event default/two');
  });
});

describe('runs that overlap', () => {
  it('lose nothing, because the versions of either run are safe', async () => {
    const { api, clock, options, createCluster, run, messages, log } = aWorld();
    await createCluster('one');
    await run();
    await createCluster('two');
    const both = Promise.all([runWindow(options), runWindow(options)]);
    const isOver = both.then(() => true);
    while (!(await Promise.race([isOver, clock.advance(100)]))) {}
    const events = messages()
      .map(({ body }) => parseRequest(body))
      .filter(({ cause }) => cause === 'event');
    expect(events.map(({ key }) => key.name)).toEqual(['two']);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await api.others.mergePatch(named('one'), { metadata: { annotations: { a: 'b' } } });
    expect(await run()).toContain('event default/one');
  });
});

const laterCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'laterclusters.infrastructure.cluster.x-k8s.io', labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'LaterCluster', plural: 'laterclusters' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
