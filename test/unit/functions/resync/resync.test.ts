import { describe, expect, it } from 'vitest';
import { resync } from '../../../../functions/resync/resync.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { clusterKind, ResyncWorld } from './world.ts';

const both = [aDeclaration({ name: 'cluster', primary: clusterKind }), aDeclaration()];

describe('resyncing', () => {
  it('delays one request per object', async () => {
    const world = new ResyncWorld();
    world.api.put(widgetKind, { namespace: 'default', name: 'a' });
    world.api.put(widgetKind, { name: 'b' });
    await resync(world.options(), 600);
    expect(world.messageTexts()).toEqual(['delay /b', 'delay default/a']);
    expect(world.sent[0]?.request).toMatchObject({
      v: 1,
      reconciler: 'widget',
      cause: 'resync',
      attempt: 0,
      key: { managementCluster: 'mgmt', group: 'conformance.example.com', kind: 'Widget', namespace: 'default' },
    });
  });

  it('reads metadata only, page by page', async () => {
    const world = new ResyncWorld();
    for (let index = 0; index < 10_001; index += 1) {
      world.api.put(widgetKind, { namespace: 'default', name: `w${index}` });
    }
    await resync(world.options(), 600);
    expect(world.api.asked).toEqual(Array.from({ length: 21 }, () => 'list Widget'));
    expect(world.sent).toHaveLength(10_001);
    expect(new Set(world.messageTexts()).size).toBe(10_001);
  });

  it.each([
    { period: 60, below: 60, reason: 'within the period' },
    { period: 86_400, below: 900, reason: 'within the longest delay of a queue' },
  ])('spreads the objects evenly and deterministically: $reason', async ({ period, below }) => {
    const world = new ResyncWorld();
    for (let index = 0; index < 300; index += 1) {
      world.api.put(widgetKind, { namespace: 'default', name: `w${index}` });
    }
    await resync(world.options(), period);
    const delays = world.sent.map(({ delaySeconds }) => delaySeconds ?? -1);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(below);
    expect(delays.filter(delay => delay < below / 2).length).toBeGreaterThan(100);
    expect(delays.filter(delay => delay >= below / 2).length).toBeGreaterThan(100);
    await resync(world.options(), period);
    expect(world.sent.slice(300).map(({ delaySeconds }) => delaySeconds)).toEqual(delays);
  });

  it('lists a kind once for all reconcilers that have it as their primary', async () => {
    const world = new ResyncWorld([aDeclaration(), aDeclaration({ name: 'other' })]);
    world.api.put(widgetKind, { namespace: 'default', name: 'a' });
    await resync(world.options(), 600);
    expect(world.api.asked).toEqual(['list Widget']);
    expect(world.sent.map(({ request }) => request.reconciler)).toEqual(['widget', 'other']);
  });

  it('skips objects of another watch filter', async () => {
    const world = new ResyncWorld();
    world.api.put(widgetKind, { name: 'a' });
    world.api.put(widgetKind, { name: 'b', labels: { 'cluster.x-k8s.io/watch-filter': 'blue' } });
    await resync(world.options({ watchFilter: 'blue' }), 600);
    expect(world.messageTexts()).toEqual(['delay /b']);
  });

  it('sends nothing for a kind that is not installed', async () => {
    const world = new ResyncWorld(both, [widgetKind]);
    world.api.put(widgetKind, { name: 'a' });
    await resync(world.options(), 600);
    expect(world.messageTexts()).toEqual(['delay /a']);
  });

  it('continues after a kind that fails, and names it in the error', async () => {
    const world = new ResyncWorld(both, [clusterKind, widgetKind]);
    world.api.fail(clusterKind, { reason: 'Forbidden', message: 'clusters is forbidden' });
    world.api.put(widgetKind, { name: 'a' });
    await expect(resync(world.options(), 600)).rejects.toThrow(
      'Resyncing failed for Cluster.cluster.x-k8s.io: clusters is forbidden',
    );
    expect(world.messageTexts()).toEqual(['delay /a']);
  });

  it('continues after a refused message, and reports it in the error', async () => {
    const world = new ResyncWorld();
    for (const name of ['a', 'b', 'c']) {
      world.api.put(widgetKind, { name });
    }
    world.refused.add('b');
    await expect(resync(world.options(), 600)).rejects.toThrow('Widget.conformance.example.com: Throttled');
    expect(world.messageTexts()).toEqual(['delay /a', 'delay /c']);
  });
});
