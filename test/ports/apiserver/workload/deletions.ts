// The graceful deletion of Pods.
import { expect, it } from 'vitest';
import { type Api, core, created, done, eventsDuring, expectRefusal } from '../api-case.ts';
import { aPod, deletePod, givenPod, readPod } from './pods.ts';

const termination = { terminationGracePeriodSeconds: 60 };

/** Returns the seconds between the creation of the Pod and the end of its grace period. */
function secondsUntil(deletionTimestamp: string | undefined, creationTimestamp: string | undefined): number {
  return (Date.parse(deletionTimestamp ?? '') - Date.parse(creationTimestamp ?? '')) / 1000;
}

export function deletionCases(ask: () => Api): void {
  it('keeps a deleted Pod on a Node for its grace period', async () => {
    const pod = await givenPod(ask(), { spec: termination });
    const { metadata } = done(await deletePod(ask(), pod));
    expect(metadata).toMatchObject({ uid: pod.metadata.uid, generation: 2, deletionGracePeriodSeconds: 60 });
    expect(secondsUntil(metadata.deletionTimestamp, metadata.creationTimestamp)).toBeGreaterThanOrEqual(60);
    expect(done(await readPod(ask(), pod)).metadata).toEqual(metadata);
    expect(done(await deletePod(ask(), pod)).metadata).toEqual(metadata);
    expect(done(await deletePod(ask(), pod, { gracePeriodSeconds: 60 })).metadata).toEqual(metadata);
  });

  it('lets a grace period only become shorter, and ends it with 0', async () => {
    const pod = await givenPod(ask(), { spec: termination });
    const first = done(await deletePod(ask(), pod, { gracePeriodSeconds: 100 })).metadata;
    const { metadata } = done(await deletePod(ask(), pod, { gracePeriodSeconds: 40 }));
    expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 40, generation: 2 });
    expect(secondsUntil(first.deletionTimestamp, metadata.deletionTimestamp)).toBe(60);
    expect(done(await deletePod(ask(), pod, { gracePeriodSeconds: 0 })).metadata.uid).toBe(pod.metadata.uid);
    expectRefusal(await readPod(ask(), pod), 404, { reason: 'NotFound' });
  });

  it('keeps a terminating Pod in writes', async () => {
    const pod = await givenPod(ask(), { spec: termination });
    const { metadata } = done(await deletePod(ask(), pod));
    const { name, deletionTimestamp } = metadata;
    const changed = { metadata: { labels: { a: 'b' } } };
    expect(done(await ask().http.patch(core(ask(), 'pods', name), changed)).metadata).toMatchObject({
      labels: { a: 'b' },
      deletionTimestamp,
      deletionGracePeriodSeconds: 60,
    });
    done(await ask().http.patch(`${core(ask(), 'pods', name)}/status`, { status: { phase: 'Succeeded' } }));
    expect((await readPod(ask(), pod)).status).toBe(200);
  });

  it('removes a Pod without a Node, and a Pod that has ended, at once', async () => {
    const unscheduled = created(await ask().http.post(core(ask(), 'pods'), aPod()));
    const ended = await givenPod(ask(), { status: { phase: 'Failed' } });
    for (const pod of [unscheduled, ended]) {
      expect(done(await deletePod(ask(), pod, { gracePeriodSeconds: 50 })).metadata).toMatchObject({
        uid: pod.metadata.uid,
        deletionGracePeriodSeconds: 0,
      });
      expect((await readPod(ask(), pod)).status).toBe(404);
    }
  });

  it('removes a Pod after its grace period and its last finalizer', async () => {
    const pod = await givenPod(ask(), { finalizers: ['example.com/held'] });
    const path = core(ask(), 'pods', pod.metadata.name);
    done(await deletePod(ask(), pod));
    done(await deletePod(ask(), pod, { gracePeriodSeconds: 0 }));
    expect(done(await readPod(ask(), pod)).metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
    done(await ask().http.patch(path, { metadata: { finalizers: null } }));
    expect((await readPod(ask(), pod)).status).toBe(404);
    const other = await givenPod(ask(), { finalizers: ['example.com/held'] });
    done(await deletePod(ask(), other));
    done(await ask().http.patch(core(ask(), 'pods', other.metadata.name), { metadata: { finalizers: null } }));
    expect((await readPod(ask(), other)).status).toBe(200);
  });

  it('sends the start and the end of a deletion to watches', async () => {
    const pod = await givenPod(ask());
    const { name, resourceVersion } = pod.metadata;
    const query = { fieldSelector: `metadata.name=${name}`, resourceVersion };
    const watch = { path: core(ask(), 'pods'), count: 2, query };
    const events = await eventsDuring(ask(), watch, async () => {
      done(await deletePod(ask(), pod, { gracePeriodSeconds: 0 }));
    });
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
    expect(events.map(({ object }) => object.metadata)).toMatchObject(
      [1, 2].map(() => ({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 })),
    );
  });

  it('uses one second for a negative grace period, and keeps a Pod in a dry run', async () => {
    const pod = await givenPod(ask());
    const tried = done(await deletePod(ask(), pod, { gracePeriodSeconds: -5, dryRun: ['All'] }));
    expect(tried.metadata).toMatchObject({ deletionGracePeriodSeconds: 1 });
    expect(done(await readPod(ask(), pod))).toEqual(pod);
    const path = core(ask(), 'pods', pod.metadata.name);
    const removed = await ask().http.delete(path, undefined, { query: { gracePeriodSeconds: 0 } });
    expect(done(removed).metadata.uid).toBe(pod.metadata.uid);
    expect((await readPod(ask(), pod)).status).toBe(404);
  });
}
