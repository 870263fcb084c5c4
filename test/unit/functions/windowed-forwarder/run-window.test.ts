// Runs of the windowed forwarder before the memory API: what it tells, what it remembers, and what ends it early.
import { describe, expect, it } from 'vitest';
import { clusterKind, clusterWatches } from '../../../../functions/cluster/watches.ts';
import { runWindow } from '../../../../functions/windowed-forwarder/run-window.ts';
import type { ApiFailure } from '../../../../shared/api/answer.ts';
import type { Kubernetes, Watches } from '../../../../shared/kubernetes/port.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics.ts';
import { parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { MemoryQueues } from '../../../../shared/workqueue/memory/queues.ts';
import { parseRequest } from '../../../../shared/workqueue/message.ts';
import type { QueueSender } from '../../../../shared/workqueue/port.ts';
import { aDeclaration, aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

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
const declaration = aDeclaration({ name: 'cluster', primary: clusterKind, watches: clusterWatches });

function aWorld() {
  const api = createMemoryApi();
  const { clock, others } = api;
  const queues = new MemoryQueues({
    clock,
    queues: ['work-cluster.fifo', 'work-topology.fifo', 'expand'].map(name => ({
      name,
      visibilityTimeoutSeconds: 180,
    })),
  });
  const log = aRecordingLog();
  let ids = 0;
  let told = 0;
  const options = {
    declarations: [declaration],
    kubernetes: api.kubernetes,
    queues: queues as QueueSender,
    queueDesign: 'default' as const,
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
  const messages = () => queues.messages('work-cluster.fifo');
  return {
    api,
    clock,
    log,
    queues,
    options,
    /** One run to its end, and what it told, each as `cause namespace/name`. */
    async run(change: Partial<typeof options> = {}): Promise<readonly string[]> {
      const ended = runWindow({ ...options, ...change });
      const isOver = ended.then(
        () => true,
        () => true,
      );
      while (!(await Promise.race([isOver, clock.advance(100)]))) {}
      await ended;
      const all = messages().map(({ body }) => parseRequest(body));
      const fresh = all.slice(told);
      told = all.length;
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
  clusterName: 'nobody',
  bootstrap: { dataSecretName: 'b' },
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name: 'm' },
};

async function* failing(failure: ApiFailure): ReturnType<Watches['watch']> {
  yield { type: 'FAILED', failure };
}

describe('the first run', () => {
  it('tells every object and remembers where each kind was left', async () => {
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

  it('looks at the objects that Clusters name, too', async () => {
    const { api, run, createCluster, expansions, stored } = aWorld();
    await createCluster('one', withInfra('one'));
    await api.others.create({ ...infraRef, metadata: { namespace: 'default', name: 'one' }, spec: {} });
    await run();
    expect(expansions()).toEqual(['one']);
    expect(stored()?.['referenced.SimulatedCluster.infrastructure.cluster.x-k8s.io']).toMatch(/^v1beta2 \d+$/);
  });
});

describe('a later run', () => {
  it('tells what changed since, once per key, named as a watch would name it', async () => {
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

  it('tells nothing when nothing happened, and writes the ConfigMap once at most', async () => {
    const { api, run, createCluster } = aWorld();
    await createCluster('one');
    await run();
    api.calls.reset();
    expect(await run()).toEqual([]);
    expect(api.calls.writes.filter(line => !line.startsWith('patch ConfigMap '))).toEqual([]);
    expect(api.calls.writes.length).toBeLessThanOrEqual(1);
  });

  it('moves quiet kinds on by a bookmark, so that their version is never too old', async () => {
    const { run, createCluster, stored } = aWorld();
    await run();
    const before = stored()?.['Machine.cluster.x-k8s.io'] ?? '';
    await createCluster('one');
    await run();
    const after = stored()?.['Machine.cluster.x-k8s.io'] ?? '';
    expect(Number(after.split(' ')[1])).toBeGreaterThan(Number(before.split(' ')[1]));
  });

  it('lists everything again when the version is gone', async () => {
    const { api, run, createCluster, annotate } = aWorld();
    await createCluster('one');
    await createCluster('two');
    await run();
    await annotate(named('one'), 'a');
    api.core.compact();
    expect(await run()).toEqual(['list default/one', 'list default/two']);
  });

  it('lists everything again when the versions are of another history', async () => {
    const { api, run, createCluster, stored } = aWorld();
    await createCluster('one');
    await run();
    const data = Object.fromEntries(Object.keys(stored() ?? {}).map(key => [key, 'v1beta2 999999']));
    await api.others.mergePatch(configMap, { data: { ...data, settings: stored()?.['settings'] } });
    expect(await run()).toEqual(['list default/one']);
  });

  it.each([
    { change: { watchFilter: 'blue' }, reason: 'another filter lets other objects pass' },
    { change: { managementCluster: 'other' }, reason: 'the ConfigMap was copied from another cluster' },
    {
      change: { declarations: [declaration, aDeclaration({ name: 'topology', primary: clusterKind })] },
      reason: 'a new reconciler has seen nothing yet',
    },
  ])('lists everything again when it is another forwarder: $reason', async ({ change }) => {
    const { api, run, createCluster, options } = aWorld();
    await createCluster('one');
    await run();
    api.calls.reset();
    await run({ ...options, ...change });
    expect(api.calls.all.filter(({ verb, kind }) => verb === 'watch' && kind === 'Cluster')).toEqual([]);
  });

  it('takes what it cannot read in the ConfigMap for nothing', async () => {
    const { api, run, createCluster } = aWorld();
    await createCluster('one');
    await run();
    await api.others.mergePatch(configMap, { data: { 'Cluster.cluster.x-k8s.io': 'rubbish' } });
    expect(await run()).toEqual(['list default/one']);
  });
});

describe('kinds that Clusters name', () => {
  it('are told of from the run in which a Cluster names them', async () => {
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

  it('are forgotten when the last Cluster that names them is deleted', async () => {
    const { api, run, createCluster, stored } = aWorld();
    await createCluster('one', withInfra('one'));
    await createCluster('two', withInfra('one'));
    await run();
    await api.others.delete(named('one'));
    await run();
    expect(stored()).toHaveProperty(['referenced.SimulatedCluster.infrastructure.cluster.x-k8s.io']);
    await api.others.delete(named('two'));
    await run();
    expect(stored()).not.toHaveProperty(['referenced.SimulatedCluster.infrastructure.cluster.x-k8s.io']);
  });

  it('are listed once their CRD is there', async () => {
    const { api, run, createCluster, stored } = aWorld();
    const ref = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'LaterCluster', name: 'one' };
    await createCluster('one', { infrastructureRef: ref });
    await run();
    expect(stored()?.['referenced.LaterCluster.infrastructure.cluster.x-k8s.io']).toBe('missing');
    const { core } = api;
    core.create(core.registry.endpointOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '', laterCrd);
    await run();
    expect(stored()?.['referenced.LaterCluster.infrastructure.cluster.x-k8s.io']).toMatch(/^v1 \d+$/);
  });
});

describe('a kind whose version the server has forgotten', () => {
  it('has every Cluster looked at, since what went meanwhile is in no list', async () => {
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

describe('a run that is ended early', () => {
  it('stores nothing when a queue refuses: the next run tells it again', async () => {
    const { run, createCluster, options, stored } = aWorld();
    await createCluster('one');
    await run();
    const before = stored();
    await createCluster('two');
    const queues: QueueSender = {
      send: async (_queue, messages) => messages.map(() => ({ ok: false, error: new Error('Throttled') })),
    };
    await expect(run({ ...options, queues })).rejects.toThrow('Sending what changed failed: Throttled');
    expect(stored()).toEqual(before);
    expect(await run()).toEqual(['event default/two']);
  });

  it('stores nothing when its time is up', async () => {
    const { run, createCluster, options, stored, messages } = aWorld();
    await createCluster('one');
    await expect(run({ ...options, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(stored()).toBeUndefined();
    expect(messages()).toEqual([]);
    expect(await run()).toEqual(['list default/one']);
  });

  it('by a kind that cannot be read tells all others and names it', async () => {
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
    await expect(run()).rejects.toThrow(
      'Looking for changes failed for Machine.cluster.x-k8s.io: machines is forbidden',
    );
    expect(stored()?.['Machine.cluster.x-k8s.io']).toBe(machines);
    expect(await run()).toContain('event default/two');
  });
});

describe('runs that overlap', () => {
  it('lose nothing: either one’s versions are safe to go on from', async () => {
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
