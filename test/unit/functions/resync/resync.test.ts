import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Watch } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { resync } from '../../../../functions/resync/resync.ts';
import { SendValidationError } from '../../../../shared/workqueue/send-limits.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { clusterKind, ResyncWorld } from './resync-with-queues.ts';

const both = [aDeclaration({ name: 'cluster', primary: clusterKind }), aDeclaration()];
const partKind = { ...widgetKind, kind: 'Part' };
const policyKind = { ...widgetKind, kind: 'Policy' };

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'capi-serverless-resync' };

/** Parts enqueue the widget of their label. A policy enqueues every widget of its label. */
const watches: readonly Watch[] = [
  {
    source: partKind,
    as: 'metadata',
    map: ({ object: { metadata } }) => [{ namespace: metadata.namespace ?? '', name: metadata.labels?.['of'] ?? '' }],
  },
  { source: policyKind, as: 'metadata', map: () => 'expand', matches: () => true },
];

function aSettledWorld() {
  const world = new ResyncWorld([aDeclaration({ watches })], [widgetKind, partKind, policyKind]);
  for (const name of ['a', 'b', 'c']) {
    world.api.put(widgetKind, { namespace: 'ns', name });
    world.api.put(partKind, { namespace: 'ns', name: `part-${name}`, labels: { of: name } });
  }
  world.api.put(policyKind, { name: 'policy' });
  return world;
}

async function aComparedWorld(): Promise<ResyncWorld> {
  const world = aSettledWorld();
  await world.run();
  return world;
}

it('does not take the ConfigMaps of this product for changes', async () => {
  const configMapKind = { group: '', version: 'v1', kind: 'ConfigMap', scope: 'Namespaced' } as const;
  const selects: Watch = { source: configMapKind, as: 'metadata', map: () => 'expand', matches: () => true };
  const world = new ResyncWorld([aDeclaration({ watches: [selects] })], [widgetKind, configMapKind]);
  const own = ['capi-serverless-resync', 'capi-serverless-resync-1234abcd', 'capi-serverless-windowed-forwarder'];
  const change = () => {
    for (const name of own) {
      world.api.put(configMapKind, { namespace: 'kube-system', name });
    }
  };
  change();
  await world.run();
  change();
  expect(await world.run()).toEqual([]);
  world.api.put(configMapKind, { namespace: 'ns', name: 'capi-serverless-resync' });
  expect(await world.run()).toEqual(['expand widget ConfigMap *', 'expand widget ConfigMap capi-serverless-resync']);
});

const noAccess = { reason: 'Forbidden', message: 'no access' } as const;
const isNotDue = { fullPeriodSeconds: 30 * 86_400 };
const all = ['widget ns/a', 'widget ns/b', 'widget ns/c'];

describe('the first run', () => {
  it('delays one request per object', async () => {
    const world = new ResyncWorld();
    world.api.put(widgetKind, { namespace: 'default', name: 'a' });
    world.api.put(widgetKind, { name: 'b' });
    await resync(world.options());
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
    await resync(world.options());
    expect(world.api.asked).toEqual(Array.from({ length: 21 }, () => 'list Widget'));
    expect(world.sent).toHaveLength(10_001);
    expect(new Set(world.messageTexts()).size).toBe(10_001);
  });

  it('lists a kind once for all reconcilers that have it as their primary', async () => {
    const world = new ResyncWorld([aDeclaration(), aDeclaration({ name: 'other' })]);
    world.api.put(widgetKind, { namespace: 'default', name: 'a' });
    await resync(world.options());
    expect(world.api.asked).toEqual(['list Widget']);
    expect(world.sent.map(({ request }) => request.reconciler)).toEqual(['widget', 'other']);
  });

  it('skips objects of another watch filter', async () => {
    const world = new ResyncWorld();
    world.api.put(widgetKind, { name: 'a' });
    world.api.put(widgetKind, { name: 'b', labels: { 'cluster.x-k8s.io/watch-filter': 'blue' } });
    await resync(world.options({ watchFilter: 'blue' }));
    expect(world.messageTexts()).toEqual(['delay /b']);
  });

  it('sends nothing for a kind that is not installed', async () => {
    const world = new ResyncWorld(both, [widgetKind]);
    world.api.put(widgetKind, { name: 'a' });
    await resync(world.options());
    expect(world.messageTexts()).toEqual(['delay /a']);
  });
});

describe('a later run', () => {
  it('sends nothing and makes one list per kind if nothing changed', async () => {
    const world = await aComparedWorld();
    world.api.asked.length = 0;
    expect(await world.run(isNotDue)).toEqual([]);
    expect(world.api.asked.toSorted()).toEqual(['list Part', 'list Policy', 'list Widget']);
  });

  it('enqueues every object after the layout of the queues has changed, once', async () => {
    const world = await aComparedWorld();
    expect(await world.run({ ...isNotDue, layout: 'compact' })).toEqual(all);
    expect(await world.run({ ...isNotDue, layout: 'compact' })).toEqual([]);
  });

  it.each<{ reason: string; change: (world: ResyncWorld) => unknown; messages: readonly string[] }>([
    {
      reason: 'an object that changed',
      change: ({ api }) => api.put(widgetKind, { namespace: 'ns', name: 'b' }),
      messages: ['widget ns/b'],
    },
    {
      reason: 'an object that was created',
      change: ({ api }) => api.put(widgetKind, { namespace: 'ns', name: 'd' }),
      messages: ['widget ns/d'],
    },
    {
      reason: 'an object that was replaced by another one with its name',
      change: ({ api }) => {
        api.remove(widgetKind, { namespace: 'ns', name: 'a' });
        api.put(widgetKind, { namespace: 'ns', name: 'a', uid: 'another' });
      },
      messages: ['widget ns/a'],
    },
    {
      reason: 'no deleted object without children',
      change: ({ api }) => {
        api.remove(partKind, { namespace: 'ns', name: 'part-c' });
        api.remove(widgetKind, { namespace: 'ns', name: 'c' });
      },
      messages: [],
    },
    {
      reason: 'the owner of a changed object',
      change: ({ api }) => api.put(partKind, { namespace: 'ns', name: 'part-a', labels: { of: 'a' } }),
      messages: ['widget ns/a'],
    },
    {
      reason: 'the owner of a deleted object',
      change: ({ api }) => api.remove(partKind, { namespace: 'ns', name: 'part-a' }),
      messages: ['widget ns/a'],
    },
    {
      reason: 'both owners of an object that moved',
      change: ({ api }) => api.put(partKind, { namespace: 'ns', name: 'part-a', labels: { of: 'b' } }),
      messages: ['widget ns/a', 'widget ns/b'],
    },
    {
      reason: 'the expansion of a changed source',
      change: ({ api }) => api.put(policyKind, { name: 'policy' }),
      messages: ['expand widget Policy policy'],
    },
    {
      reason: 'the expansion of its kind for a created source',
      change: ({ api }) => api.put(policyKind, { name: 'more' }),
      messages: ['expand widget Policy *', 'expand widget Policy more'],
    },
    {
      reason: 'the expansion of its kind for a deleted source, even the last one',
      change: ({ api }) => api.remove(policyKind, { name: 'policy' }),
      messages: ['expand widget Policy *'],
    },
    {
      reason: 'an expansion to all primaries for a kind that is no longer served',
      change: ({ api }) => api.fail(policyKind, { reason: 'NotFound', message: '404' }),
      messages: ['expand widget Widget *'],
    },
    {
      reason: 'the owners of objects of a kind that is no longer served',
      change: ({ api }) => api.fail(partKind, { reason: 'NotFound', message: '404' }),
      messages: all,
    },
  ])('sends $reason', async ({ change, messages }) => {
    const world = await aComparedWorld();
    await change(world);
    expect(await world.run(isNotDue)).toEqual(messages);
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('repeats its messages if a queue refused one of them', async () => {
    const world = await aComparedWorld();
    world.api.put(widgetKind, { namespace: 'ns', name: 'a' });
    world.api.put(widgetKind, { namespace: 'ns', name: 'b' });
    world.refused.add('b');
    await expect(world.run(isNotDue)).rejects.toThrow('Resyncing failed: queue delay: Throttled');
    world.refused.clear();
    expect(await world.run(isNotDue)).toEqual(['widget ns/a', 'widget ns/b']);
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('drops a message that no queue can accept, and continues', async () => {
    const world = await aComparedWorld();
    world.api.put(widgetKind, { namespace: 'ns', name: 'a' });
    const error = new SendValidationError('too large');
    await world.run({
      ...isNotDue,
      queues: { send: async (_, messages) => messages.map(() => ({ ok: false, error })) },
    });
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('sends the same changes as a run at the same time, and one of them stores the result', async () => {
    const world = await aComparedWorld();
    world.api.put(widgetKind, { namespace: 'ns', name: 'a' });
    await world.server.clock.advance(600_000);
    const [first, second] = await Promise.all([world.runAgain(isNotDue), world.runAgain(isNotDue)]);
    expect(new Set([...first, ...second])).toEqual(new Set(['widget ns/a']));
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('lists a kind again if the list expires between two pages', async () => {
    const world = await aComparedWorld();
    let failures = 1;
    const page: ResyncWorld['api']['page'] = (query, options) => {
      if (query.kind === 'Part' && failures > 0) {
        failures -= 1;
        return Promise.resolve({
          ok: false,
          missing: false,
          failure: { reason: 'Gone', code: 410, message: 'expired' },
        });
      }
      return world.api.page(query, options);
    };
    expect(await world.run({ ...isNotDue, watches: { page } })).toEqual([]);
    failures = 2;
    await expect(world.run({ ...isNotDue, watches: { page } })).rejects.toThrow(
      'Part.conformance.example.com: expired',
    );
  });
});

describe('every object is enqueued', () => {
  it.each<{ reason: string; change: (world: ResyncWorld) => unknown }>([
    { reason: 'the stored result is gone', change: ({ server }) => server.others.delete(configMap) },
    {
      reason: 'the stored result is not readable',
      change: ({ server }) => server.others.mergePatch(configMap, { data: { fingerprints: 'AAA' } }),
    },
    {
      reason: 'the objects have other versions, as after a restored backup',
      change: ({ api }) => {
        for (const name of ['a', 'b', 'c']) {
          api.put(widgetKind, { namespace: 'ns', name, uid: `restored-${name}` });
        }
      },
    },
  ])('if $reason', async ({ change }) => {
    const world = await aComparedWorld();
    await change(world);
    expect(await world.run(isNotDue)).toEqual(all);
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('if the API server is another one', async () => {
    const world = await aComparedWorld();
    expect(await world.run({ ...isNotDue, managementCluster: 'other' })).toEqual(all);
  });

  it('if the period has changed', async () => {
    const world = await aComparedWorld();
    expect(await world.run({ ...isNotDue, periodSeconds: 3600 })).toEqual(all);
    expect(await world.run({ ...isNotDue, periodSeconds: 3600 })).toEqual([]);
  });

  it('if the ConfigMap cannot be read, and the run reports it', async () => {
    const world = await aComparedWorld();
    world.server.calls.fail({ at: ({ verb, kind }) => verb === 'get' && kind === 'ConfigMap', failure: noAccess });
    await expect(world.run(isNotDue)).rejects.toThrow(
      'Resyncing failed for reading ConfigMap kube-system/capi-serverless-resync: no access',
    );
    expect(world.sent.slice(3)).toHaveLength(3);
  });

  it('once in each full period, with about as many objects in each run', async () => {
    const world = new ResyncWorld();
    for (let index = 0; index < 480; index += 1) {
      world.api.put(widgetKind, { name: `w${index}` });
    }
    await world.run();
    const counts: number[] = [];
    const sent: string[] = [];
    for (let run = 0; run < 24; run += 1) {
      const messages = await world.run({ fullPeriodSeconds: 24 * 600 });
      counts.push(messages.length);
      sent.push(...messages);
    }
    expect(sent).toHaveLength(480);
    expect(new Set(sent).size).toBe(480);
    expect(Math.max(...counts)).toBeLessThan(40);
    expect(Math.min(...counts)).toBeGreaterThan(5);
  });

  it('once, although runs failed or did not start', async () => {
    const world = new ResyncWorld();
    for (let index = 0; index < 100; index += 1) {
      world.api.put(widgetKind, { name: `w${index}` });
    }
    const periods = { fullPeriodSeconds: 12 * 600 };
    await world.run(periods);
    const sent = [...(await world.run(periods))];
    await world.server.clock.advance(3 * 600_000);
    world.api.fail(widgetKind, { reason: 'Unavailable', message: 'the API server is down' });
    await expect(world.run(periods)).rejects.toThrow('the API server is down');
    world.api.fail(widgetKind, undefined);
    for (let run = 0; run < 7; run += 1) {
      sent.push(...(await world.run(periods)));
    }
    expect(sent).toHaveLength(100);
    expect(new Set(sent).size).toBe(100);
  });
});

describe('a failed kind', () => {
  it('does not stop the others, and is named in the error', async () => {
    const world = new ResyncWorld(both, [clusterKind, widgetKind]);
    world.api.fail(clusterKind, { reason: 'Forbidden', message: 'clusters is forbidden' });
    world.api.put(widgetKind, { name: 'a' });
    await expect(world.run()).rejects.toThrow('Resyncing failed for Cluster.cluster.x-k8s.io: clusters is forbidden');
    expect(world.messageTexts()).toEqual(['delay /a']);
  });

  it('does not stop the comparison of the others while it keeps failing', async () => {
    const world = new ResyncWorld(both, [clusterKind, widgetKind]);
    world.api.fail(clusterKind, { reason: 'Forbidden', message: 'clusters is forbidden' });
    world.api.put(widgetKind, { name: 'a' });
    world.api.put(widgetKind, { name: 'b' });
    await expect(world.run(isNotDue)).rejects.toThrow('clusters is forbidden');
    world.api.put(widgetKind, { name: 'b' });
    await expect(world.run(isNotDue)).rejects.toThrow('clusters is forbidden');
    expect(world.sent.slice(2).map(({ request }) => request.key.name)).toEqual(['b']);
  });

  it('leaves the stored result if no kind could be listed', async () => {
    const world = await aComparedWorld();
    for (const kind of [widgetKind, partKind, policyKind]) {
      world.api.fail(kind, { reason: 'Unavailable', message: 'the API server is down' });
    }
    await expect(world.run(isNotDue)).rejects.toThrow('the API server is down');
    for (const kind of [widgetKind, partKind, policyKind]) {
      world.api.fail(kind, undefined);
    }
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('is reported if the result cannot be stored', async () => {
    const world = await aComparedWorld();
    world.server.calls.fail({ at: ({ verb }) => verb === 'patch', failure: noAccess });
    await expect(world.run(isNotDue)).rejects.toThrow(
      'writing ConfigMap kube-system/capi-serverless-resync: no access',
    );
  });

  it('does not include an object without metadata', async () => {
    const world = await aComparedWorld();
    world.api.put(widgetKind, { namespace: 'ns', name: 'a' });
    const page: ResyncWorld['api']['page'] = async (query, options) => {
      const answer = await world.api.page(query, options);
      const broken = { apiVersion: 'v1', kind: query.kind } as Unstructured; // false: this is the case under test
      return answer.ok ? { ...answer, value: { ...answer.value, items: [broken, ...answer.value.items] } } : answer;
    };
    expect(await world.run({ ...isNotDue, watches: { page } })).toEqual(['widget ns/a']);
  });
});
