import { toRef } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { aCluster, aMachine } from '../../support/builders.ts';
import { Crash } from '../../support/faulty-kubernetes.ts';
import { createMemoryApi } from '../../support/memory-api.ts';

const ref = toRef(aCluster().build());
const query = { apiVersion: ref.apiVersion, kind: 'Cluster', as: 'object' } as const;
const unknownOutcome = { reason: 'UnknownOutcome', message: 'The connection was lost' } as const;

describe('a client that fails on demand', () => {
  it('records calls and prints writes', async () => {
    const api = createMemoryApi();
    api.given(aCluster().withFinalizers('a.b/c'));
    const { kubernetes } = api;
    await kubernetes.create(aMachine().intent());
    await kubernetes.create(aMachine().intent());
    await kubernetes.get(ref);
    await kubernetes.metadata(ref);
    await kubernetes.list(query);
    await kubernetes.mergePatch(ref, { status: { phase: 'Pending' } }, { subresource: 'status', resourceVersion: '1' });
    await kubernetes.jsonPatch(ref, [{ op: 'remove', path: '/metadata/finalizers' }]);
    await kubernetes.dryRun.apply(aMachine().intent(), { fieldManager: 'm', force: true });
    await kubernetes.within(new AbortController().signal).delete(ref, { uid: 'other' });
    expect(api.calls.all.map(call => `${call.number} ${call.verb} ${call.kind}`)).toEqual([
      '1 create Machine',
      '2 create Machine',
      '3 get Cluster',
      '4 metadata Cluster',
      '5 list Cluster',
      '6 patch Cluster',
      '7 jsonPatch Cluster',
      '8 dryRun Machine',
      '9 delete Cluster',
    ]);
    expect(api.calls.writes).toEqual([
      'create Machine ns/m1',
      'create Machine ns/m1 → AlreadyExists',
      'patch Cluster ns/c1 status {"status":{"phase":"Pending"}} → Conflict',
      'jsonPatch Cluster ns/c1 [{"op":"remove","path":"/metadata/finalizers"}]',
      'delete Cluster ns/c1 → Conflict',
    ]);
  });

  it('fails the n-th call before it takes effect', async () => {
    const api = createMemoryApi();
    api.given(aCluster());
    api.calls.fail({ at: 2, failure: unknownOutcome });
    expect(await api.kubernetes.get(ref)).toMatchObject({ ok: true });
    expect(await api.kubernetes.delete(ref)).toMatchObject({ ok: false, failure: unknownOutcome });
    expect(api.find(ref)).toBeDefined();
    expect(await api.kubernetes.delete(ref)).toMatchObject({ ok: true });
  });

  it('fails selected calls after they took effect, a given number of times', async () => {
    const api = createMemoryApi();
    api.given(aCluster());
    api.calls.fail({ at: call => call.verb === 'delete', failure: unknownOutcome, when: 'after', times: 1 });
    expect(await api.kubernetes.delete(ref)).toMatchObject({ ok: false, failure: unknownOutcome });
    expect(api.find(ref)).toBeUndefined();
    expect(await api.kubernetes.delete(ref)).toMatchObject({ ok: false, missing: true });
  });

  it.each(['before', 'after'] as const)('crashes %s a call takes effect', async when => {
    const api = createMemoryApi();
    api.given(aCluster());
    api.calls.fail({ at: 1, failure: 'crash', when });
    await expect(api.kubernetes.delete(ref)).rejects.toThrow(Crash);
    expect(api.find(ref) === undefined).toBe(when === 'after');
    expect(api.calls.writes).toEqual(['delete Cluster ns/c1 → Crash']);
  });

  it('lets another client write first', async () => {
    const api = createMemoryApi();
    const [cluster] = api.given(aCluster());
    const { resourceVersion = '' } = cluster?.metadata ?? {};
    api.calls.before(1, () => api.others.mergePatch(ref, { spec: { paused: true } }));
    const answer = await api.kubernetes.mergePatch(ref, { spec: { paused: false } }, { resourceVersion });
    expect(answer).toMatchObject({ ok: false, failure: { reason: 'Conflict' } });
  });

  it('fails watches and pages too', async () => {
    const api = createMemoryApi();
    const signal = new AbortController().signal;
    api.calls.fail({ at: call => call.number <= 2, failure: { reason: 'Gone', message: 'gone' } });
    expect(await api.kubernetes.watches.page(query, { limit: 1, signal })).toMatchObject({ ok: false });
    const broken = api.kubernetes.watches.watch(query, { resourceVersion: '0', signal })[Symbol.asyncIterator]();
    expect(await broken.next()).toMatchObject({ value: { type: 'FAILED', failure: { reason: 'Gone' } } });
    expect(await broken.next()).toMatchObject({ done: true });
    api.given(aCluster());
    const whole = api.kubernetes.watches.watch(query, { resourceVersion: '0', signal })[Symbol.asyncIterator]();
    expect(await whole.next()).toMatchObject({ value: { type: 'ADDED' } });
  });

  it('clears its state on reset', async () => {
    const api = createMemoryApi();
    api.calls.fail({ at: () => true, failure: unknownOutcome });
    await api.kubernetes.get(ref);
    api.calls.reset();
    expect(await api.kubernetes.get(ref)).toMatchObject({ missing: true });
    expect(api.calls.all).toHaveLength(1);
  });
});
