import { expect, it } from 'vitest';
import { parseOnce } from '../../../../shared/certificates/parse-once.ts';

it('parses each version once, and again after a hundred others', async () => {
  const parsed: string[] = [];
  const once = parseOnce<string>();
  const ask = (key: string): Promise<string> =>
    once(key, async () => {
      parsed.push(key);
      return `of ${key}`;
    });
  expect(await ask('a@1')).toBe('of a@1');
  expect(await ask('b@1')).toBe('of b@1');
  expect(await ask('a@1')).toBe('of a@1');
  expect(await ask('a@2')).toBe('of a@2');
  expect(parsed).toEqual(['a@1', 'b@1', 'a@2']);
  await Promise.all(Array.from({ length: 98 }, (_, at) => ask(`c@${at}`)));
  parsed.length = 0;
  await ask('a@1');
  await ask('b@1');
  expect(parsed).toEqual(['b@1']);
});

it('keeps a failure as well', async () => {
  const once = parseOnce<string>();
  await expect(once('a', () => Promise.reject(new Error('first')))).rejects.toThrow('first');
  await expect(once('a', () => Promise.reject(new Error('second')))).rejects.toThrow('first');
});
