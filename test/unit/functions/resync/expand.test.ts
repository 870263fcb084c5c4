import { type ObjectRef, refused, type Unstructured, type Watches } from '@capi-serverless/apimachinery';
import { TerminalError, type Watch } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { expand } from '../../../../functions/resync/expand.ts';
import type { Expansion } from '../../../../shared/workqueue/expand.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { clusterKind, infraApiVersion, ResyncWorld } from './resync-with-queues.ts';

/** Returns true if `spec.infrastructureRef` has the name and kind of the source. */
function namesSource(primary: Unstructured, source: ObjectRef): boolean {
  // true: the tests below write the spec
  const spec = primary.spec as { readonly infra?: string; readonly classRef?: string };
  return source.kind === 'SimulatedCluster' ? spec.infra === source.name : spec.classRef === source.name;
}

const expandOnly: Pick<Watch, 'as' | 'map'> = { as: 'metadata', map: () => 'expand' };
const clusters = aDeclaration({
  name: 'cluster',
  primary: clusterKind,
  watches: [
    { ...expandOnly, source: 'referenced', matches: namesSource },
    { ...expandOnly, source: { ...clusterKind, kind: 'ClusterClass' }, matches: namesSource },
    { ...expandOnly, source: { ...clusterKind, kind: 'Machine' } },
  ],
  references: () => [],
});

function anExpansion(name: string, change: Partial<Expansion> = {}): Expansion {
  const source = { apiVersion: infraApiVersion, kind: 'SimulatedCluster', namespace: 'default', name };
  return { v: 1, reconciler: 'cluster', source, trace: `trace-${name}`, ...change };
}

function aWorld(): ResyncWorld {
  const world = new ResyncWorld([clusters], [clusterKind]);
  world.api.put(clusterKind, { namespace: 'default', name: 'one' }, { spec: { infra: 'one', classRef: 'quick' } });
  world.api.put(clusterKind, { namespace: 'default', name: 'two' }, { spec: { infra: 'two' } });
  world.api.put(clusterKind, { namespace: 'other', name: 'one' }, { spec: { infra: 'one', classRef: 'quick' } });
  return world;
}

describe('expanding', () => {
  it('enqueues the Clusters of a namespace that reference an infrastructure object without owner', async () => {
    const world = aWorld();
    expect(await expand(world.options(), [anExpansion('one')])).toEqual(new Map());
    expect(world.sent).toMatchObject([
      {
        queue: 'work-cluster.fifo',
        delaySeconds: undefined,
        request: { cause: 'expand', attempt: 0, trace: 'trace-one', key: { namespace: 'default', name: 'one' } },
      },
    ]);
  });

  it('searches all namespaces for references to an object of a declared kind', async () => {
    const world = aWorld();
    const source = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: 'other', name: 'quick' };
    await expand(world.options(), [anExpansion('quick', { source })]);
    expect(world.messageTexts()).toEqual(['work-cluster.fifo default/one', 'work-cluster.fifo other/one']);
  });

  it('reads only the fields that the watches compare, and metadata for a whole kind', async () => {
    const watch = { ...expandOnly, source: { ...clusterKind, kind: 'ClusterClass' }, matches: namesSource };
    const watches = [{ ...watch, matchParts: ['spec.classRef'] }];
    const world = new ResyncWorld([aDeclaration({ name: 'cluster', primary: clusterKind, watches })], [clusterKind]);
    const options = world.options();
    const queries: unknown[] = [];
    const page: Watches['page'] = (query, more) => {
      queries.push(query);
      return options.watches.page(query, more);
    };
    const source = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: 'other' };
    await expand({ ...options, watches: { page } }, [anExpansion('quick', { source: { ...source, name: 'quick' } })]);
    await expand({ ...options, watches: { page } }, [anExpansion('all', { source })]);
    expect(queries).toMatchObject([{ as: 'object', parts: ['spec.classRef'] }, { as: 'metadata' }]);
  });

  it('enqueues a primary that is too large to be compared', async () => {
    const world = aWorld();
    const options = world.options();
    const page: Watches['page'] = async (query, more) => {
      const answer = await options.watches.page(query, more);
      return query.as === 'object'
        ? refused({ reason: 'InternalError', message: 'too large', tooLarge: true })
        : answer;
    };
    await expand({ ...options, watches: { page } }, [anExpansion('absent')]);
    expect(world.messageTexts()).toEqual(['work-cluster.fifo default/one', 'work-cluster.fifo default/two']);
  });

  const scoped = (scopeOf: Watch['scopeOf'], ...more: readonly Watch['scopeOf'][]) => {
    const watch = { ...expandOnly, source: { ...clusterKind, kind: 'ClusterClass' }, matches: () => true };
    const watches = [scopeOf, ...more].map(each => (each === undefined ? watch : { ...watch, scopeOf: each }));
    const world = new ResyncWorld([aDeclaration({ name: 'cluster', primary: clusterKind, watches })], [clusterKind]);
    const labels = { tier: 'front' };
    world.api.put(clusterKind, { namespace: 'default', name: 'one', labels });
    world.api.put(clusterKind, { namespace: 'default', name: 'two' });
    world.api.put(clusterKind, { namespace: 'other', name: 'one', labels });
    return world;
  };
  const ofClass = anExpansion('quick', {
    source: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: 'default', name: 'quick' },
  });

  it.each([
    { reason: 'its namespace', scope: { namespace: 'default' }, enqueued: ['default/one', 'default/two'] },
    { reason: 'its labels', scope: { labels: { tier: 'front' } }, enqueued: ['default/one', 'other/one'] },
    { reason: 'both', scope: { namespace: 'default', labels: { tier: 'front' } }, enqueued: ['default/one'] },
    { reason: 'nothing', scope: {}, enqueued: ['default/one', 'default/two', 'other/one'] },
  ])('the scope of a watch limits the list to $reason', async ({ scope, enqueued }) => {
    const world = scoped(() => scope);
    await expand(world.options(), [ofClass]);
    expect(world.messageTexts()).toEqual(enqueued.map(each => `work-cluster.fifo ${each}`));
  });

  it('two watches with different scopes list everything, and with equal ones the scope', async () => {
    const narrow = () => ({ namespace: 'other' });
    const different = scoped(narrow, () => ({ namespace: 'default' }));
    await expand(different.options(), [ofClass]);
    expect(different.messageTexts()).toHaveLength(3);
    const equal = scoped(narrow, () => ({ namespace: 'other' }));
    await expand(equal.options(), [ofClass]);
    expect(equal.messageTexts()).toEqual(['work-cluster.fifo other/one']);
  });

  it('enqueues nothing if no object references the source', async () => {
    const world = aWorld();
    expect(await expand(world.options(), [anExpansion('three')])).toEqual(new Map());
    expect(world.sent).toEqual([]);
  });

  it('lists once for a whole batch, and enqueues each primary once', async () => {
    const world = aWorld();
    await expand(world.options(), [anExpansion('one'), anExpansion('two'), anExpansion('one')]);
    expect(world.api.asked).toEqual(['list Cluster']);
    expect(world.messageTexts()).toEqual(['work-cluster.fifo default/one', 'work-cluster.fifo default/two']);
  });

  it.each([
    {
      kind: 'SimulatedCluster',
      enqueued: ['default/one', 'default/two'],
      reason: 'references do not cross namespaces',
    },
    { kind: 'simulatedclusters', enqueued: ['default/one', 'default/two'], reason: 'a resource name is accepted' },
    { kind: 'Machine', enqueued: ['default/one', 'default/two'], reason: 'mapped kinds do not cross namespaces' },
    {
      kind: 'ClusterClass',
      enqueued: ['default/one', 'default/two', 'other/one'],
      reason: 'a class may be referenced from any namespace',
    },
  ])('enqueues all that an unnamed $kind may concern: $reason', async ({ kind, enqueued }) => {
    const world = aWorld();
    const group = kind.toLowerCase().startsWith('simulated') ? infraApiVersion : 'cluster.x-k8s.io/v1beta2';
    const source = { apiVersion: group, kind, namespace: 'default' };
    expect(await expand(world.options(), [anExpansion('', { source })])).toEqual(new Map());
    expect(world.messageTexts()).toEqual(enqueued.map(name => `work-cluster.fifo ${name}`));
  });

  it('finds a primary on the last of many pages', async () => {
    const world = new ResyncWorld([clusters], [clusterKind]);
    for (let index = 0; index < 10_001; index += 1) {
      world.api.put(clusterKind, { namespace: 'default', name: `c${index}` }, { spec: { infra: `i${index}` } });
    }
    expect(await expand(world.options(), [anExpansion('i0'), anExpansion('i10000')])).toEqual(new Map());
    expect(world.api.asked).toHaveLength(21);
    expect(world.messageTexts()).toEqual(['work-cluster.fifo default/c0', 'work-cluster.fifo default/c10000']);
  });

  it('skips primaries of another watch filter', async () => {
    const world = aWorld();
    await expand(world.options({ watchFilter: 'blue' }), [anExpansion('one')]);
    expect(world.sent).toEqual([]);
  });

  it('does nothing while the primary kind is not installed', async () => {
    const world = new ResyncWorld([clusters], []);
    expect(await expand(world.options(), [anExpansion('one')])).toEqual(new Map());
    expect(world.api.asked).toHaveLength(2);
  });

  it('retries once if the server does not serve the primary kind yet', async () => {
    const world = aWorld();
    world.api.fail(clusterKind, { reason: 'NotFound', code: 404, message: '404 page not found' });
    const page = world.api.page.bind(world.api);
    world.api.page = async (query, options) => {
      const answer = await page(query, options);
      world.api.fail(clusterKind, undefined);
      return answer;
    };
    expect(await expand(world.options(), [anExpansion('one')])).toEqual(new Map());
    expect(world.messageTexts()).toEqual(['work-cluster.fifo default/one']);
  });

  it.each([
    { change: { reconciler: 'gone' }, reason: 'no such reconciler' },
    {
      change: { source: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm' } },
      reason: 'no way to select',
      onlyDeclared: true,
    },
  ])('reports a terminal error: $reason', async ({ change, onlyDeclared }) => {
    const declared = { ...clusters, watches: clusters.watches.filter(({ source }) => source !== 'referenced') };
    const world = new ResyncWorld([onlyDeclared === true ? declared : clusters], [clusterKind]);
    const expansion = anExpansion('one', change);
    const failures = await expand(world.options(), [expansion]);
    expect(failures.get(expansion)).toBeInstanceOf(TerminalError);
    expect(failures.get(expansion)?.message).toMatch(/^Expanding .* failed: reconciler ".*" selects by no such kind$/);
  });

  it('fails the expansions of a failed list, and no others', async () => {
    const widgets = aDeclaration({ watches: [{ ...expandOnly, source: 'referenced', matches: () => true }] });
    const world = new ResyncWorld([clusters, widgets], [clusterKind, widgetKind]);
    world.api.put(widgetKind, { namespace: 'default', name: 'w' });
    world.api.fail(clusterKind, { reason: 'Unavailable', message: 'connection refused' });
    const [failing, served] = [anExpansion('one'), anExpansion('one', { reconciler: 'widget' })];
    const failures = await expand(world.options(), [failing, served]);
    expect([...failures.keys()]).toEqual([failing]);
    expect(failures.get(failing)?.message).toBe('Listing Cluster.cluster.x-k8s.io failed: connection refused');
    expect(world.messageTexts()).toEqual(['work-widget.fifo default/w']);
  });

  it('fails if a queue refuses a message', async () => {
    const world = aWorld();
    world.refused.add('one');
    const expansion = anExpansion('one');
    const failures = await expand(world.options(), [expansion]);
    expect(failures.get(expansion)?.message).toBe('Enqueueing Cluster.cluster.x-k8s.io failed: Throttled');
  });

  it('enqueues a primary whose mapping throws, and logs the error', async () => {
    const world = aWorld();
    // The object was stored before its kind had a schema, so it may differ from its type.
    world.api.put(clusterKind, { namespace: 'default', name: 'odd' }, { spec: null });
    expect(await expand(world.options(), [anExpansion('two')])).toEqual(new Map());
    expect(world.messageTexts()).toEqual(['work-cluster.fifo default/odd', 'work-cluster.fifo default/two']);
    expect(world.log.lines).toMatchObject([{ level: 'error', name: 'odd' }]);
  });
});
