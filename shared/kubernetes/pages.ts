// Reads long lists page by page, so that nobody holds more than one page in memory.
import type { Answer } from '../api/answer.ts';
import type { ListedPage, Watches, WatchQuery } from './port.ts';

/** Objects per page: what Kubernetes' own informers ask for. */
export const pageSize = 500;

/** Every page of the list in order. The first failure is the last element; what came before it stays valid. */
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
      ...(next === undefined ? {} : { continue: next }),
    });
    yield answer;
    next = answer.ok ? answer.value.continue : undefined;
  } while (next !== undefined);
}
