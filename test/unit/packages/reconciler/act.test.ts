import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../../../packages/apimachinery/answer.ts';
import type { Intent } from '../../../../packages/apimachinery/object.ts';
import type { Action, Outcomes } from '../../../../packages/reconciler/types.ts';
import { actOn, statesOf } from '../../../support/act-on.ts';
import { aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
});

const perform = (...actions: readonly Action[]) => actOn(api, actions);

function anIntent(name: string, more: object = {}): Intent {
  return { apiVersion: widgetRef.apiVersion, kind: 'Widget', metadata: { name, namespace: 'ns', ...more } };
}

const creating = (id: string, object: Intent, ours = true): Action => ({
  id,
  onError: 'stop',
  do: 'create',
  object,
  ours: () => ours,
});
const patching = (id: string, body: object, more: object = {}): Action => ({
  id,
  onError: 'stop',
  do: 'patch',
  ref: widgetRef,
  body: { ...body },
  ...more,
});
const boom: ApiFailure = { reason: 'InternalError', code: 500, message: 'boom' };

describe('create', () => {
  it('creates the object and keeps the response', async () => {
    api.given(aWidget({ metadata: { name: 'other' } }));
    const { outcomes, writes, stale } = await perform(creating('one', anIntent('w2')));
    expect(outcomes.get('one')).toMatchObject({ state: 'done', object: { metadata: { name: 'w2' } } });
    expect([writes, stale]).toEqual([1, undefined]);
    expect(api.calls.all.map(({ verb, options }) => [verb, options])).toEqual([
      ['create', { fieldManager: 'capi-serverless' }],
    ]);
  });

  it('reports why a creation was refused, without a read', async () => {
    api.given(aWidget());
    api.calls.fail({ at: 1, failure: { reason: 'Forbidden', code: 403, message: 'no' } });
    const { outcomes } = await perform(creating('one', anIntent('w1')));
    expect(outcomes.get('one')).toMatchObject({ state: 'failed', failure: { reason: 'Forbidden', message: 'no' } });
    expect(api.calls.all.map(({ verb }) => verb)).toEqual(['create']);
  });

  it('adopts an existing object that is ours', async () => {
    const [existing] = api.given(aWidget());
    const { outcomes } = await perform(creating('one', anIntent('w1')));
    expect(outcomes.get('one')).toMatchObject({ state: 'done', object: { metadata: { uid: existing?.metadata.uid } } });
  });

  it('fails on an existing object that is not ours', async () => {
    api.given(aWidget());
    const { outcomes } = await perform(creating('one', anIntent('w1'), false));
    expect(outcomes.get('one')).toMatchObject({ state: 'failed', failure: { reason: 'AlreadyExists' } });
  });

  it('fails when the existing object cannot be read', async () => {
    api.given(aWidget());
    api.calls.fail({ at: call => call.verb === 'get', failure: boom });
    const { outcomes } = await perform(creating('one', anIntent('w1')));
    expect(outcomes.get('one')).toMatchObject({ state: 'failed', failure: { message: 'boom' } });
  });

  it('inserts the uid of an earlier response, in lists too', async () => {
    const [first] = api.given(aWidget());
    const owner = { apiVersion: widgetRef.apiVersion, kind: 'Widget', name: 'w1', uid: { uidOf: 'first' } };
    await perform(
      patching('first', { spec: { touched: true } }),
      // The type of an intent allows only plain uids in owner references.
      creating('second', anIntent('w2', { ownerReferences: [owner] } as object)),
    );
    const second = api.read({ ...widgetRef, name: 'w2' });
    expect(second.metadata.ownerReferences?.[0]?.uid).toBe(first?.metadata.uid);
  });

  it('keeps a field that is only named uidOf', async () => {
    api.given(aWidget());
    await perform(patching('a', { spec: { source: { uidOf: 'unknown', other: 1 } } }));
    expect(api.read(widgetRef).spec).toEqual({ source: { uidOf: 'unknown', other: 1 } });
  });

  it('fails on a uid that no response contains', async () => {
    const asking = creating('second', anIntent('w2', { labels: { owner: { uidOf: 'unknown' } } } as object));
    await expect(perform(asking)).rejects.toThrow('Action unknown left no object whose uid could be used');
    const run: Action = { id: 'run', onError: 'stop', do: 'run', label: 'x', run: async () => 1 };
    await expect(
      perform(run, creating('c', anIntent('w2', { labels: { owner: { uidOf: 'run' } } } as object))),
    ).rejects.toThrow('Action run');
  });
});

describe('patch', () => {
  it('sends the body, or the result of its function', async () => {
    api.given(aWidget());
    await perform(patching('a', { spec: { size: 1 } }), {
      id: 'b',
      onError: 'stop',
      do: 'patch',
      ref: widgetRef,
      body: outcomes => ({ spec: { before: outcomes.get('a')?.state } }),
    });
    expect(api.read(widgetRef).spec).toEqual({ size: 1, before: 'done' });
    expect(api.calls.all[0]?.options).toStrictEqual({ fieldManager: 'capi-serverless' });
  });

  it('locks on the version that an earlier write of the pass left', async () => {
    api.given(aWidget());
    const versionAfter = (id: string) => (outcomes: Outcomes) => {
      const outcome = outcomes.get(id);
      return outcome?.state === 'done' ? (outcome.object?.metadata.resourceVersion ?? '') : '';
    };
    const { stale } = await perform(
      patching('a', { spec: { ours: 1 } }),
      patching('b', { spec: { ours: 2 } }, { resourceVersion: versionAfter('a') }),
      patching('c', { spec: { ours: 3 } }, { resourceVersion: versionAfter('a'), onError: 'continue' }),
    );
    expect(stale?.reason).toBe('Conflict');
    expect(api.read(widgetRef).spec).toEqual({ ours: 2 });
  });

  it('holds a precondition: a changed object makes the pass stale and skips the rest', async () => {
    const [seen] = api.given(aWidget());
    await api.others.mergePatch(widgetRef, { spec: { theirs: true } });
    const locked = { resourceVersion: seen?.metadata.resourceVersion ?? '', onError: 'continue' };
    const { outcomes, stale } = await perform(
      patching('a', { spec: { ours: true } }, locked),
      patching('b', { spec: { ours: 2 } }),
    );
    expect(stale?.reason).toBe('Conflict');
    expect(statesOf(outcomes)).toEqual({ a: 'failed', b: 'skipped' });
    expect(api.read(widgetRef).spec).toEqual({ theirs: true });
  });

  it.each([
    {
      reason: 'a locked patch of a deleted object',
      failure: { reason: 'NotFound', code: 404, message: 'gone' },
      lock: '1',
      stale: true,
    },
    {
      reason: 'a locked patch refused because deletion began',
      failure: {
        reason: 'Invalid',
        code: 422,
        message: 'no new finalizers can be added if the object is being deleted',
      },
      lock: '1',
      stale: true,
    },
    {
      reason: 'a locked patch that is invalid by itself',
      failure: { reason: 'Invalid', code: 422, message: 'spec.size: too big' },
      lock: '1',
      stale: false,
    },
    {
      reason: 'a locked patch refused because the namespace is being deleted',
      failure: { reason: 'Forbidden', code: 403, message: 'namespace ns is being deleted' },
      lock: '1',
      stale: false,
    },
    {
      reason: 'an unlocked patch of a deleted object',
      failure: { reason: 'NotFound', code: 404, message: 'gone' },
      lock: undefined,
      stale: false,
    },
  ] as const)('distinguishes an outdated state from a failure: $reason', async ({ failure, lock, stale }) => {
    api.given(aWidget());
    api.calls.fail({ at: call => call.verb === 'patch', failure });
    const acted = await perform(patching('a', { spec: {} }, lock === undefined ? {} : { resourceVersion: lock }));
    expect(acted.stale !== undefined).toBe(stale);
    expect(statesOf(acted.outcomes)).toEqual({ a: 'failed' });
  });
});

describe('delete', () => {
  const deleting = (uid: string) => ({ id: 'd', onError: 'stop', do: 'delete', ref: widgetRef, uid }) as const;

  it('deletes dependents first on request', async () => {
    const [widget] = api.given(aWidget());
    await perform({ ...deleting(widget?.metadata.uid ?? ''), propagation: 'Foreground' });
    expect(api.calls.all.at(-1)?.options).toMatchObject({ propagationPolicy: 'Foreground' });
  });

  it('deletes an object only in the version that was read', async () => {
    const [widget] = api.given(aWidget());
    const { uid = '' } = widget?.metadata ?? {};
    const { stale } = await perform({ ...deleting(uid), resourceVersion: 'older' });
    expect(stale?.reason).toBe('Conflict');
    expect(api.calls.all.at(-1)?.options).toMatchObject({ uid, resourceVersion: 'older' });
  });

  it('deletes exactly the observed object', async () => {
    const [seen] = api.given(aWidget());
    expect(statesOf((await perform(deleting(seen?.metadata.uid ?? ''))).outcomes)).toEqual({ d: 'done' });
    expect(api.find(widgetRef)).toBeUndefined();
  });

  it('does not delete another object of the same name', async () => {
    api.given(aWidget());
    const { stale } = await perform(deleting('another-uid'));
    expect(stale?.reason).toBe('Conflict');
    expect(api.find(widgetRef)).toBeDefined();
  });

  it('deletes the object that an earlier action created', async () => {
    api.given(aWidget({ metadata: { name: 'other' } }));
    const taken = creating('made', anIntent('w1'));
    const back: Action = { id: 'd', onError: 'stop', do: 'delete', ref: widgetRef, uid: { uidOf: 'made' } };
    expect(statesOf((await perform(taken, back)).outcomes)).toEqual({ made: 'done', d: 'done' });
    expect(api.find(widgetRef)).toBeUndefined();
  });

  it('succeeds on a deleted object', async () => {
    api.given(aWidget({ metadata: { name: 'other' } }));
    expect((await perform(deleting('u'))).outcomes.get('d')).toStrictEqual({ state: 'done' });
  });

  it('returns the object while it has finalizers', async () => {
    const [seen] = api.given(aWidget({ metadata: { finalizers: ['example.com/x'] } }));
    const { outcomes } = await perform(deleting(seen?.metadata.uid ?? ''));
    expect(outcomes.get('d')).toMatchObject({ state: 'done', object: { metadata: { finalizers: ['example.com/x'] } } });
  });
});

describe('apply', () => {
  it.each([
    {
      reason: 'an update carries the uid',
      uid: 'u-1',
      options: { fieldManager: 'capi-topology', force: true, uid: 'u-1' },
    },
    { reason: 'a creation carries none', uid: undefined, options: { fieldManager: 'capi-topology', force: true } },
    {
      reason: 'it must create the object',
      uid: undefined,
      more: { onlyCreate: true },
      options: { fieldManager: 'capi-topology', force: true, onlyCreate: true },
    } as const,
  ])('is sent with its own field manager: $reason', async ({ uid, more = {}, options }) => {
    api.calls.fail({ at: call => call.verb === 'apply', failure: boom });
    const { outcomes } = await perform({
      id: 'a',
      onError: 'stop',
      do: 'apply',
      object: anIntent('w9'),
      manager: 'capi-topology',
      uid,
      ...more,
    });
    expect(statesOf(outcomes)).toEqual({ a: 'failed' });
    expect(api.calls.all[0]?.options).toStrictEqual(options);
  });

  it('that must create an existing object uses an outdated state', async () => {
    api.given(aWidget());
    const { outcomes, stale } = await perform({
      ...{ id: 'a', onError: 'continue', do: 'apply', manager: 'm', uid: undefined, onlyCreate: true },
      object: anIntent('w1'),
    });
    expect(statesOf(outcomes)).toEqual({ a: 'failed' });
    expect(stale).toMatchObject({ reason: 'Conflict' });
  });
});

describe('run', () => {
  const running = (run: () => Promise<unknown>): Action => ({
    id: 'r',
    onError: 'continue',
    do: 'run',
    label: 'step',
    run,
  });

  it('stores the result and counts no write', async () => {
    const { outcomes, writes } = await perform(running(async () => ({ ready: true })));
    expect(outcomes.get('r')).toEqual({ state: 'done', value: { ready: true } });
    expect(writes).toBe(0);
  });

  it('stores the thrown error', async () => {
    const error = new Error('no quota');
    const { outcomes } = await perform(running(() => Promise.reject(error)));
    expect(outcomes.get('r')).toEqual({
      state: 'failed',
      failure: { reason: 'InternalError', message: 'no quota' },
      error,
    });
    const text = await perform(running(() => Promise.reject('plain text')));
    expect(text.outcomes.get('r')).toMatchObject({ state: 'failed', failure: { message: 'plain text' } });
  });
});

describe('order', () => {
  it.each([
    { onError: 'stop', after: 'skipped' },
    { onError: 'continue', after: 'done' },
  ] as const)('after a failure with $onError later actions are $after', async ({ onError, after }) => {
    api.given(aWidget());
    api.calls.fail({ at: 1, failure: boom });
    const { outcomes, stale } = await perform(
      patching('a', { spec: {} }, { onError }),
      patching('b', { spec: { done: true } }),
    );
    expect(statesOf(outcomes)).toEqual({ a: 'failed', b: after });
    expect(stale).toBeUndefined();
  });

  it('skips an action whose condition the outcomes do not meet', async () => {
    api.given(aWidget());
    const { outcomes, writes } = await perform(
      patching('a', { spec: { n: 1 } }, { when: () => false }),
      patching('b', { spec: { n: 2 } }, { when: (seen: Outcomes) => seen.get('a')?.state === 'skipped' }),
    );
    expect(statesOf(outcomes)).toEqual({ a: 'skipped', b: 'done' });
    expect(writes).toBe(1);
  });
});

describe('a patch of the status', () => {
  const body = { status: { ours: 1 } };

  it('is sent to the subresource', async () => {
    api.given(aWidget());
    await perform(patching('a', body, { subresource: 'status' }));
    expect(api.calls.all.map(({ options }) => options)).toEqual([
      { fieldManager: 'capi-serverless', subresource: 'status' },
    ]);
  });

  it('is sent to the subresource again after a conflict', async () => {
    const [seen] = api.given(aWidget());
    await api.others.mergePatch(widgetRef, { spec: { theirs: true } });
    const locked = { resourceVersion: seen?.metadata.resourceVersion ?? '', allows: () => true };
    await perform(patching('a', body, { subresource: 'status', ...locked }));
    const sent = api.calls.all.filter(({ verb }) => verb === 'patch').map(({ options }) => options);
    expect(sent).toMatchObject([{ subresource: 'status' }, { subresource: 'status' }]);
  });
});
