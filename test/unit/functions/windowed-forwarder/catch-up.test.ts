// Reads one kind from a given version up to the current version.

import { type Kind, toApiVersion } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { catchUp, windowSeconds } from '../../../../functions/windowed-forwarder/catch-up.ts';
import type { ReceivedEvent } from '../../../../shared/event-source/router.ts';
import { FakeWatches } from '../../../support/fake-watches.ts';
import { settled } from '../../../support/stepped-clock.ts';

const kind: Kind = { group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'Cluster', scope: 'Namespaced' };
const other: Kind = { ...kind, kind: 'Machine' };
const query = { apiVersion: toApiVersion(kind), kind: kind.kind, as: 'metadata' } as const;
const one = { namespace: 'default', name: 'one' };

function start(api: FakeWatches, from: string | undefined) {
  const seen: string[] = [];
  const see = ({ event, cause }: ReceivedEvent): void => {
    seen.push(`${cause} ${event.type} ${event.object.metadata.resourceVersion}`);
  };
  return { seen, reached: catchUp({ watches: api, signal: new AbortController().signal, see }, query, from) };
}

describe('catching up', () => {
  it('ends the stream after the last change', async () => {
    const api = new FakeWatches(kind);
    api.put(kind, one);
    api.put(kind, one);
    const { seen, reached } = start(api, '100');
    expect(await reached).toEqual({ ok: true, value: { resourceVersion: '102', isListed: false } });
    expect(seen).toEqual(['event ADDED 101', 'event MODIFIED 102']);
    expect(api.open.size).toBe(0);
  });

  it('opens no stream if the server is at that version', async () => {
    const api = new FakeWatches(kind);
    api.put(kind, one);
    const { seen, reached } = start(api, '101');
    expect(await reached).toEqual({ ok: true, value: { resourceVersion: '101', isListed: false } });
    expect(seen).toEqual([]);
    expect(api.asked).toEqual(['list Cluster']);
  });

  it('waits for a bookmark if only other kinds have changed', async () => {
    const api = new FakeWatches(kind, other);
    api.put(other, one);
    const { seen, reached } = start(api, '100');
    await settled();
    expect(api.open.size).toBe(1);
    api.bookmark(kind);
    expect(await reached).toEqual({ ok: true, value: { resourceVersion: '102', isListed: false } });
    expect(seen).toEqual([]);
  });

  it('keeps its version if the stream ends without a bookmark', async () => {
    const api = new FakeWatches(kind, other);
    api.put(other, one);
    const { reached } = start(api, '100');
    await settled();
    api.endStreams();
    expect(await reached).toEqual({ ok: true, value: { resourceVersion: '100', isListed: false } });
  });

  it('keeps the stream open long enough for the bookmark that servers send two seconds before its end', () => {
    expect(windowSeconds).toBeGreaterThan(2);
  });

  it('reports its progress if the stream fails', async () => {
    const api = new FakeWatches(kind, other);
    api.put(kind, one);
    api.put(other, one);
    const { reached } = start(api, '100');
    await settled();
    api.fail(kind, { reason: 'Unavailable', message: 'connection reset' });
    api.put(other, one);
    expect(await reached).toEqual({
      ok: true,
      value: {
        resourceVersion: '101',
        isListed: false,
        failure: { reason: 'Unavailable', message: 'connection reset' },
      },
    });
  });

  it.each([
    { from: undefined, reason: 'there is no version yet' },
    { from: '100', reason: 'the version has expired' },
    { from: '1000', reason: 'the server is behind that version, because it was restored' },
  ])('lists every object: $reason', async ({ from }) => {
    const api = new FakeWatches(kind);
    api.put(kind, one);
    api.compact();
    const { seen, reached } = start(api, from);
    expect(await reached).toEqual({ ok: true, value: { resourceVersion: '102', isListed: true } });
    expect(seen).toEqual(['list ADDED 101']);
  });

  it('reports nothing if the kind cannot be read', async () => {
    const api = new FakeWatches();
    expect(await start(api, '100').reached).toMatchObject({ ok: false, missing: true });
  });
});
