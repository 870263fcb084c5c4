import type { Kubernetes } from '@capi-serverless/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { type RequestFact, requests } from '../../../../../shared/diagnostics/channels.ts';
import { createMemoryKubernetes } from '../../../../../shared/kubernetes/memory/memory-kubernetes.ts';
import { owners } from '../../../../ports/apiserver/applied.ts';
import { aCluster } from '../../../../support/builders.ts';
import { createMemoryApi } from '../../../../support/memory-api.ts';
import { settled } from '../../../../support/stepped-clock.ts';

const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name: 'c1' } as const;
const query = { apiVersion: ref.apiVersion, kind: 'Cluster', as: 'object' } as const;

/** Returns the events of the watch so far. */
function follow(kubernetes: Kubernetes, resourceVersion: string, options: { readonly timeoutSeconds?: number } = {}) {
  const reported: string[] = [];
  const controller = new AbortController();
  const done = (async () => {
    for await (const event of kubernetes.watches.watch(query, {
      resourceVersion,
      signal: controller.signal,
      ...options,
    })) {
      reported.push(event.type === 'BOOKMARK' ? `BOOKMARK@${event.resourceVersion}` : event.type);
    }
  })();
  return { reported, done, abort: () => controller.abort() };
}

describe('request facts', () => {
  const facts: RequestFact[] = [];
  const collect = (fact: unknown): void => {
    facts.push(fact as RequestFact); // True: the channel contains nothing else.
  };
  afterEach(() => {
    requests.unsubscribe(collect);
    facts.length = 0;
  });

  it('report verb, resource, object, code and client of every request', async () => {
    const { core } = createMemoryApi();
    const kubernetes = createMemoryKubernetes(core, { client: 'cluster' });
    requests.subscribe(collect);
    await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } });
    await kubernetes.create(aCluster().intent());
    await kubernetes.create(aCluster().intent());
    await kubernetes.mergePatch(ref, { status: { phase: 'Pending' } }, { subresource: 'status' });
    await kubernetes.list({ apiVersion: ref.apiVersion, kind: 'Cluster' });
    await kubernetes.get({ ...ref, apiVersion: 'ghost.example.com/v1', kind: 'Ghost' });
    await kubernetes.dryRun.apply(aCluster().intent(), { fieldManager: 'm', force: true });
    await kubernetes.delete(ref);
    expect(
      facts.map(
        fact =>
          `${fact.client} ${fact.verb} ${fact.resource}.${fact.group} ${fact.namespace ?? ''}/${fact.name ?? ''} ${fact.dryRun ? 'dry ' : ''}${fact.code}`,
      ),
    ).toEqual([
      'cluster create namespaces. /ns 201',
      'cluster create clusters.cluster.x-k8s.io ns/c1 201',
      'cluster create clusters.cluster.x-k8s.io ns/c1 409',
      'cluster patch clusters/status.cluster.x-k8s.io ns/c1 200',
      'cluster list clusters.cluster.x-k8s.io / 200',
      'cluster get ghosts.ghost.example.com ns/c1 404',
      'cluster apply clusters.cluster.x-k8s.io ns/c1 dry 200',
      'cluster delete clusters.cluster.x-k8s.io ns/c1 200',
    ]);
  });

  it('report a watch when it ends', async () => {
    const { core, kubernetes } = createMemoryApi();
    requests.subscribe(collect);
    const watch = follow(kubernetes, core.resourceVersion());
    await settled();
    expect(facts).toEqual([]);
    watch.abort();
    await watch.done;
    expect(facts).toMatchObject([{ verb: 'watch', resource: 'clusters', code: 200 }]);
  });
});

describe('the memory adapter', () => {
  it('records the field manager: the named one, or else this program', async () => {
    const api = createMemoryApi();
    const managersOf = async () => {
      const answer = await api.kubernetes.get(ref);
      return answer.ok ? Object.keys(owners(answer.value)) : [];
    };
    await api.kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } });
    await api.kubernetes.create(aCluster().intent());
    expect(await managersOf()).toEqual(['capi-serverless/Update']);
    await api.kubernetes.mergePatch(ref, { metadata: { labels: { a: 'b' } } }, { fieldManager: 'other' });
    expect(await managersOf()).toEqual(['capi-serverless/Update', 'other/Update']);
  });

  it('returns frozen objects', async () => {
    const api = createMemoryApi();
    api.given(aCluster());
    const answer = await api.kubernetes.get(ref);
    const listed = await api.kubernetes.list(query);
    if (!answer.ok || !listed.ok) {
      throw new Error('The Cluster was given');
    }
    expect(() => Object.assign(answer.value.metadata, { name: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(listed.value, { 0: undefined })).toThrow(TypeError);
  });

  it.each([
    {
      reason: 'a namespaced object without namespace',
      of: { apiVersion: ref.apiVersion, kind: 'Cluster', name: 'c1' },
    },
    {
      reason: 'a cluster-scoped object in a namespace',
      of: { apiVersion: 'v1', kind: 'Namespace', namespace: 'ns', name: 'ns' },
    },
  ])('does not find $reason', async ({ of }) => {
    const api = createMemoryApi();
    api.given(aCluster());
    expect(await api.kubernetes.get(of)).toMatchObject({ ok: false, failure: { code: 404 } });
  });

  it('sends no request without a name', async () => {
    const { kubernetes } = createMemoryApi();
    expect(await kubernetes.get({ ...ref, name: '' })).toMatchObject({ ok: false, failure: { reason: 'BadRequest' } });
  });

  it('keeps the content of Secrets out of failures', async () => {
    const { kubernetes } = createMemoryApi();
    const metadata = { name: 's', namespace: 'default', labels: { a: 'hush!' } };
    const answer = await kubernetes.create({ apiVersion: 'v1', kind: 'Secret', metadata });
    expect(answer).toMatchObject({ ok: false, failure: { reason: 'Invalid', causes: ['metadata.labels'] } });
    expect(JSON.stringify(answer)).not.toContain('hush');
  });

  it('reads long lists in pages', async () => {
    const api = createMemoryApi();
    const names = Array.from({ length: 1001 }, (_, index) => `c${1000 + index}`);
    api.given(...names.map(name => aCluster().named(name)));
    const sent: unknown[] = [];
    const count = (fact: unknown): unknown => sent.push(fact);
    requests.subscribe(count);
    const answer = await api.others.list(query);
    requests.unsubscribe(count);
    expect(answer.ok && answer.value.map(item => item.metadata.name)).toEqual(names);
    expect(sent).toHaveLength(3);
  });

  it('sends nothing after either of two signals has aborted', async () => {
    const { kubernetes } = createMemoryApi();
    const [first, second] = [new AbortController(), new AbortController()];
    const client = kubernetes.within(first.signal).within(second.signal);
    expect(await client.list(query)).toMatchObject({ ok: true });
    first.abort();
    expect(await client.list(query)).toMatchObject({ ok: false, failure: { reason: 'Aborted' } });
  });
});

describe('a watch of the memory adapter', () => {
  it('ends after its timeout on the given clock', async () => {
    const api = createMemoryApi();
    const watch = follow(api.others, api.core.resourceVersion(), { timeoutSeconds: 2 });
    await api.clock.advance(1999);
    api.given(aCluster());
    await settled();
    await api.clock.advance(1);
    await watch.done;
    expect(watch.reported).toEqual(['ADDED']);
    expect(api.clock.sleepers).toBe(0);
  });

  it('sends a bookmark two seconds before its end', async () => {
    const api = createMemoryApi();
    const from = api.core.resourceVersion();
    const watch = follow(api.others, from, { timeoutSeconds: 5 });
    await api.clock.advance(2_999);
    expect(watch.reported).toEqual([]);
    await api.clock.advance(1);
    expect(watch.reported).toEqual([`BOOKMARK@${from}`]);
    await api.clock.advance(2_000);
    await watch.done;
    expect(watch.reported).toHaveLength(1);
  });

  it('sends a requested bookmark after all preceding events', async () => {
    const api = createMemoryApi();
    const watch = follow(api.others, api.core.resourceVersion());
    await settled();
    api.given(aCluster());
    api.core.requestBookmarks();
    await settled();
    expect(watch.reported).toEqual(['ADDED', `BOOKMARK@${api.core.resourceVersion()}`]);
    watch.abort();
    await watch.done;
  });

  it('ends when its version has expired', async () => {
    const api = createMemoryApi();
    const watch = follow(api.others, api.core.resourceVersion());
    await settled();
    api.given(aCluster());
    api.core.compact();
    await watch.done;
    expect(watch.reported).toEqual([]);
  });

  it('sends nothing if its signal aborted before it began', async () => {
    const api = createMemoryApi();
    api.given(aCluster());
    const signal = AbortSignal.abort();
    const stream = api.others.watches.watch(query, { resourceVersion: '0', signal });
    expect(await stream[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  });
});
