// Follows the objects of one kind with a list and a watch while the server serves the kind.

import {
  type Clock,
  pagesOf,
  toDisplayName,
  type Unstructured,
  type Watches,
  type WatchQuery,
} from '@capi-serverless/apimachinery';

export const retryMs = 1_000;

interface FollowKind {
  readonly query: WatchQuery;
  readonly watches: Watches;
  readonly signal: AbortSignal;
  /** Called for every object of a list, and for every change. */
  readonly onObject: (name: string, object: Unstructured) => void;
  readonly onGone: (name: string) => void;
  /** Called after all existing objects were reported. */
  readonly onListed: () => void;
}

/** Follows until `signal` aborts. A lost watch restarts with a list, after a second if the server refused it. */
export async function followKind(context: FollowKind & { readonly clock: Clock }): Promise<void> {
  const known = new Set<string>();
  while (!context.signal.aborted) {
    if ((await followOnce(context, known)) === 'refused') {
      await context.clock.sleep(retryMs, context.signal);
    }
  }
}

/** Runs one list and one watch. `known` contains the reported names, so that a list detects deletions. */
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
        report(context, known, event.object);
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
      report(context, known, object);
    }
    resourceVersion = answer.value.resourceVersion;
  }
  for (const gone of [...known].filter(name => !found.has(name))) {
    forget(context, known, gone);
  }
  context.onListed();
  return resourceVersion;
}

function report(context: FollowKind, known: Set<string>, object: Unstructured): void {
  const name = toDisplayName(object.metadata);
  known.add(name);
  context.onObject(name, object);
}

function forget(context: FollowKind, known: Set<string>, name: string): void {
  if (known.delete(name)) {
    context.onGone(name);
  }
}
