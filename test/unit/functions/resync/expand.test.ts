import { describe, expect, it } from 'vitest';
import { expand } from '../../../../functions/resync/expand.ts';
import type { ObjectRef, Unstructured } from '../../../../shared/api/object.ts';
import { TerminalError } from '../../../../shared/kernel/errors.ts';
import type { Watch } from '../../../../shared/kernel/types.ts';
import type { Expansion } from '../../../../shared/workqueue/expand.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { clusterKind, infraApiVersion, World } from './world.ts';

/** `spec.infrastructureRef.name` and kind are the source's. */
function namesSource(primary: Unstructured, source: ObjectRef): boolean {
  // The tests below write the spec.
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
});

function anExpansion(name: string, change: Partial<Expansion> = {}): Expansion {
  const source = { apiVersion: infraApiVersion, kind: 'SimulatedCluster', namespace: 'default', name };
  return { v: 1, reconciler: 'cluster', source, trace: `trace-${name}`, ...change };
}

function aWorld(): World {
  const world = new World([clusters], [clusterKind]);
  world.api.put(clusterKind, { namespace: 'default', name: 'one' }, { spec: { infra: 'one', classRef: 'quick' } });
  world.api.put(clusterKind, { namespace: 'default', name: 'two' }, { spec: { infra: 'two' } });
  world.api.put(clusterKind, { namespace: 'other', name: 'one' }, { spec: { infra: 'one', classRef: 'quick' } });
  return world;
}

describe('expanding', () => {
  it('wakes the Clusters that name an infrastructure object without owner, in its namespace', async () => {
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

  it('looks in every namespace for those that name an object of a declared kind', async () => {
    const world = aWorld();
    const source = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: 'other', name: 'quick' };
    await expand(world.options(), [anExpansion('quick', { source })]);
    expect(world.told()).toEqual(['work-cluster.fifo default/one', 'work-cluster.fifo other/one']);
  });

  it('wakes nobody when nobody names the source', async () => {
    const world = aWorld();
    expect(await expand(world.options(), [anExpansion('three')])).toEqual(new Map());
    expect(world.sent).toEqual([]);
  });

  it('lists once for a whole batch, and wakes each primary once', async () => {
    const world = aWorld();
    await expand(world.options(), [anExpansion('one'), anExpansion('two'), anExpansion('one')]);
    expect(world.api.asked).toEqual(['list Cluster']);
    expect(world.told()).toEqual(['work-cluster.fifo default/one', 'work-cluster.fifo default/two']);
  });

  it.each([
    { kind: 'SimulatedCluster', woken: ['default/one', 'default/two'], reason: 'references stay in their namespace' },
    { kind: 'simulatedclusters', woken: ['default/one', 'default/two'], reason: 'the resource name will do' },
    { kind: 'Machine', woken: ['default/one', 'default/two'], reason: 'what mapping alone tells stays near' },
    {
      kind: 'ClusterClass',
      woken: ['default/one', 'default/two', 'other/one'],
      reason: 'a class may be named from any namespace',
    },
  ])('wakes all that an unnamed $kind may concern: $reason', async ({ kind, woken }) => {
    const world = aWorld();
    const group = kind.toLowerCase().startsWith('simulated') ? infraApiVersion : 'cluster.x-k8s.io/v1beta2';
    const source = { apiVersion: group, kind, namespace: 'default' };
    expect(await expand(world.options(), [anExpansion('', { source })])).toEqual(new Map());
    expect(world.told()).toEqual(woken.map(name => `work-cluster.fifo ${name}`));
  });

  it('finds the one that is meant on the last of many pages', async () => {
    const world = new World([clusters], [clusterKind]);
    for (let index = 0; index < 10_001; index += 1) {
      world.api.put(clusterKind, { namespace: 'default', name: `c${index}` }, { spec: { infra: `i${index}` } });
    }
    expect(await expand(world.options(), [anExpansion('i0'), anExpansion('i10000')])).toEqual(new Map());
    expect(world.api.asked).toHaveLength(21);
    expect(world.told()).toEqual(['work-cluster.fifo default/c0', 'work-cluster.fifo default/c10000']);
  });

  it('leaves primaries of another watch filter alone', async () => {
    const world = aWorld();
    await expand(world.options({ watchFilter: 'blue' }), [anExpansion('one')]);
    expect(world.sent).toEqual([]);
  });

  it('has nothing to do while the primaries are not installed', async () => {
    const world = new World([clusters], []);
    expect(await expand(world.options(), [anExpansion('one')])).toEqual(new Map());
    expect(world.api.asked).toHaveLength(2);
  });

  it('asks a server once more that does not serve the primaries yet', async () => {
    const world = aWorld();
    world.api.fail(clusterKind, { reason: 'NotFound', code: 404, message: '404 page not found' });
    const page = world.api.page.bind(world.api);
    world.api.page = async (query, options) => {
      const answer = await page(query, options);
      world.api.fail(clusterKind, undefined);
      return answer;
    };
    expect(await expand(world.options(), [anExpansion('one')])).toEqual(new Map());
    expect(world.told()).toEqual(['work-cluster.fifo default/one']);
  });

  it.each([
    { change: { reconciler: 'gone' }, reason: 'no such reconciler' },
    {
      change: { source: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm' } },
      reason: 'no way to select',
      onlyDeclared: true,
    },
  ])('refuses for good what it can never serve: $reason', async ({ change, onlyDeclared }) => {
    const declared = { ...clusters, watches: clusters.watches.filter(({ source }) => source !== 'referenced') };
    const world = new World([onlyDeclared === true ? declared : clusters], [clusterKind]);
    const expansion = anExpansion('one', change);
    const failures = await expand(world.options(), [expansion]);
    expect(failures.get(expansion)).toBeInstanceOf(TerminalError);
    expect(failures.get(expansion)?.message).toMatch(/^Expanding .* failed: reconciler ".*" selects by no such kind$/);
  });

  it('fails those whose listing failed, and no others', async () => {
    const widgets = aDeclaration({ watches: [{ ...expandOnly, source: 'referenced', matches: () => true }] });
    const world = new World([clusters, widgets], [clusterKind, widgetKind]);
    world.api.put(widgetKind, { namespace: 'default', name: 'w' });
    world.api.fail(clusterKind, { reason: 'Unavailable', message: 'connection refused' });
    const [failing, served] = [anExpansion('one'), anExpansion('one', { reconciler: 'widget' })];
    const failures = await expand(world.options(), [failing, served]);
    expect([...failures.keys()]).toEqual([failing]);
    expect(failures.get(failing)?.message).toBe('Listing Cluster.cluster.x-k8s.io failed: connection refused');
    expect(world.told()).toEqual(['work-widget.fifo default/w']);
  });

  it('fails where a queue refuses', async () => {
    const world = aWorld();
    world.refused.add('one');
    const expansion = anExpansion('one');
    const failures = await expand(world.options(), [expansion]);
    expect(failures.get(expansion)?.message).toBe('Waking Cluster.cluster.x-k8s.io failed: Throttled');
  });

  it('wakes a primary that cannot be judged, and logs why', async () => {
    const world = aWorld();
    // Stored before the kind had a schema: not what its type says.
    world.api.put(clusterKind, { namespace: 'default', name: 'odd' }, { spec: null });
    expect(await expand(world.options(), [anExpansion('two')])).toEqual(new Map());
    expect(world.told()).toEqual(['work-cluster.fifo default/odd', 'work-cluster.fifo default/two']);
    expect(world.log.lines).toMatchObject([{ level: 'error', name: 'odd' }]);
  });
});
