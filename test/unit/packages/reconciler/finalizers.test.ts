import { beforeEach, describe, expect, it } from 'vitest';
import type { Unstructured } from '../../../../packages/apimachinery/object.ts';
import { act } from '../../../../packages/reconciler/act.ts';
import {
  isDeleting,
  lacksFinalizer,
  patchFinalizers,
  removeFinalizer,
} from '../../../../packages/reconciler/finalizers.ts';
import { aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;
let observed: Unstructured;

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
});

function given(metadata: object = {}): void {
  api.given(aWidget({ metadata }));
  observed = api.read(widgetRef);
}

const add = () => patchFinalizers('f', observed, [...(observed.metadata.finalizers ?? []), 'ours/x']);
const remove = () => patchFinalizers('f', observed, (observed.metadata.finalizers ?? []).slice(1));

const perform = (action: ReturnType<typeof add>) =>
  act(
    {
      kubernetes: api.kubernetes,
      fieldManager: 'capi-serverless',
      clock: api.clock,
      signal: new AbortController().signal,
    },
    [action],
  );

const changeStatus = () => api.others.mergePatch(widgetRef, { status: { n: 1 } }, { subresource: 'status' });
const changeMetadata = (metadata: object) => api.others.mergePatch(widgetRef, { metadata: { ...metadata } });
const finalizers = () => api.read(widgetRef).metadata.finalizers ?? [];

describe('adding a finalizer', () => {
  it('takes one request if no other writer changed the object', async () => {
    given({ finalizers: ['a/b'] });
    expect((await perform(add())).stale).toBeUndefined();
    expect(finalizers()).toEqual(['a/b', 'ours/x']);
    expect(api.calls.all.map(({ verb }) => verb)).toEqual(['patch']);
  });

  it('does not lose against changes of other parts of the object', async () => {
    given();
    const action = add();
    await changeStatus();
    await changeMetadata({ labels: { a: 'b' }, annotations: { c: 'd' } });
    expect((await perform(action)).stale).toBeUndefined();
    expect(finalizers()).toEqual(['ours/x']);
    expect(api.calls.all.map(({ verb }) => verb)).toEqual(['patch', 'metadata', 'patch']);
  });

  it('keeps a finalizer that another writer added meanwhile: another pass decides', async () => {
    given();
    const action = add();
    await changeMetadata({ finalizers: ['other/y'] });
    expect((await perform(action)).stale).toMatchObject({ reason: 'Conflict' });
    expect(finalizers()).toEqual(['other/y']);
  });

  it('ends once the object is being deleted', async () => {
    given({ finalizers: ['a/b'] });
    const action = add();
    await api.others.delete(widgetRef);
    expect((await perform(action)).stale).toBeDefined();
    expect(finalizers()).toEqual(['a/b']);
  });

  it('gives up after four lost races in a row', async () => {
    given();
    api.calls.fail({
      at: ({ verb }) => verb === 'patch',
      failure: { reason: 'Conflict', code: 409, message: 'changed' },
    });
    expect((await perform(add())).stale).toMatchObject({ message: 'changed' });
    expect(api.calls.all.filter(({ verb }) => verb === 'patch')).toHaveLength(4);
  });

  it('ends with the conflict if the metadata cannot be read', async () => {
    given();
    const action = add();
    await changeStatus();
    api.calls.fail({ at: 2, failure: { reason: 'Unavailable', code: 503, message: 'down' } });
    expect((await perform(action)).stale).toMatchObject({ reason: 'Conflict' });
    expect(finalizers()).toEqual([]);
  });
});

describe('removing a finalizer', () => {
  it('does not lose against a changed status', async () => {
    given({ finalizers: ['ours/x', 'a/b'] });
    const action = remove();
    await changeStatus();
    expect((await perform(action)).stale).toBeUndefined();
    expect(finalizers()).toEqual(['a/b']);
  });

  it.each([
    { change: { annotations: { 'cluster.x-k8s.io/paused': '' } }, reason: 'an annotation may pause the object' },
    {
      change: { labels: { 'cluster.x-k8s.io/watch-filter': 'x' } },
      reason: 'a label may give it to another installation',
    },
    { change: { finalizers: ['ours/x', 'new/z'] }, reason: 'another finalizer' },
  ])('waits for another pass after a change that may demand work first: $reason', async ({ change }) => {
    given({ finalizers: ['ours/x'] });
    const action = remove();
    await changeMetadata(change);
    expect((await perform(action)).stale).toMatchObject({ reason: 'Conflict' });
    expect(finalizers()).toContain('ours/x');
  });

  it('waits for another pass after a change of the spec', async () => {
    given({ finalizers: ['ours/x'] });
    const action = remove();
    await api.others.mergePatch(widgetRef, { spec: { size: 7 } });
    expect((await perform(action)).stale).toMatchObject({ reason: 'Conflict' });
  });

  it('removes the list with the last one', async () => {
    given({ finalizers: ['ours/x'] });
    expect(remove()).toMatchObject({ body: { metadata: { finalizers: null } }, onError: 'stop' });
  });
});

describe('an object that lacks a finalizer', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';

  it.each([
    { metadata: {}, lacks: true, reason: 'it has none' },
    { metadata: { finalizers: ['a/b'] }, lacks: true, reason: 'it has another one' },
    { metadata: { finalizers: ['a/b', 'ours/x'] }, lacks: false, reason: 'it has it' },
    { metadata: { deletionTimestamp }, lacks: false, reason: 'it is being deleted' },
  ])('$lacks: $reason', ({ metadata, lacks }) => {
    expect(lacksFinalizer(aWidget({ metadata }), 'ours/x')).toBe(lacks);
  });

  it('is in deletion if it has a time of deletion', () => {
    expect([isDeleting({ metadata: {} }), isDeleting({ metadata: { deletionTimestamp } })]).toEqual([false, true]);
  });
});

describe('the removal of a finalizer', () => {
  it.each([
    { finalizers: ['ours/x'], others: null, reason: 'it is the last one' },
    { finalizers: ['a/b', 'ours/x', 'c/d'], others: ['a/b', 'c/d'], reason: 'the others stay' },
  ])('follows the status: $reason', ({ finalizers: all, others }) => {
    expect(removeFinalizer(aWidget({ metadata: { finalizers: all } }), 'ours/x')).toMatchObject([
      { id: 'finalizer:remove', onError: 'stop', afterStatus: true, body: { metadata: { finalizers: others } } },
    ]);
  });

  it.each([{}, { finalizers: ['a/b'] }])('is not necessary if it is absent', metadata => {
    expect(removeFinalizer(aWidget({ metadata }), 'ours/x')).toEqual([]);
  });
});
