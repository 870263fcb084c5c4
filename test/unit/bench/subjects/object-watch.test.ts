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

  test('resolves after the event that makes the condition true', async () => {
    const { api, watch } = await aWatch();
    const exists = watch.until(objects => objects.has('Cluster/c1'));
    api.given(aCluster());
    await expect(exists).resolves.toBeLessThanOrEqual(performance.now());
    expect([...watch.objects.keys()]).toEqual(['Cluster/c1']);
  });

  test('resolves at once if the condition is true already', async () => {
    const { watch } = await aWatch();
    await expect(watch.until(objects => objects.size === 0)).resolves.toBeLessThanOrEqual(performance.now());
  });

  test('forgets deleted objects', async () => {
    const { api, watch } = await aWatch();
    api.given(aCluster());
    await watch.until(objects => objects.size === 1);
    const gone = watch.until(objects => objects.size === 0);
    await api.others.delete({ ...kind, name: 'c1' });
    await expect(gone).resolves.toBeLessThanOrEqual(performance.now());
  });

  test('rejects what waits, and what waits later, after a failure', async () => {
    const { watch } = await aWatch();
    const waiting = watch.until(objects => objects.size === 1);
    watch.fail(new Error('the provider failed'));
    await expect(waiting).rejects.toThrow('the provider failed');
    await expect(watch.until(() => true)).rejects.toThrow('the provider failed');
  });
});
