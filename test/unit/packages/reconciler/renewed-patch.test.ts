import { beforeEach, describe, expect, it } from 'vitest';
import type { Unstructured } from '../../../../packages/apimachinery/object.ts';
import type { Action } from '../../../../packages/reconciler/types.ts';
import { actOn, statesOf } from '../../../support/act-on.ts';
import { aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
});

const perform = (...actions: readonly Action[]) => actOn(api, actions);

describe('a patch that is renewed after a conflict', () => {
  const renew = ({ spec }: Unstructured) => {
    const { theirs } = spec as { readonly theirs?: number }; // true: the test writes it
    return theirs === 0 ? undefined : { spec: { seen: theirs } };
  };
  const renewed = (): Action => ({
    id: 'a',
    onError: 'stop',
    do: 'patch',
    ref: widgetRef,
    body: { spec: { seen: -1 } },
    resourceVersion: api.read(widgetRef).metadata.resourceVersion,
    renew,
  });
  const write = (theirs: number) => api.others.mergePatch(widgetRef, { spec: { theirs } });

  it('has the body for the newer version', async () => {
    api.given(aWidget());
    const action = renewed();
    await write(7);
    expect(statesOf((await perform(action)).outcomes)).toEqual({ a: 'done' });
    expect(api.read(widgetRef).spec).toEqual({ theirs: 7, seen: 7 });
  });

  it('is not sent again if the newer version needs no write', async () => {
    api.given(aWidget());
    const action = renewed();
    await write(0);
    const { outcomes } = await perform(action);
    expect(outcomes.get('a')).toMatchObject({ state: 'done', object: { spec: { theirs: 0 } } });
    expect(api.read(widgetRef).spec).toEqual({ theirs: 0 });
  });

  it('fails if the object is gone', async () => {
    api.given(aWidget());
    const action = renewed();
    await write(7);
    api.calls.before(
      ({ verb }) => verb === 'get',
      () => api.others.delete(widgetRef),
    );
    const { outcomes } = await perform(action);
    expect(outcomes.get('a')).toMatchObject({ state: 'failed', failure: { reason: 'NotFound' } });
  });

  it('is sent at most three more times', async () => {
    api.given(aWidget());
    const action = renewed();
    api.calls.before(
      ({ verb }) => verb === 'patch',
      () => write(api.calls.all.length),
    );
    const { stale } = await perform(action);
    expect(stale).toMatchObject({ reason: 'Conflict' });
    expect(api.calls.all.filter(({ verb }) => verb === 'patch')).toHaveLength(4);
  });
});
