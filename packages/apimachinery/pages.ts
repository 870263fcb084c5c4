// Reads long lists page by page, so that no more than one page is in memory.

import type { Answer } from './answer.ts';
import type { ListedPage, Watches, WatchQuery } from './client.ts';

/** The number of objects per page, as in Kubernetes' informers. */
export const pageSize = 500;

/** The limit of a page that was too large is divided by this. The limit of the page after the next one grows again. */
const limitFactor = 8;

/** Returns the limit for reading a page again that was too large, or undefined if it has one object already. */
export function smallerLimit(limit: number): number | undefined {
  return limit > 1 ? Math.max(1, Math.floor(limit / limitFactor)) : undefined;
}

/** Returns the limit of the next page. `most` is the limit of the first one. */
export function largerLimit(limit: number, most: number): number {
  return Math.min(most, limit * limitFactor);
}

type PageOptions = Parameters<Watches['page']>[1];

/**
 * Yields all pages of the list in order. A failure is the last element. Earlier pages remain valid. A page that is too
 * large is read in smaller pages. An object that alone is too large is a page with its metadata only.
 */
export async function* pagesOf(
  watches: Pick<Watches, 'page'>,
  query: WatchQuery,
  signal: AbortSignal,
): AsyncGenerator<Answer<ListedPage>> {
  let options: PageOptions = { limit: pageSize, signal };
  for (;;) {
    const { answer, limit } = await readFitting(watches, query, options);
    const next = answer.ok ? answer.value.continue : undefined;
    yield answer;
    if (next === undefined) {
      return;
    }
    options = { limit: largerLimit(limit, pageSize), signal, continue: next };
  }
}

interface FittingPage {
  readonly answer: Answer<ListedPage>;
  /** The limit with which it was read. */
  readonly limit: number;
}

async function readFitting(
  watches: Pick<Watches, 'page'>,
  query: WatchQuery,
  options: PageOptions,
): Promise<FittingPage> {
  let { limit } = options;
  for (;;) {
    const answer = await watches.page(query, { ...options, limit });
    const smaller = answer.ok || answer.failure.tooLarge === undefined ? limit : smallerLimit(limit);
    if (smaller === limit || (smaller === undefined && query.as === 'metadata')) {
      return { answer, limit };
    }
    if (smaller === undefined) {
      return { answer: await readMetadata(watches, query, options), limit };
    }
    limit = smaller;
  }
}

async function readMetadata(
  watches: Pick<Watches, 'page'>,
  query: WatchQuery,
  options: PageOptions,
): Promise<Answer<ListedPage>> {
  const answer = await watches.page({ ...query, as: 'metadata' }, { ...options, limit: 1 });
  return answer.ok ? { ...answer, value: { ...answer.value, detail: 'metadata' } } : answer;
}
