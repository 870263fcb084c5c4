// Reads long lists page by page, so that no more than one page is in memory.

import type { Answer } from './answer.ts';
import type { ListedPage, Watches, WatchQuery } from './client.ts';
import { withoutUndefined } from './json.ts';

/** The number of objects per page, as in Kubernetes' informers. */
export const pageSize = 500;

/** Yields all pages of the list in order. A failure is the last element. Earlier pages remain valid. */
export async function* pagesOf(
  watches: Pick<Watches, 'page'>,
  query: WatchQuery,
  signal: AbortSignal,
): AsyncGenerator<Answer<ListedPage>> {
  let next: string | undefined;
  do {
    const answer = await watches.page(query, {
      limit: pageSize,
      signal,
      ...withoutUndefined({ continue: next }),
    });
    yield answer;
    next = answer.ok ? answer.value.continue : undefined;
  } while (next !== undefined);
}
