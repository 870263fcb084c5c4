// Tenants control the data of resources, and the servers of workload clusters. Both are limited.

import {
  type Answer,
  answered,
  type FailureReason,
  refused,
  type Unstructured,
  WorkMeter,
} from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { readWorkload } from '../../../../functions/clusterresourceset/observe/read-workload.ts';
import { toManifest } from '../../../../functions/clusterresourceset/phases/manifest.ts';
import type { DueResource, LiveObject } from '../../../../functions/clusterresourceset/seen.ts';
import type { ServedResource } from '../../../../shared/workload/api.ts';

const configMaps: ServedResource = { kind: 'ConfigMap', plural: 'configmaps', isNamespaced: true };

function due(count: number, kind: DueResource['kind'] = 'ConfigMap', apiVersion = (_: number) => 'v1'): DueResource {
  const manifests = Array.from({ length: count }, (_, index) =>
    toManifest({
      apiVersion: apiVersion(index),
      kind: 'ConfigMap',
      metadata: { name: `m${index}`, namespace: 'w' },
    }),
  );
  return { kind, name: 'a', index: 0, hash: 'h', manifests };
}

interface Server {
  readonly get?: (name: string) => Answer<Unstructured>;
  readonly resources?: (version: string) => Answer<readonly ServedResource[]>;
}

function serve({ get = () => refused(gone), resources = () => answered([configMaps]) }: Server) {
  const asked: string[] = [];
  return {
    asked,
    workload: {
      get: (async ({ name }: { readonly name: string }) => {
        asked.push(name);
        return get(name);
      }) as Parameters<typeof readWorkload>[1]['workload']['get'], // true: no parser is given
      resources: async (version: string) => {
        asked.push(version);
        return resources(version);
      },
    },
  };
}

const gone = { reason: 'NotFound', message: 'not found' } as const;

async function readLive(server: Server, resource: DueResource, meter?: WorkMeter): Promise<readonly LiveObject[]> {
  const { workload } = serve(server);
  const seen = await readWorkload([resource], { strategy: 'Reconcile', workload, meter });
  return seen.state === 'connected' ? [...seen.live.values()] : [];
}

const stored = (text: string): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm0', uid: 'u', resourceVersion: '1' },
  data: { text },
});

describe('a workload cluster', () => {
  it.each<{ reason: FailureReason; code?: number; state: string }>([
    { reason: 'Unavailable', state: 'down' },
    { reason: 'Unavailable', code: 503, state: 'down' },
    { reason: 'InternalError', code: 500, state: 'down' },
    { reason: 'TooManyRequests', code: 429, state: 'down' },
    { reason: 'Unauthorized', code: 401, state: 'down' },
    { reason: 'Forbidden', code: 403, state: 'connected' },
    { reason: 'Unparsable', code: 200, state: 'connected' },
  ])('that answers $reason when asked for its kinds is $state', async ({ state, ...failure }) => {
    const { workload } = serve({ resources: () => refused({ message: 'boom', ...failure }) });
    const seen = await readWorkload([due(1)], { strategy: 'ApplyOnce', workload });
    expect(seen.state).toBe(state);
    expect(seen.state === 'connected' && seen.discovered.get('v1')).toEqual(
      state === 'connected' && { ok: false, error: 'boom' },
    );
  });

  it('is asked for a hundred API versions at most', async () => {
    const { workload, asked } = serve({});
    const resource = due(120, 'ConfigMap', index => `g${index}.io/v1`);
    const seen = await readWorkload([resource], { strategy: 'ApplyOnce', workload });
    expect(asked).toHaveLength(100);
    const errors = seen.state === 'connected' ? [...seen.discovered.values()].filter(({ ok }) => !ok) : [];
    expect(errors).toHaveLength(20);
    expect(errors[0]).toEqual({
      ok: false,
      error: 'limit exceeded: the objects have more than 100 API versions',
    });
  });

  it('that has more kinds than are applied is kept in mind only for these', async () => {
    const other = { ...configMaps, kind: 'Other' };
    const { workload } = serve({ resources: () => answered([other, configMaps]) });
    const seen = await readWorkload([due(1)], { strategy: 'ApplyOnce', workload });
    expect(seen.state === 'connected' && seen.discovered.get('v1')).toEqual({ ok: true, value: [configMaps] });
  });
});

describe('an object of a workload cluster', () => {
  const tooLarge = { state: 'unreadable', error: 'limit exceeded: the object, or all objects, are too large' };
  const bound = { units: 10_000, what: 'all', remedy: 'less' };

  it('is read', async () => {
    expect(await readLive({ get: () => answered(stored('x')) }, due(1))).toEqual([
      { state: 'found', object: stored('x') },
    ]);
  });

  it.each([
    { kind: 'ConfigMap', error: 'the value CANARY' },
    { kind: 'Secret', error: 'BadRequest' },
  ] as const)('that cannot be read is an error, without the message for a $kind', async ({ kind, error }) => {
    const get = () => refused<Unstructured>({ reason: 'BadRequest', message: 'the value CANARY' });
    expect(await readLive({ get }, due(1, kind))).toEqual([{ state: 'unreadable', error }]);
  });

  it('that is too large is an error', async () => {
    expect(await readLive({ get: () => answered(stored('x'.repeat(1_572_864))) }, due(1))).toEqual([tooLarge]);
  });

  it('ends the reads if all of them together are too large', async () => {
    const { workload, asked } = serve({ get: () => answered(stored('x'.repeat(2_000))) });
    const context = { strategy: 'Reconcile', workload, meter: new WorkMeter(bound) };
    const first = await readWorkload([due(2)], context);
    expect(first.state === 'connected' && [...first.live.values()]).toEqual([tooLarge, tooLarge]);
    const later = await readWorkload([due(2)], context);
    expect(later.state === 'connected' && [...later.live.values()]).toEqual([tooLarge, tooLarge]);
    expect(asked).toEqual(['v1', 'm0', 'm1', 'v1']);
  });

  it('does not hide a defect of the meter', async () => {
    const meter = new WorkMeter(bound);
    meter.charge = () => {
      throw new TypeError('defect');
    };
    await expect(readLive({ get: () => answered(stored('x')) }, due(1), meter)).rejects.toThrow('defect');
  });
});
