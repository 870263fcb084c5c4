import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, answered, refused } from '../../../../packages/apimachinery/answer.ts';
import type { EvictOptions } from '../../../../packages/apimachinery/client.ts';
import type { ObjectRef, Unstructured } from '../../../../packages/apimachinery/object.ts';
import { act } from '../../../../packages/reconciler/act.ts';
import type { Action } from '../../../../packages/reconciler/types.ts';
import type { WorkloadWriters, WorkloadWrites } from '../../../../packages/reconciler/workload-writes.ts';
import { aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const target = { uid: 'c', namespace: 'ns', name: 'c1' };
const clock = new SteppedClock();
let management: MemoryApi;
let workload: MemoryApi;
let evicted: (EvictOptions & { readonly name: string })[];
let evict: (pod: ObjectRef) => Answer<undefined>;
/** How long an eviction takes. */
let evictionMs: number;

beforeEach(() => {
  management = createMemoryApi({ crds: [widgetCrd] });
  workload = createMemoryApi({ crds: [widgetCrd] });
  evicted = [];
  evict = () => answered(undefined);
  evictionMs = 0;
});

let create: WorkloadWrites['createManifest'];

const toWorkload: WorkloadWriters = given => {
  expect(given).toBe(target);
  const { mergePatch, metadata, delete: remove } = workload.kubernetes;
  return {
    mergePatch,
    metadata,
    delete: remove,
    async evict(pod, options) {
      evicted.push({ name: pod.name, ...options });
      await clock.advance(evictionMs);
      return evict(pod);
    },
    createManifest: create,
  };
};

const perform = (actions: readonly Action[], writers: WorkloadWriters | undefined = toWorkload, deadline?: number) =>
  act(
    {
      kubernetes: management.kubernetes,
      workload: writers,
      fieldManager: 'capi-serverless',
      clock,
      signal: new AbortController().signal,
      deadline,
    },
    actions,
  );

const patching = (more: object = {}): Action => ({
  id: 'patch',
  onError: 'stop',
  do: 'patch',
  ref: widgetRef,
  body: { spec: { unschedulable: true } },
  target,
  ...more,
});

const evicting = (name: string, more: object = {}): Action => ({
  id: name,
  onError: 'continue',
  do: 'evict',
  pod: { apiVersion: 'v1', kind: 'Pod', namespace: 'app', name },
  uid: `uid-${name}`,
  target,
  ...more,
});

describe('a write with a target', () => {
  it('patches the object of the workload cluster, and no object of the management cluster', async () => {
    management.given(aWidget());
    workload.given(aWidget());
    const { outcomes, writes } = await perform([patching()]);
    expect(outcomes.get('patch')).toMatchObject({ state: 'done', object: { spec: { unschedulable: true } } });
    expect(writes).toBe(1);
    expect(management.calls.all).toEqual([]);
  });

  it('is stale if the object has another version', async () => {
    workload.given(aWidget());
    const { stale } = await perform([patching({ resourceVersion: '1' })]);
    expect(stale?.reason).toBe('Conflict');
  });

  it('repeats a contested patch with the metadata of the workload cluster', async () => {
    workload.given(aWidget());
    const { outcomes } = await perform([patching({ resourceVersion: '1', allows: () => true })]);
    expect(outcomes.get('patch')?.state).toBe('done');
    expect(management.calls.all).toEqual([]);
  });

  it('deletes the object of the workload cluster', async () => {
    const [kept] = management.given(aWidget());
    const [gone] = workload.given(aWidget());
    const remove: Action = {
      id: 'x',
      onError: 'stop',
      do: 'delete',
      ref: widgetRef,
      uid: gone?.metadata.uid ?? '',
      target,
    };
    const { outcomes } = await perform([remove]);
    expect(outcomes.get('x')).toEqual({ state: 'done' });
    expect(await management.kubernetes.get(widgetRef)).toMatchObject({ ok: true, value: { metadata: kept?.metadata } });
  });

  it('is a defect of a reconciler without workload clusters', async () => {
    const { kubernetes } = management;
    const context = { kubernetes, fieldManager: 'm', clock, signal: new AbortController().signal };
    await expect(act(context, [patching()])).rejects.toThrow(
      'No client is configured for the workload cluster of Cluster ns/c1',
    );
  });
});

describe('a manifest', () => {
  const place = { apiVersion: 'x.io/v1', kind: 'Foo', plural: 'foos', name: 'f' };
  const applying = (more: Partial<Extract<Action, { do: 'manifest' }>> = {}): Action => ({
    id: 'm',
    onError: 'continue',
    do: 'manifest',
    place,
    object: { uidOf: 'x' },
    keepsExisting: true,
    target,
    ...more,
  });
  const exists = refused<Unstructured>({ reason: 'AlreadyExists', message: 'exists' });
  let created: unknown[];

  beforeEach(() => {
    created = [];
    create = async (object, at) => {
      created.push([object, at]);
      return answered(aWidget());
    };
  });

  it('is created as it is, and the answer is not kept', async () => {
    const { outcomes, writes } = await perform([applying()]);
    expect([created, outcomes.get('m'), writes]).toEqual([[[{ uidOf: 'x' }, place]], { state: 'done' }, 1]);
  });

  it('may exist if it is kept', async () => {
    create = async () => exists;
    expect((await perform([applying()])).outcomes.get('m')).toEqual({ state: 'done' });
    expect((await perform([applying({ keepsExisting: false })])).outcomes.get('m')).toMatchObject({ state: 'failed' });
  });

  it('changes an existing object, and a conflict ends nothing', async () => {
    workload.given(aWidget());
    const { outcomes } = await perform([applying({ place: widgetRef, change: { spec: { n: 1 } } })]);
    expect(outcomes.get('m')).toEqual({ state: 'done' });
    expect(workload.read(widgetRef).spec).toEqual({ n: 1 });
    create = async () => refused({ reason: 'Conflict', message: 'changed' });
    const { stale, outcomes: both } = await perform([applying(), applying({ id: 'n' })]);
    expect([stale, both.get('n')?.state]).toEqual([undefined, 'failed']);
  });

  it('is not sent in the last 10 s before the deadline', async () => {
    const at = (remainingMs: number) =>
      act(
        {
          kubernetes: management.kubernetes,
          workload: toWorkload,
          fieldManager: 'm',
          clock,
          signal: new AbortController().signal,
          deadline: clock.now() + remainingMs,
        },
        [applying()],
      );
    expect((await at(10_001)).outcomes.get('m')).toEqual({ state: 'done' });
    expect((await at(10_000)).outcomes.get('m')).toMatchObject({ failure: { reason: 'Aborted' } });
    expect(created).toHaveLength(1);
  });
});

describe('an eviction', () => {
  it('names the uid of the Pod, and its grace period if there is one', async () => {
    const { outcomes, writes } = await perform([evicting('p1'), evicting('p2', { gracePeriodSeconds: 1 })]);
    expect(evicted).toEqual([
      { name: 'p1', uid: 'uid-p1' },
      { name: 'p2', uid: 'uid-p2', gracePeriodSeconds: 1 },
    ]);
    expect([...outcomes.values()]).toEqual([{ state: 'done' }, { state: 'done' }]);
    expect(writes).toBe(2);
  });

  it('that is refused keeps no other Pod from its eviction, also after a conflict', async () => {
    evict = ({ name }) =>
      name === 'p1' ? refused({ reason: 'Conflict', code: 409, message: 'the UID differs' }) : answered(undefined);
    const { outcomes, stale } = await perform([evicting('p1'), evicting('p2')]);
    expect(outcomes.get('p1')).toMatchObject({ state: 'failed', failure: { reason: 'Conflict' } });
    expect(outcomes.get('p2')).toEqual({ state: 'done' });
    expect(stale).toBeUndefined();
  });

  it('is not sent later than 10 s after the first one', async () => {
    evictionMs = 5_000;
    const { outcomes } = await perform(['p1', 'p2', 'p3'].map(name => evicting(name)));
    expect(evicted.map(({ name }) => name)).toEqual(['p1', 'p2']);
    expect(outcomes.get('p3')).toEqual({
      state: 'failed',
      failure: { reason: 'Aborted', message: 'eviction timeout of 10s reached, eviction will be retried' },
    });
  });

  it('is not sent in the last 15 s of an invocation', async () => {
    evictionMs = 5_000;
    const { outcomes } = await perform(
      ['p1', 'p2'].map(name => evicting(name)),
      toWorkload,
      clock.now() + 20_000,
    );
    expect(evicted.map(({ name }) => name)).toEqual(['p1']);
    expect(outcomes.get('p2')).toEqual({
      state: 'failed',
      failure: { reason: 'Aborted', message: 'no time is left for evictions, eviction will be retried' },
    });
  });
});
