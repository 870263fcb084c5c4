// Shows what changed of one kind since a version, and says how far that went. Ends by itself: nothing stays resident.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
import { type Answer, type ApiFailure, answered, refused } from '../../shared/api/answer.ts';
import { isOlderVersion } from '../../shared/event-source/resource-version.ts';
import type { Sighting } from '../../shared/event-source/router.ts';
import { pagesOf } from '../../shared/kubernetes/pages.ts';
import type { WatchEvent, Watches, WatchQuery } from '../../shared/kubernetes/port.ts';

export interface CatchUpOptions {
  readonly watches: Watches;
  readonly signal: AbortSignal;
  /** 'list': the object is there, whatever happened to it; 'event': this very change was seen. */
  readonly see: (sighting: Sighting) => void;
}

export interface Reached {
  /** Everything up to here was shown. */
  readonly resourceVersion: string;
  readonly isListed: boolean;
  /** Why it is not the present; what was shown before stays valid. */
  readonly failure?: ApiFailure;
}

/**
 * How long a stream may last that does not get to the present: a quiet kind shows nothing, and its version is known only
 * from a bookmark. Real servers send one two seconds before the end of a stream, and look for whom they owe one every second
 * or so: a shorter window would get none, a longer one is paid for by the millisecond.
 */
export const windowSeconds = 3;

/**
 * Without a version, or when the server has forgotten it, every object is shown. Otherwise a list of one object tells the
 * present version, and the stream is left as soon as it, or a bookmark, has got there. A failure means that nothing was
 * reached.
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
  // A version from the future is one of another history: the server was restored from a backup.
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
    for (const object of page.value.items) {
      see({ event: { type: 'ADDED', object }, cause: 'list' });
    }
  }
  return resourceVersion === undefined
    ? refused({ reason: 'Aborted', message: `list of ${query.kind}: aborted before an answer came` })
    : answered({ resourceVersion, isListed: true });
}

function toReached(resourceVersion: string): Reached {
  return { resourceVersion, isListed: false };
}

/** Tolerates an object without metadata: throwing here would meet the same event in every run. */
function toVersion(event: WatchEvent): string | undefined {
  const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object?.metadata?.resourceVersion;
  return version === '' ? undefined : version;
}
