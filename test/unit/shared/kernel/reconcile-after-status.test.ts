// Actions that follow the status of their pass.

import { toRef } from '@capi-serverless/apimachinery';
import { type Action, type Outcomes, patchFinalizers, type Report } from '@capi-serverless/reconciler';
import { beforeEach, describe, expect, it } from 'vitest';
import { aWidget, widgetRef } from '../../../support/kernel.ts';
import { createKernelWorld } from '../../../support/widget-reconcile.ts';

let { api, run } = createKernelWorld();

beforeEach(() => {
  ({ api, run } = createKernelWorld());
  api.given(aWidget({ metadata: { finalizers: ['ours/x'] } }));
});

const release = (object: Parameters<typeof patchFinalizers>[1]): Action => ({
  ...patchFinalizers('release', object, []),
  afterStatus: true,
});

/** The status that the pass reports, and a result that depends on the release. */
function toReport(outcomes: Outcomes): Report {
  const failed = outcomes.get('release')?.state === 'failed';
  return {
    status: { status: { phase: 'Released' } },
    events: [],
    result: failed ? { kind: 'failed', error: new Error('not released'), terminal: false } : { kind: 'done' },
  };
}

const releasing = {
  decide: ({ primary }: { readonly primary: Parameters<typeof patchFinalizers>[1] }) => [release(primary)],
  report: (_seen: unknown, outcomes: Outcomes) => toReport(outcomes),
};
/** Pauses take no time. */
const hurried = { clock: { now: () => api.clock.now(), sleep: async () => undefined } };
const patches = () =>
  api.calls.all.filter(({ verb }) => verb === 'patch').map(({ subresource = 'object' }) => subresource);
const finalizers = () => api.read(widgetRef).metadata.finalizers ?? [];

describe('an action after the status', () => {
  it('is performed on the version that the status made, without a conflict', async () => {
    expect(await run(releasing)).toMatchObject({ result: { kind: 'done' }, passes: 1, writes: 2 });
    expect([patches(), finalizers()]).toEqual([['status', 'object'], []]);
    expect(api.read(widgetRef).status).toMatchObject({ phase: 'Released' });
  });

  it('decides about the result of the pass', async () => {
    const forbidden = { reason: 'Forbidden', code: 403, message: 'no' } as const;
    api.calls.fail({
      at: ({ verb, subresource }) => verb === 'patch' && subresource === undefined,
      failure: forbidden,
    });
    expect((await run(releasing)).result).toMatchObject({ kind: 'failed', error: { message: 'not released' } });
    expect(api.read(widgetRef).status).toMatchObject({ phase: 'Released' });
  });

  it('is not performed if the status could not be written', async () => {
    const down = { reason: 'Unavailable', code: 503, message: 'down' } as const;
    api.calls.fail({ at: ({ subresource }) => subresource === 'status', failure: down });
    expect((await run(releasing)).result).toMatchObject({ kind: 'failed' });
    expect([patches(), finalizers()]).toEqual([['status'], ['ours/x']]);
  });

  it('is not performed after a failed action that stops the others', async () => {
    const failing: Action = { id: 'a', onError: 'stop', do: 'delete', ref: widgetRef, uid: 'another' };
    const { result } = await run(
      { ...releasing, decide: ({ primary }) => [failing, release(primary)] },
      { maxPasses: 1 },
    );
    expect(result.kind).toBe('failed');
    expect(finalizers()).toEqual(['ours/x']);
  });

  it.each([
    { allows: 'failed', left: [] },
    { allows: 'done', left: ['ours/x'] },
  ])('depends on the outcome of an earlier action of the pass: $allows', async ({ allows, left }) => {
    const failing: Action = { id: 'a', onError: 'continue', do: 'run', label: 'a', run: () => Promise.reject('no') };
    const when = (outcomes: Outcomes) => outcomes.get('a')?.state === allows;
    await run({ ...releasing, decide: ({ primary }) => [failing, { ...release(primary), when }] });
    expect(finalizers()).toEqual(left);
  });

  it('is decided again if the object has changed since: another pass runs', async () => {
    api.calls.before(
      ({ subresource, number }) => subresource === 'status' && number < 4,
      () => api.others.mergePatch(widgetRef, { metadata: { annotations: { paused: '' } } }),
    );
    expect(await run(releasing, hurried)).toMatchObject({ result: { kind: 'done' }, passes: 2 });
    expect(finalizers()).toEqual([]);
  });

  it('is not performed once the object is gone', async () => {
    api.calls.before(
      ({ subresource }) => subresource === 'status',
      async () => {
        await api.others.mergePatch(widgetRef, { metadata: { finalizers: null } });
        await api.others.delete(widgetRef);
      },
    );
    expect((await run(releasing, hurried)).result).toEqual({ kind: 'done' });
    expect(patches()).not.toContain('object');
  });

  it('may be of any kind', async () => {
    const [other] = api.given(aWidget({ metadata: { name: 'w2' } }));
    if (other === undefined) {
      throw new Error('No second widget');
    }
    const removing: Action = {
      id: 'release',
      onError: 'stop',
      afterStatus: true,
      do: 'delete',
      ref: toRef(other),
      uid: other.metadata.uid,
    };
    expect((await run({ ...releasing, decide: () => [removing] })).result).toEqual({ kind: 'done' });
    expect(api.find(toRef(other))).toBeUndefined();
  });
});
