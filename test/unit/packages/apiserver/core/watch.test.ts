import { describe, expect, it } from 'vitest';
import { hasLabels } from '../../../../../packages/apiserver/core/selection.ts';
import {
  type ApiCoreWorld,
  aNamespace,
  at,
  aWidget,
  aWorld,
  drain,
  endpointOf,
  namespace,
  refusalOf,
  widgetCrd,
} from './core-with-widgets.ts';

function create(world: ApiCoreWorld, name: string, labels: object = {}): string {
  return world.core.create(world.widgets, namespace, aWidget(name, { metadata: { labels } })).metadata.resourceVersion;
}

function label(world: ApiCoreWorld, name: string, labels: object): void {
  world.core.patch(at(world.widgets, name), { type: 'merge', body: { metadata: { labels } } });
}

describe('a watch', () => {
  it('starts with every existing object when it names no version', () => {
    const world = aWorld();
    const [a, b] = [create(world, 'a'), create(world, 'b')];
    for (const resourceVersion of [undefined, '', '0']) {
      const watch = world.core.watch(world.widgets, resourceVersion === undefined ? {} : { resourceVersion });
      expect(drain(watch)).toEqual([`ADDED a@${a}`, `ADDED b@${b}`]);
    }
  });

  it('returns no change up to its version and every change after it', () => {
    const world = aWorld();
    const from = create(world, 'a');
    const b = create(world, 'b');
    const watch = world.core.watch(world.widgets, { resourceVersion: from });
    expect(drain(watch)).toEqual([`ADDED b@${b}`]);
    const c = create(world, 'c');
    expect(drain(watch)).toEqual([`ADDED c@${c}`]);
    expect(drain(watch)).toEqual([]);
    expect(watch.version()).toBe(c);
  });

  it('waits for a version in the future', () => {
    const world = aWorld();
    const future = String(Number(world.core.resourceVersion()) + 1);
    const watch = world.core.watch(world.widgets, { resourceVersion: future });
    create(world, 'a');
    expect(watch.version()).toBe(future);
    const b = create(world, 'b');
    expect(drain(watch)).toEqual([`ADDED b@${b}`]);
  });

  it('returns an object that stops to match as DELETED, in its last matching state with the new version', () => {
    const world = aWorld();
    const watch = world.core.watch(world.widgets, {
      matches: hasLabels({ set: 'x' }),
      resourceVersion: world.core.resourceVersion(),
    });
    create(world, 'a', { set: 'y' });
    label(world, 'a', { set: 'x' });
    label(world, 'a', { set: 'x', more: '1' });
    label(world, 'a', { set: 'y' });
    label(world, 'a', { set: 'z' });
    const reported = [watch.next(), watch.next(), watch.next()];
    expect(reported).toMatchObject([{ type: 'ADDED' }, { type: 'MODIFIED' }, { type: 'DELETED' }]);
    const left = Number(world.core.resourceVersion()) - 1;
    expect(reported[2]).toMatchObject({
      object: { metadata: { labels: { set: 'x', more: '1' }, resourceVersion: String(left) } },
    });
    expect(watch.next()).toBe('idle');
  });

  it('returns changes of its namespace only', () => {
    const world = aWorld();
    const watch = world.core.watch(world.widgets, { namespace: 'elsewhere' });
    create(world, 'a');
    expect(drain(watch)).toEqual([]);
  });

  it('returns objects in the watched version', () => {
    const world = aWorld();
    const alpha = world.core.registry.endpointOfKind('unit.example.com/v1alpha1', 'Widget');
    const watch = world.core.watch(alpha, {});
    create(world, 'a');
    expect(watch.next()).toMatchObject({ object: { apiVersion: 'unit.example.com/v1alpha1' } });
  });

  it('refuses a version that is not a number', () => {
    const { core, widgets } = aWorld();
    expect(refusalOf(() => core.watch(widgets, { resourceVersion: 'x' })).code).toBe(400);
  });

  it('is refused as Expired from before the start of the server', () => {
    const { core, widgets } = aWorld();
    expect(refusalOf(() => core.watch(widgets, { resourceVersion: '1' }))).toMatchObject({
      code: 410,
      reason: 'Expired',
    });
  });
});

describe('the window of history', () => {
  const window = { changes: 10, ms: 1000, most: 700 };

  it('is dropped on demand: resuming is Expired, readers that are up to date continue, others end', () => {
    const world = aWorld();
    const before = world.core.resourceVersion();
    const behind = world.core.watch(world.widgets, { resourceVersion: before });
    const a = create(world, 'a');
    const current = world.core.watch(world.widgets, { resourceVersion: a });
    world.core.compact();
    expect(refusalOf(() => world.core.watch(world.widgets, { resourceVersion: before })).code).toBe(410);
    expect(drain(behind)).toEqual(['ended']);
    const b = create(world, 'b');
    expect(drain(current)).toEqual([`ADDED b@${b}`]);
    expect(drain(world.core.watch(world.widgets, { resourceVersion: a }))).toEqual([`ADDED b@${b}`]);
  });

  it('keeps recent changes beyond its size, and drops old ones', async () => {
    const world = aWorld({ window });
    const { clock } = world;
    const timed = aWorld({ window, now: () => clock.now() });
    const start = timed.core.resourceVersion();
    const versions = Array.from({ length: 600 }, (_, index) => create(timed, `w${index}`));
    expect(drain(timed.core.watch(timed.widgets, { resourceVersion: start }))).toHaveLength(600);
    await clock.advance(window.ms + 1);
    const last = create(timed, 'last');
    expect(refusalOf(() => timed.core.watch(timed.widgets, { resourceVersion: start })).code).toBe(410);
    const recent = timed.core.watch(timed.widgets, { resourceVersion: versions.at(-5) ?? '' });
    expect(drain(recent)).toEqual([
      ...versions.slice(-4).map((version, index) => `ADDED w${596 + index}@${version}`),
      `ADDED last@${last}`,
    ]);
  });

  it('is bounded at any rate of changes', () => {
    const timed = aWorld({ window });
    const start = timed.core.resourceVersion();
    const versions = Array.from({ length: 1000 }, (_, index) => create(timed, `w${index}`));
    expect(refusalOf(() => timed.core.watch(timed.widgets, { resourceVersion: start })).code).toBe(410);
    const kept = timed.core.watch(timed.widgets, { resourceVersion: versions.at(-window.most) ?? '' });
    expect(drain(kept)).toHaveLength(window.most - 1);
  });

  it('reports readers that are late by more than its size', () => {
    const timed = aWorld({ window });
    const watch = timed.core.watch(timed.widgets, { resourceVersion: timed.core.resourceVersion() });
    const lateness = Array.from({ length: window.changes + 1 }, (_, index) => {
      create(timed, `w${index}`);
      return watch.isLate();
    });
    expect(lateness).toEqual([...Array(window.changes).fill(false), true]);
    watch.next();
    expect(watch.isLate()).toBe(false);
  });

  it('starts with the server, also for kinds without requests so far', () => {
    const { core } = aWorld();
    const start = core.resourceVersion();
    core.create(endpointOf(core, 'v1', 'Namespace'), '', aNamespace('later'));
    expect(drain(core.watch(endpointOf(core, 'v1', 'Secret'), { resourceVersion: start }))).toEqual([]);
  });

  it('of one kind is not shortened by the changes of another', async () => {
    const world = aWorld();
    const timed = aWorld({ window, now: () => world.clock.now() });
    const namespaces = timed.core.registry.endpointOfKind('v1', 'Namespace');
    const start = timed.core.resourceVersion();
    for (let index = 0; index < 600; index += 1) {
      create(timed, `w${index}`);
      await world.clock.advance(window.ms);
    }
    expect(drain(timed.core.watch(namespaces, { resourceVersion: start }))).toEqual([]);
  });

  it('restarts and ends the watches when the definition of the kind changes', () => {
    const world = aWorld();
    const a = create(world, 'a');
    const watch = world.core.watch(world.widgets, { resourceVersion: a });
    const definition = at(
      world.core.registry.endpointOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      widgetCrd.metadata.name,
    );
    world.core.patch(definition, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    expect(watch.next()).toBe('idle');
    world.core.patch(definition, { type: 'merge', body: { spec: { names: { shortNames: ['wd'] } } } });
    expect(drain(watch)).toEqual(['ended']);
    expect(refusalOf(() => world.core.watch(world.widgets, { resourceVersion: a })).code).toBe(410);
  });
});
