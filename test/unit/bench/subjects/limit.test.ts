import { describe, expect, test, vi } from 'vitest';
import { within } from '../../../../bench/subjects/limit.ts';

describe('a limited wait', () => {
  function aWait(awaited: Promise<string>) {
    const said: string[] = [];
    const wait = { what: 'a Node', state: () => '3 of 5', say: (line: string) => void said.push(line), limitMs: 40 };
    return { said, result: within(wait, awaited) };
  }

  test('returns the result', async () => {
    await expect(aWait(Promise.resolve('done')).result).resolves.toBe('done');
  });

  test('rejects with the error of what it waits for', async () => {
    await expect(aWait(Promise.reject(new Error('no'))).result).rejects.toThrow('no');
  });

  test('rejects after its limit, with what it waited for and the state', async () => {
    await expect(aWait(new Promise(() => undefined)).result).rejects.toThrow('Waited 0.04 s for a Node; 3 of 5');
  });

  test('says every 15 seconds what it waits for', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { promise, resolve } = Promise.withResolvers<string>();
      const said: string[] = [];
      const result = within({ what: 'a Node', state: () => '3 of 5', say: line => said.push(line) }, promise);
      await vi.advanceTimersByTimeAsync(31_000);
      expect(said).toEqual(['waiting for a Node; 3 of 5', 'waiting for a Node; 3 of 5']);
      resolve('done');
      await result;
    } finally {
      vi.useRealTimers();
    }
  });
});
