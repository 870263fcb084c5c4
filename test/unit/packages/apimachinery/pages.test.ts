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
});
