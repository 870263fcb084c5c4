import { describe, expect, it } from 'vitest';
import { type Answer, answered, refused } from '../../../../packages/apimachinery/answer.ts';
import type { ListedPage, Watches } from '../../../../packages/apimachinery/client.ts';
import { pageSize, pagesOf } from '../../../../packages/apimachinery/pages.ts';

const query = { apiVersion: 'v1', kind: 'Secret', as: 'metadata' } as const;

/** Returns the responses in this order, and records each query. */
function serving(...answers: readonly Answer<ListedPage>[]) {
  const asked: (string | undefined)[] = [];
  const page: Watches['page'] = async (_query, options) => {
    expect(options.limit).toBe(pageSize);
    return answers[asked.push(options.continue) - 1] ?? expect.unreachable();
  };
  const pages = async () => {
    const read: Answer<ListedPage>[] = [];
    for await (const answer of pagesOf({ page }, query, new AbortController().signal)) {
      read.push(answer);
    }
    return read;
  };
  return { asked, pages };
}

const first = answered({ items: [], resourceVersion: '1', continue: 'next' });
const last = answered({ items: [], resourceVersion: '1' });
const gone = refused<ListedPage>({ reason: 'Gone', message: 'too old' });

describe('the pages of a list', () => {
  it('are read until a page has no token', async () => {
    const { asked, pages } = serving(first, last);
    expect(await pages()).toEqual([first, last]);
    expect(asked).toEqual([undefined, 'next']);
  });

  it('end with the first failure', async () => {
    const { pages } = serving(first, gone);
    expect(await pages()).toEqual([first, gone]);
  });

  /** Answers with one page per request, of which an object takes `sizes` and a page at most ten. */
  async function readSized(sizes: readonly number[], as: 'metadata' | 'object') {
    const limits: string[] = [];
    const page: Watches['page'] = async (asked, { limit, continue: from = '0' }) => {
      limits.push(`${asked.as} ${limit}`);
      const part = sizes.slice(Number(from), Number(from) + limit);
      const size = part.reduce((sum, each) => sum + (asked.as === as ? each : 1), 0);
      const end = Number(from) + part.length;
      return size > 10
        ? refused({ reason: 'InternalError', message: 'too large', tooLarge: true })
        : answered({ items: [], resourceVersion: '1', ...(end < sizes.length ? { continue: String(end) } : {}) });
    };
    const read: Answer<ListedPage>[] = [];
    for await (const answer of pagesOf({ page }, { ...query, as }, new AbortController().signal)) {
      read.push(answer);
    }
    return { limits, read };
  }

  it('are smaller after one that is too large, and grow again', async () => {
    const { limits, read } = await readSized(
      Array.from({ length: 15 }, () => 1),
      'object',
    );
    expect(limits).toEqual(['object 500', 'object 62', 'object 7', 'object 56']);
    expect(read.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('have only the metadata of an object that alone is too large', async () => {
    const { limits, read } = await readSized([11, 1], 'object');
    expect(limits).toEqual(['object 500', 'object 62', 'object 7', 'object 1', 'metadata 1', 'object 8']);
    expect(read).toEqual([
      answered({ items: [], resourceVersion: '1', continue: '1', detail: 'metadata' }),
      answered({ items: [], resourceVersion: '1' }),
    ]);
  });

  it('end with the failure of metadata that alone is too large', async () => {
    const { limits, read } = await readSized([11, 1], 'metadata');
    expect(limits).toEqual(['metadata 500', 'metadata 62', 'metadata 7', 'metadata 1']);
    expect(read).toMatchObject([{ failure: { tooLarge: true } }]);
  });

  it('end with the failure of the metadata of an object that alone is too large', async () => {
    const page: Watches['page'] = async ({ as }) =>
      as === 'object' ? refused({ reason: 'InternalError', message: 'too large', tooLarge: true }) : gone;
    const read: Answer<ListedPage>[] = [];
    for await (const answer of pagesOf({ page }, { ...query, as: 'object' }, new AbortController().signal)) {
      read.push(answer);
    }
    expect(read).toEqual([gone]);
  });
});
