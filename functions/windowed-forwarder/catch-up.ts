// Reads the changes of one kind since a resourceVersion and returns the version that it reached. It keeps no process or
// connection afterwards. https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes

import {
  type Answer,
  type ApiFailure,
  answered,
  pagesOf,
  refused,
  type WatchEvent,
  type Watches,
  type WatchQuery,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { isOlderVersion } from '../../shared/event-source/resource-version.ts';
import type { ReceivedEvent } from '../../shared/event-source/router.ts';

interface CatchUpOptions {
  readonly watches: Watches;
  readonly signal: AbortSignal;
  /** 'list': the object exists, but its change is unknown. 'event': the watch reported the change. */
  readonly see: (received: ReceivedEvent) => void;
}

interface Reached {
  /** All changes up to this version were reported. */
  readonly resourceVersion: string;
  readonly isListed: boolean;
  /** The reason why the version is not the current one. Changes that were reported are still valid. */
  readonly failure?: ApiFailure;
}

/**
 * The maximum time for one stream. A kind without changes has no events, so its version is known only from a bookmark.
 * API servers send bookmarks two seconds before the end of a stream. They check for due bookmarks about once per
 * second. A shorter window would receive none. A longer window increases the Lambda cost.
 */
export const windowSeconds = 3;

/**
 * Without a version, or if the version has expired, all objects are listed. Otherwise a list of one object returns the
 * current version. The stream ends when an event or a bookmark has this version. A failure means that nothing was
 * reported.
 */
export async function catchUp(
  options: CatchUpOptions,
  query: WatchQuery,
  from: string | undefined,
): Promise<Answer<Reached>> {
  if (from === undefined) {
    return listAll(options, query);
  }
  const probe = await options.watches.page({ ...query, as: 'metadata' }, { limit: 1, signal: options.signal });
  if (!probe.ok) {
    return probe;
  }
  const present = probe.value.resourceVersion;
  // A version that is newer than the current one belongs to another history. The server was restored from a backup.
  if (isOlderVersion(present, from)) {
    return listAll(options, query);
  }
  const reached = present === from ? toReached(from) : await readStream(options, query, { from, present });
  return reached.failure?.reason === 'Gone' ? listAll(options, query) : answered(reached);
}

async function readStream(
  { watches, signal, see }: CatchUpOptions,
  query: WatchQuery,
  { from, present }: { readonly from: string; readonly present: string },
): Promise<Reached> {
  let resourceVersion = from;
  const stream = watches.watch(query, { resourceVersion, signal, timeoutSeconds: windowSeconds });
  for await (const event of stream) {
    if (event.type === 'FAILED') {
      return { ...toReached(resourceVersion), failure: event.failure };
    }
    if (event.type !== 'BOOKMARK') {
      see({ event, cause: 'event' });
    }
    resourceVersion = toVersion(event) ?? resourceVersion;
    if (!isOlderVersion(resourceVersion, present)) {
      break;
    }
  }
  return toReached(resourceVersion);
}

async function listAll({ watches, signal, see }: CatchUpOptions, query: WatchQuery): Promise<Answer<Reached>> {
  let resourceVersion: string | undefined;
  for await (const page of pagesOf(watches, query, signal)) {
    if (!page.ok) {
      return page;
    }
    resourceVersion ??= page.value.resourceVersion;
    const detail = withoutUndefined({ detail: page.value.detail });
    for (const object of page.value.items) {
      see({ event: { type: 'ADDED', object, ...detail }, cause: 'list' });
    }
  }
  return resourceVersion === undefined
    ? refused({ reason: 'Aborted', message: `list of ${query.kind}: aborted before an answer came` })
    : answered({ resourceVersion, isListed: true });
}

function toReached(resourceVersion: string): Reached {
  return { resourceVersion, isListed: false };
}

/** Accepts an object without metadata. An exception here would repeat in every run. */
function toVersion(event: WatchEvent): string | undefined {
  const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object?.metadata?.resourceVersion;
  return version === '' ? undefined : version;
}
