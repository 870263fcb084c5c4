// Follows the objects of one kind: a listing, then a watch from there, for as long as the server serves it.
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { pagesOf } from '../../../shared/kubernetes/pages.ts';
import type { Watches, WatchQuery } from '../../../shared/kubernetes/port.ts';

export const retryMs = 1_000;

export interface FollowKind {
  readonly query: WatchQuery;
  readonly watches: Watches;
  readonly signal: AbortSignal;
  /** Told of everything that a listing holds, and of every change. */
  readonly onObject: (name: string, object: Unstructured) => void;
  readonly onGone: (name: string) => void;
  /** Every object that exists has been told. */
  readonly onListed: () => void;
}

/** Follows until `signal` aborts; a lost watch is taken up again with a listing, after a second if the server refused it. */
export async function followKind(context: FollowKind & { readonly clock: Clock }): Promise<void> {
  const known = new Set<string>();
  while (!context.signal.aborted) {
    if ((await followOnce(context, known)) === 'refused') {
      await context.clock.sleep(retryMs, context.signal);
    }
  }
}

/** One listing and one watch. `known` holds the names told so far, so that a listing finds out what went meanwhile. */
export async function followOnce(context: FollowKind, known: Set<string>): Promise<'ended' | 'refused'> {
  const version = await listOnce(context, known);
  return version === undefined ? 'refused' : watchOnce(context, known, version);
}

async function watchOnce(
  context: FollowKind,
  known: Set<string>,
  resourceVersion: string,
): Promise<'ended' | 'refused'> {
  const { watches, query, signal } = context;
  for await (const event of watches.watch(query, { resourceVersion, signal })) {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        tell(context, known, event.object);
        break;
      case 'DELETED':
        forget(context, known, toDisplayName(event.object.metadata));
        break;
      case 'FAILED':
        return 'refused';
      case 'BOOKMARK':
        break;
    }
  }
  return 'ended';
}

async function listOnce(context: FollowKind, known: Set<string>): Promise<string | undefined> {
  const { watches, query, signal } = context;
  const found = new Set<string>();
  let resourceVersion: string | undefined;
  for await (const answer of pagesOf(watches, query, signal)) {
    if (!answer.ok || signal.aborted) {
      return undefined;
    }
    for (const object of answer.value.items) {
      found.add(toDisplayName(object.metadata));
      tell(context, known, object);
    }
    resourceVersion = answer.value.resourceVersion;
  }
  for (const gone of [...known].filter(name => !found.has(name))) {
    forget(context, known, gone);
  }
  context.onListed();
  return resourceVersion;
}

function tell(context: FollowKind, known: Set<string>, object: Unstructured): void {
  const name = toDisplayName(object.metadata);
  known.add(name);
  context.onObject(name, object);
}

function forget(context: FollowKind, known: Set<string>, name: string): void {
  if (known.delete(name)) {
    context.onGone(name);
  }
}
