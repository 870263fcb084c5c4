import { describe, expect, onTestFinished, test } from 'vitest';
import { ObjectWatch } from '../../../../bench/subjects/object-watch.ts';
import { aCluster } from '../../../support/builders.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

const kind = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns' } as const;

describe('a watch of objects', () => {
  async function aWatch() {
    const api = createMemoryApi();
    const watch = await ObjectWatch.start({ kubernetes: api.others }, [kind]);
    onTestFinished(() => watch.stop());
    return { api, watch };
  }

  /** Expects a time between `from` and now. */
  async function expectTime(waiting: Promise<number>, from: number): Promise<void> {
    const at = await waiting;
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(performance.now());
  }

  test('resolves after the event that makes the condition true', async () => {
    const { api, watch } = await aWatch();
    const exists = watch.until(objects => objects.has('Cluster/c1'));
    const before = performance.now();
    api.given(aCluster());
    await expectTime(exists, before);
    expect([...watch.objects.keys()]).toEqual(['Cluster/c1']);
  });

  test('resolves at once if the condition is true already', async () => {
    const { watch } = await aWatch();
    const before = performance.now();
    await expectTime(
      watch.until(objects => objects.size === 0),
      before,
    );
  });

  test('forgets deleted objects', async () => {
    const { api, watch } = await aWatch();
    api.given(aCluster());
    await watch.until(objects => objects.size === 1);
    const gone = watch.until(objects => objects.size === 0);
    const before = performance.now();
    await api.others.delete({ ...kind, name: 'c1' });
    await expectTime(gone, before);
  });

  test('rejects what waits, and what waits later, after a failure', async () => {
    const { watch } = await aWatch();
    const waiting = watch.until(objects => objects.size === 1);
    watch.fail(new Error('the provider failed'));
    await expect(waiting).rejects.toThrow('the provider failed');
    await expect(watch.until(() => true)).rejects.toThrow('the provider failed');
  });
});
