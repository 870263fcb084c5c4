import { beforeEach, describe, expect, it } from 'vitest';
import { type Imagined, imagineWrites } from '../../../../../infra/local/plan/imagined-kubernetes.ts';
import { type ObjectRef, toRef, type Unstructured } from '../../../../../shared/api/object.ts';
import { aCluster, aMachine } from '../../../../support/builders.ts';
import { createMemoryApi, type MemoryApi } from '../../../../support/memory-api.ts';

const cluster = aCluster();
const held = aMachine().named('held').withFinalizers('provider.example.com/held');
const free = aMachine().named('free');
const refs = { cluster: toRef(cluster.build()), held: toRef(held.build()), free: toRef(free.build()) };
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's1', namespace: 'ns', labels: { of: 'c1' } } };
const secretRef: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's1' };
const machines = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', namespace: 'ns' };

let api: MemoryApi;
let imagined: Imagined;

beforeEach(() => {
  api = createMemoryApi();
  api.given(cluster, held, free);
  imagined = imagineWrites(api.kubernetes, api.clock.now());
});

describe('imagined writes', () => {
  it('show in later reads, and nowhere else', async () => {
    const { kubernetes } = imagined;
    const before = api.core.resourceVersion();
    const patched = await kubernetes.mergePatch(refs.cluster, { metadata: { labels: { a: 'b' } } });
    expect(patched).toEqual(await kubernetes.get(refs.cluster));
    expect(await kubernetes.metadata(refs.cluster)).toMatchObject({ ok: true, value: { labels: { a: 'b' } } });
    expect(api.read(refs.cluster).metadata.labels).toBeUndefined();
    expect(api.core.resourceVersion()).toBe(before);
  });

  it.each([
    { reason: 'a change of the spec', body: { spec: { paused: true } }, generation: 2, changed: true },
    { reason: 'a label', body: { metadata: { labels: { a: 'b' } } }, generation: 1, changed: true },
    { reason: 'nothing', body: { metadata: { labels: null } }, generation: 1, changed: false },
  ])('count generation and version as the API server does: $reason', async ({ body, generation, changed }) => {
    const before = api.read(refs.cluster).metadata;
    const answer = await imagined.kubernetes.mergePatch(refs.cluster, body);
    const after = objectOf(answer)?.metadata;
    expect(after?.generation).toBe(generation);
    expect(after?.resourceVersion !== before.resourceVersion).toBe(changed);
  });

  it('are refused where the API server would refuse them', async () => {
    const { kubernetes } = imagined;
    const answers = await Promise.all([
      kubernetes.mergePatch(refs.cluster, { spec: {} }, { resourceVersion: '1' }),
      kubernetes.mergePatch({ ...refs.cluster, name: 'nobody' }, { spec: {} }),
      kubernetes.delete(refs.free, { uid: 'another' }),
      kubernetes.delete({ ...refs.free, name: 'nobody' }),
      kubernetes.create({ ...secret, kind: 'Machine', apiVersion: machines.apiVersion, metadata: { ...refs.free } }),
      kubernetes.apply(secret, { fieldManager: 'm', force: true, uid: 'gone' }),
      kubernetes.apply(
        { ...refs.free, metadata: { name: 'free', namespace: 'ns' } },
        { fieldManager: 'm', force: true, uid: 'another' },
      ),
      kubernetes.jsonPatch(refs.cluster, []),
    ]);
    expect(answers.map(answer => (answer.ok ? 'ok' : answer.failure.reason))).toEqual([
      'Conflict',
      'NotFound',
      'Conflict',
      'NotFound',
      'AlreadyExists',
      'NotFound',
      'Conflict',
      'BadRequest',
    ]);
    expect(imagined.writes).toEqual([]);
  });

  it('create objects that are found again, by name and by label', async () => {
    const { kubernetes } = imagined;
    const created = objectOf(await kubernetes.create(secret));
    expect(created?.metadata.uid).not.toBe('');
    expect(objectOf(await kubernetes.get(secretRef))).toEqual(created);
    const query = { apiVersion: 'v1', kind: 'Secret' };
    const lists = await Promise.all([
      kubernetes.list({ ...query, namespace: 'ns', labels: { of: 'c1' } }),
      kubernetes.list({ ...query, labels: { of: 'c2' } }),
      kubernetes.list({ ...query, namespace: 'elsewhere' }),
    ]);
    expect(lists.map(list => (list.ok ? list.value.length : -1))).toEqual([1, 0, 0]);
  });

  it('delete what no finalizer holds, and begin to delete the rest', async () => {
    const { kubernetes } = imagined;
    await kubernetes.delete(refs.free, { uid: api.read(refs.free).metadata.uid });
    await kubernetes.delete(refs.held);
    await kubernetes.delete(refs.held);
    const left = await kubernetes.list(machines);
    expect(left.ok && left.value.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp])).toEqual([
      ['held', '2026-01-01T00:00:00Z'],
    ]);
    expect((await kubernetes.get(refs.free)).ok).toBe(false);
  });

  it('let an object go with its last finalizer', async () => {
    const { kubernetes } = imagined;
    await kubernetes.delete(refs.held);
    const answer = await kubernetes.mergePatch(refs.held, { metadata: { finalizers: null } });
    expect(objectOf(answer)?.metadata.finalizers).toBeUndefined();
    expect((await kubernetes.get(refs.held)).ok).toBe(false);
    expect(imagined.writes.at(-1)?.after).toBeUndefined();
  });

  it('apply onto what is there; a dry run leaves nothing', async () => {
    const { kubernetes } = imagined;
    const options = { fieldManager: 'm', force: true };
    expect(objectOf(await kubernetes.dryRun.apply(secret, options))?.kind).toBe('Secret');
    expect((await kubernetes.get(secretRef)).ok).toBe(false);
    await kubernetes.apply(secret, options);
    const again = await kubernetes.apply({ ...secret, type: 'changed' }, options);
    expect(objectOf(again)).toMatchObject({ type: 'changed', metadata: { labels: { of: 'c1' } } });
    expect(imagined.writes.map(({ verb, before }) => [verb, before === undefined])).toEqual([
      ['apply', true],
      ['apply', false],
    ]);
  });

  it('hand on what a parser makes of an object, and what it refuses', async () => {
    const { kubernetes } = imagined;
    const nameOf = (raw: unknown): string => JSON.stringify(raw).slice(0, 1);
    const refuse = (): never => {
      throw new Error('not as expected');
    };
    expect(await kubernetes.get(refs.cluster, nameOf)).toEqual({ ok: true, value: '{' });
    expect(await kubernetes.list(machines, nameOf)).toEqual({ ok: true, value: ['{', '{'] });
    expect(await kubernetes.list(machines, refuse)).toMatchObject({ failure: { reason: 'Unparsable' } });
  });

  it('go nowhere near a watch', async () => {
    const { watches } = imagined.kubernetes.within(new AbortController().signal);
    const signal = new AbortController().signal;
    const events = [];
    for await (const event of watches.watch({ ...machines, as: 'object' }, { resourceVersion: '1', signal })) {
      events.push(event.type);
    }
    expect(events).toEqual(['FAILED']);
    expect((await watches.page({ ...machines, as: 'object' }, { limit: 1, signal })).ok).toBe(false);
  });

  it('answer failing reads with what failed', async () => {
    api.calls.fail({ at: call => call.verb === 'list', failure: { reason: 'Forbidden', message: 'no' } });
    expect(await imagined.kubernetes.list(machines)).toMatchObject({ ok: false, failure: { reason: 'Forbidden' } });
  });
});

function objectOf(
  answer: { readonly ok: true; readonly value: Unstructured } | { readonly ok: false },
): Unstructured | undefined {
  return answer.ok ? answer.value : undefined;
}
