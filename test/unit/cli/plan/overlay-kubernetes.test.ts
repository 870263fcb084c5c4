import { type Kubernetes, type ObjectRef, refused, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { overlayWrites, type WriteOverlay } from '../../../../cli/plan/overlay-kubernetes.ts';
import { aCluster, aMachine } from '../../../support/builders.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

const cluster = aCluster();
const held = aMachine().named('held').withFinalizers('provider.example.com/held');
const free = aMachine().named('free');
const refs = { cluster: toRef(cluster.build()), held: toRef(held.build()), free: toRef(free.build()) };
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's1', namespace: 'ns', labels: { of: 'c1' } } };
const secretRef: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's1' };
const machines = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', namespace: 'ns' };

let api: MemoryApi;
let overlay: WriteOverlay;

beforeEach(() => {
  api = createMemoryApi();
  api.given(cluster, held, free);
  overlay = overlayWrites({ reads: api.kubernetes, now: api.clock.now() });
});

describe('imagined writes', () => {
  it('are visible to later reads only', async () => {
    const { kubernetes } = overlay;
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
    const answer = await overlay.kubernetes.mergePatch(refs.cluster, body);
    const after = objectOf(answer)?.metadata;
    expect(after?.generation).toBe(generation);
    expect(after?.resourceVersion !== before.resourceVersion).toBe(changed);
  });

  it('are refused where the API server would refuse them', async () => {
    const { kubernetes } = overlay;
    const answers = await Promise.all([
      kubernetes.mergePatch(refs.cluster, { spec: {} }, { resourceVersion: '1' }),
      kubernetes.mergePatch({ ...refs.cluster, name: 'absent' }, { spec: {} }),
      kubernetes.delete(refs.free, { uid: 'another' }),
      kubernetes.delete({ ...refs.free, name: 'absent' }),
      kubernetes.create({ ...secret, kind: 'Machine', apiVersion: machines.apiVersion, metadata: { ...refs.free } }),
      kubernetes.apply(secret, { fieldManager: 'm', force: true, uid: 'gone' }),
      kubernetes.apply(
        { ...refs.free, metadata: { name: 'free', namespace: 'ns' } },
        { fieldManager: 'm', force: true, uid: 'another' },
      ),
      kubernetes.apply(
        { ...refs.free, metadata: { name: 'free', namespace: 'ns' } },
        { fieldManager: 'm', force: true, onlyCreate: true },
      ),
      kubernetes.apply(
        { ...refs.free, metadata: { name: 'free', namespace: 'ns', resourceVersion: '1' } },
        { fieldManager: 'm', force: true },
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
      'Conflict',
      'Conflict',
      'BadRequest',
    ]);
    expect(overlay.writes).toEqual([]);
  });

  it('are applied to the version that was read', async () => {
    const { resourceVersion } = api.read(refs.free).metadata;
    const labels = { a: 'b' };
    const { apiVersion, kind } = refs.free;
    const intent = { apiVersion, kind, metadata: { name: 'free', namespace: 'ns', resourceVersion, labels } };
    const applied = await overlay.kubernetes.apply(intent, { fieldManager: 'm', force: true });
    expect(objectOf(applied)?.metadata.labels).toMatchObject(labels);
  });

  it('create objects that are found again, by name, label and field', async () => {
    const { kubernetes } = overlay;
    const created = objectOf(await kubernetes.create(secret));
    expect(created?.metadata.uid).not.toBe('');
    expect(objectOf(await kubernetes.get(secretRef))).toEqual(created);
    const query = { apiVersion: 'v1', kind: 'Secret' };
    const lists = await Promise.all([
      kubernetes.list({ ...query, namespace: 'ns', labels: { of: 'c1' } }),
      kubernetes.list({ ...query, labels: { of: 'c2' } }),
      kubernetes.list({ ...query, namespace: 'elsewhere' }),
      kubernetes.list({ ...query, fields: { 'metadata.name': 's1' } }),
      kubernetes.list({ ...query, fields: { 'metadata.name': 's2' } }),
    ]);
    expect(lists.map(list => (list.ok ? list.value.length : -1))).toEqual([1, 0, 0, 1, 0]);
  });

  it('delete objects without finalizers, and begin to delete the others', async () => {
    const { kubernetes } = overlay;
    await kubernetes.delete(refs.free, { uid: api.read(refs.free).metadata.uid });
    await kubernetes.delete(refs.held);
    await kubernetes.delete(refs.held);
    const left = await kubernetes.list(machines);
    expect(left.ok && left.value.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp])).toEqual([
      ['held', '2026-01-01T00:00:00Z'],
    ]);
    expect((await kubernetes.get(refs.free)).ok).toBe(false);
  });

  it('delete an object with its last finalizer', async () => {
    const { kubernetes } = overlay;
    await kubernetes.delete(refs.held);
    const answer = await kubernetes.mergePatch(refs.held, { metadata: { finalizers: null } });
    expect(objectOf(answer)?.metadata.finalizers).toBeUndefined();
    expect((await kubernetes.get(refs.held)).ok).toBe(false);
    expect(overlay.writes.at(-1)?.after).toBeUndefined();
  });

  it('apply to the existing object; a dry run stores nothing', async () => {
    const { kubernetes } = overlay;
    const options = { fieldManager: 'm', force: true };
    expect(objectOf(await kubernetes.dryRun.apply(secret, options))?.kind).toBe('Secret');
    expect((await kubernetes.get(secretRef)).ok).toBe(false);
    await kubernetes.apply(secret, options);
    const again = await kubernetes.apply({ ...secret, data: { key: 'eA==' } }, options);
    expect(objectOf(again)).toMatchObject({ data: { key: 'eA==' }, metadata: { labels: { of: 'c1' } } });
    expect(overlay.writes.map(({ verb, before }) => [verb, before === undefined])).toEqual([
      ['apply', true],
      ['apply', false],
    ]);
  });

  it('return the parsed object, and the errors of the parser', async () => {
    const { kubernetes } = overlay;
    const nameOf = (raw: unknown): string => JSON.stringify(raw).slice(0, 1);
    const refuse = (): never => {
      throw new Error('not as expected');
    };
    expect(await kubernetes.get(refs.cluster, nameOf)).toEqual({ ok: true, value: '{' });
    expect(await kubernetes.list(machines, nameOf)).toEqual({ ok: true, value: ['{', '{'] });
    expect(await kubernetes.list(machines, refuse)).toMatchObject({ failure: { reason: 'Unparsable' } });
  });

  it('refuse a watch', async () => {
    const { watches } = overlay.kubernetes.within(new AbortController().signal);
    const signal = new AbortController().signal;
    const events = [];
    for await (const event of watches.watch({ ...machines, as: 'object' }, { resourceVersion: '1', signal })) {
      events.push(event.type);
    }
    expect(events).toEqual(['FAILED']);
    expect((await watches.page({ ...machines, as: 'object' }, { limit: 1, signal })).ok).toBe(false);
  });

  it('answer failed reads with the failed objects', async () => {
    api.calls.fail({ at: call => call.verb === 'list', failure: { reason: 'Forbidden', message: 'no' } });
    expect(await overlay.kubernetes.list(machines)).toMatchObject({ ok: false, failure: { reason: 'Forbidden' } });
  });
});

describe('an imagined apply', () => {
  const options = { fieldManager: 'm', force: true };
  const named = { name: 'md1', namespace: 'ns' };
  const deployment = (fields: object) => ({
    apiVersion: machines.apiVersion,
    kind: 'MachineDeployment',
    metadata: { ...named, ...fields },
    spec: {
      clusterName: 'c1',
      selector: {},
      template: { spec: { clusterName: 'c1', bootstrap: {}, infrastructureRef } },
    },
  });
  const infrastructureRef = { apiGroup: 'x.example.com', kind: 'XTemplate', name: 'x1' };

  it('removes fields that its manager no longer applies, and keeps the fields of others', async () => {
    api.given(aMachine().named('m1').labelled({ theirs: 'kept' }));
    const machine = { apiVersion: machines.apiVersion, kind: 'Machine' };
    const applied = (labels: Readonly<Record<string, string>>) =>
      overlay.kubernetes.apply({ ...machine, metadata: { name: 'm1', namespace: 'ns', labels } }, options);
    await applied({ first: 'said', second: 'said' });
    const after = objectOf(await applied({ second: 'said' }));
    expect(after?.metadata.labels).toMatchObject({ theirs: 'kept', second: 'said' });
    expect(after?.metadata.labels).not.toHaveProperty('first');
  });

  it.each([
    { reason: 'new', write: 1, isNew: true },
    { reason: 'the same again', write: 2, isNew: false },
  ])('is the one of the embedded server, defaults and owners included: $reason', async ({ write, isNew }) => {
    const playedOn = async (client: Kubernetes) => {
      const answers = [];
      for (let count = 1; count <= write; count += 1) {
        answers.push(await client.apply(deployment({}), options));
      }
      return objectOf(answers.at(-1) ?? { ok: false });
    };
    const planned = await playedOn(overlay.kubernetes);
    const real = await playedOn(api.others);
    expect(content(planned)).toEqual(content(real));
    expect(overlay.writes.at(-1)?.before === undefined).toBe(isNew);
  });

  it('is refused where the schema of its kind refuses it', async () => {
    const nameless = { ...deployment({}), spec: { clusterName: 'c1', template: { spec: { clusterName: '' } } } };
    const [planned, real] = await Promise.all(
      [overlay.kubernetes, api.others].map(client => client.dryRun.apply(nameless, options)),
    );
    expect(planned).toMatchObject({ ok: false, failure: { reason: 'Invalid' } });
    expect(planned).toEqual(real);
  });

  it('takes lists of a kind without definition as a whole', async () => {
    const odd = (list: readonly string[]) => ({
      apiVersion: 'odd.example.com/v1',
      kind: 'Odd',
      metadata: { name: 'o1', namespace: 'ns' },
      spec: { list },
    });
    const nothing = fakeReads([]);
    const { kubernetes } = overlayWrites({ reads: nothing, now: 0 });
    await kubernetes.apply(odd(['a', 'b']), options);
    expect(objectOf(await kubernetes.apply(odd(['b']), options))?.spec).toEqual({ list: ['b'] });
  });

  it('is the dry run of the API server, until a write has changed the object', async () => {
    const dryRun = { apply: vi.fn(api.others.dryRun.apply) };
    const { kubernetes, writes } = overlayWrites({ reads: api.kubernetes, now: api.clock.now(), dryRun });
    await kubernetes.dryRun.apply(deployment({}), options);
    await kubernetes.apply(deployment({}), options);
    await kubernetes.apply(deployment({ labels: { a: 'b' } }), options);
    expect(dryRun.apply).toHaveBeenCalledTimes(2);
    expect(writes.map(({ after }) => after?.metadata.labels)).toEqual([undefined, { a: 'b' }]);
    expect(api.find({ ...machines, ...named, kind: 'MachineDeployment' })).toBeUndefined();
  });

  it.each([
    { reason: 'Forbidden', notes: 1, ok: true },
    { reason: 'Invalid', notes: 0, ok: false },
  ] as const)('that the API server refuses with $reason', async ({ reason, notes, ok }) => {
    const conclusions: string[] = [];
    const dryRun = { apply: async () => refused<Unstructured>({ reason, message: 'no' }) };
    const onRefused = (note: string) => conclusions.push(note);
    const { kubernetes } = overlayWrites({ reads: api.kubernetes, now: 0, dryRun, onRefused });
    const answers = [
      await kubernetes.apply(deployment({}), options),
      await kubernetes.dryRun.apply(deployment({}), options),
    ];
    expect(answers.map(answer => answer.ok)).toEqual([ok, ok]);
    expect(conclusions).toHaveLength(notes);
  });
});

/** Returns the parts that do not depend on who assigns versions. */
function content(object: Unstructured | undefined) {
  return object && { ...object, metadata: { ...object.metadata, uid: '', resourceVersion: '' } };
}

function objectOf(
  answer: { readonly ok: true; readonly value: Unstructured } | { readonly ok: false },
): Unstructured | undefined {
  return answer.ok ? answer.value : undefined;
}
