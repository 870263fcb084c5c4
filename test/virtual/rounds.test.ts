import { expect, it } from 'vitest';
import { createMemoryApi } from '../support/memory-api.ts';
import { countRounds } from './rounds.ts';

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name });

it('counts requests that do not depend on each other as one round, and each dependent one as another', async () => {
  const { others } = createMemoryApi();
  const { result, rounds } = await countRounds(others, async kubernetes => {
    await Promise.all(['a', 'b', 'c'].map(name => kubernetes.get(namespace(name))));
    await kubernetes.metadata(namespace('d'));
    const slow = kubernetes.list({ apiVersion: 'v1', kind: 'Namespace' });
    const { signal } = new AbortController();
    await kubernetes.within(signal).create({ ...namespace('e'), metadata: { name: 'e' } });
    await slow;
    return kubernetes.get(namespace('e'));
  });
  expect(result).toMatchObject({ ok: true, value: { metadata: { name: 'e' } } });
  expect(rounds).toEqual([
    ['get Namespace a', 'get Namespace b', 'get Namespace c'],
    ['metadata Namespace d'],
    ['list Namespace', 'create Namespace e'],
    ['get Namespace e'],
  ]);
});

it('counts independent chains by the longest one', async () => {
  const { others } = createMemoryApi();
  const { rounds } = await countRounds(others, async kubernetes => {
    const chain = async (length: number) => {
      for (let index = 0; index < length; index += 1) {
        await kubernetes.get(namespace('a'));
      }
    };
    await Promise.all([chain(3), chain(5), chain(1)]);
  });
  expect(rounds.map(({ length }) => length)).toEqual([3, 2, 2, 1, 1]);
});

it('refuses work that waits for something other than requests', async () => {
  const { others } = createMemoryApi();
  const counted = countRounds(others, async kubernetes => {
    await kubernetes.get(namespace('a'));
    await new Promise(() => {});
  });
  await expect(counted).rejects.toThrow('After get Namespace a, the work waits for something besides requests');
});

it('rejects with the error of the work', async () => {
  const { others } = createMemoryApi();
  await expect(countRounds(others, () => Promise.reject(new Error('no such object')))).rejects.toThrow(
    'no such object',
  );
});
