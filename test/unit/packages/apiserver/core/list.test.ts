import { describe, expect, it } from 'vitest';
import { hasLabels } from '../../../../../packages/apiserver/core/selection.ts';
import {
  type ApiCoreWorld,
  aNamespace,
  at,
  aWidget,
  aWorld,
  endpointOf,
  namespace,
  refusalOf,
} from './core-with-widgets.ts';

function create(world: Pick<ApiCoreWorld, 'core' | 'widgets'>, ...names: readonly string[]): void {
  for (const name of names) {
    world.core.create(world.widgets, namespace, aWidget(name, { metadata: { labels: { all: '' } } }));
  }
}

describe('a list', () => {
  it('is ordered by namespace, then name', () => {
    const world = aWorld();
    world.core.create(endpointOf(world.core, 'v1', 'Namespace'), '', aNamespace('a-first'));
    create(world, 'b', 'a.b', 'a-b', 'a');
    world.core.create(world.widgets, 'a-first', aWidget('z', { metadata: { namespace: 'a-first' } }));
    const { items, resourceVersion } = world.core.list(world.widgets, {});
    expect(items.map(item => item.metadata.name)).toEqual(['z', 'a', 'a-b', 'a.b', 'b']);
    expect(resourceVersion).toBe(world.core.resourceVersion());
  });

  it('pages through the state of its first page', () => {
    const world = aWorld();
    create(world, 'a', 'b', 'c', 'd', 'e');
    const first = world.core.list(world.widgets, { namespace, limit: 2 });
    expect(first).toMatchObject({ remainingItemCount: 3 });
    world.core.delete(at(world.widgets, 'c'));
    const changed = world.core.patch(at(world.widgets, 'd'), { type: 'merge', body: { spec: { size: 2 } } });
    create(world, 'bb', 'f');
    const second = world.core.list(world.widgets, { namespace, limit: 2, continue: first.continue ?? '' });
    const third = world.core.list(world.widgets, { namespace, limit: 2, continue: second.continue ?? '' });
    const items = [first, second, third].flatMap(page => page.items);
    expect(items.map(item => item.metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(items[3]).not.toEqual(changed);
    expect(new Set([first, second, third].map(page => page.resourceVersion)).size).toBe(1);
    expect(third.continue).toBeUndefined();
  });

  it('does not count what remains of a selection', () => {
    const world = aWorld();
    create(world, 'a', 'b');
    const page = world.core.list(world.widgets, { limit: 1, matches: hasLabels({ all: '' }) });
    expect(page.continue).toBeDefined();
    expect(page.remainingItemCount).toBeUndefined();
  });

  it('expires with its history', () => {
    const world = aWorld();
    create(world, 'a', 'b');
    const page = world.core.list(world.widgets, { limit: 1 });
    create(world, 'c');
    world.core.compact();
    expect(refusalOf(() => world.core.list(world.widgets, { limit: 1, continue: page.continue ?? '' })).code).toBe(410);
  });

  it('expires after five minutes, and continues in the latest state with the returned token', async () => {
    const { core, widgets, clock } = aWorld();
    create({ core, widgets }, 'a', 'b', 'c');
    const first = core.list(widgets, { limit: 1 });
    create({ core, widgets }, 'd');
    await clock.advance(300_000);
    const next = { limit: 1, continue: first.continue ?? '' };
    expect(core.list(widgets, next)).toMatchObject({ items: [{ metadata: { name: 'b' } }], remainingItemCount: 1 });
    await clock.advance(1);
    const { code, metadata } = refusalOf(() => core.list(widgets, next));
    expect(code).toBe(410);
    const second = core.list(widgets, { limit: 1, continue: metadata.continue ?? '' });
    expect(second).toMatchObject({ items: [{ metadata: { name: 'b' } }], resourceVersion: core.resourceVersion() });
    await clock.advance(300_001);
    const rest = core.list(widgets, { continue: second.continue ?? '' });
    expect(rest.items.map(({ metadata: { name } }) => name)).toEqual(['c', 'd']);
  });

  it('returns the state of a requested version within the history', () => {
    const { core, widgets } = aWorld();
    create({ core, widgets }, 'a');
    const then = Number(core.resourceVersion());
    create({ core, widgets }, 'b');
    expect(core.list(widgets, { at: then })).toMatchObject({
      items: [{ metadata: { name: 'a' } }],
      resourceVersion: String(then),
    });
    expect(refusalOf(() => core.list(widgets, { at: then + 2 }))).toMatchObject({ code: 504, reason: 'Timeout' });
    core.compact();
    expect(refusalOf(() => core.list(widgets, { at: then })).code).toBe(410);
  });

  it.each([
    { reason: 'not base64', token: '%' },
    { reason: 'not JSON', token: btoa('x') },
    { reason: 'JSON of another form', token: btoa('{"version":"1"}') },
    { reason: 'not an object', token: btoa('1') },
    { reason: 'of no version', token: btoa('{"version":1.5,"since":0,"after":["",""]}') },
    { reason: 'of a future version', token: btoa('{"version":1000000,"since":0,"after":["",""]}') },
  ])('refuses a token that is $reason', ({ token }) => {
    const { core, widgets } = aWorld();
    expect(refusalOf(() => core.list(widgets, { limit: 1, continue: token })).code).toBe(400);
  });
});
