// Finds the primaries that a changed source concerns where only a listing can tell, and has them reconciled at once.

import { groupOf, type ObjectRef, toApiVersion, toDisplayName, type Unstructured } from '../../shared/api/object.ts';
import { RetryableError, TerminalError, toError } from '../../shared/kernel/errors.ts';
import type { Declaration, Watch } from '../../shared/kernel/types.ts';
import { passesWatchFilter } from '../../shared/kernel/watch-filter.ts';
import { pagesOf } from '../../shared/kubernetes/pages.ts';
import type { Expansion, SourceRef } from '../../shared/workqueue/expand.ts';
import { messageVersion } from '../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import { workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { type ResyncOptions, toKey, toKindName } from './options.ts';

/** Expansions that one listing answers: of one reconciler, in one namespace or in all. */
interface Group {
  readonly declaration: Declaration;
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined;
  readonly wishes: Wish[];
}

interface Wish {
  readonly expansion: Expansion;
  readonly watches: readonly Watch[];
}

/**
 * Serves a batch. Primaries are listed once per reconciler and namespace, and each that some source concerns gets one
 * request. Never throws: returns why expansions failed; a TerminalError says that trying again cannot help. An expansion
 * that shares its listing with others fails and succeeds with them.
 */
export async function expand(
  options: ResyncOptions,
  expansions: readonly Expansion[],
): Promise<ReadonlyMap<Expansion, Error>> {
  const { groups, failures } = toGroups(options.declarations, expansions);
  await Promise.all(
    groups.map(async group => {
      try {
        await serve(options, group);
      } catch (thrown) {
        const error = toError(thrown);
        for (const { expansion } of group.wishes) {
          failures.set(expansion, error);
        }
      }
    }),
  );
  return failures;
}

function toGroups(
  declarations: readonly Declaration[],
  expansions: readonly Expansion[],
): { readonly groups: readonly Group[]; readonly failures: Map<Expansion, Error> } {
  const groups = new Map<string, Group>();
  const failures = new Map<Expansion, Error>();
  for (const expansion of expansions) {
    const { reconciler, source } = expansion;
    const declaration = declarations.find(({ name }) => name === reconciler);
    const watches = declaration?.watches.filter(watch => selectsFor(watch, source)) ?? [];
    if (declaration === undefined || (watches.length === 0 && isNamed(source))) {
      const of = toDisplayName({ ...source, name: source.name ?? '(unnamed)' });
      const text = `Expanding ${source.kind} ${of} failed: reconciler "${reconciler}" selects by no such kind`;
      failures.set(expansion, new TerminalError(text));
      continue;
    }
    const namespace = toNamespace(watches, source);
    const id = JSON.stringify([reconciler, namespace]);
    const group = groups.get(id) ?? { declaration, namespace, wishes: [] };
    groups.set(id, group);
    group.wishes.push({ expansion, watches });
  }
  return { groups: [...groups.values()], failures };
}

function isNamed(source: SourceRef): source is ObjectRef {
  return source.name !== undefined;
}

function selectsFor({ source: of, matches }: Watch, source: SourceRef): boolean {
  if (matches === undefined) {
    return false;
  }
  return of === 'referenced' || (of.kind === source.kind && of.group === groupOf(source.apiVersion));
}

/** References to provider objects, and whatever is not selected by, stay in their namespace; other sources may be named from any. */
function toNamespace(watches: readonly Watch[], source: SourceRef): string | undefined {
  return watches.every(watch => watch.source === 'referenced') ? source.namespace : undefined;
}

/** Asks twice before it believes that a kind is not served: a server that has just started says so of kinds that it will serve. */
async function serve(options: ResyncOptions, group: Group): Promise<void> {
  const isServed = await serveOnce(options, group);
  if (!isServed) {
    await serveOnce(options, group);
  }
}

async function serveOnce(options: ResyncOptions, group: Group): Promise<boolean> {
  const { primary } = group.declaration;
  const query = {
    apiVersion: toApiVersion(primary),
    kind: primary.kind,
    as: 'object',
    ...(group.namespace === undefined ? {} : { namespace: group.namespace }),
  } as const;
  for await (const page of pagesOf(options.watches, query, options.signal)) {
    if (!page.ok && page.failure.reason === 'NotFound') {
      return false;
    }
    if (!page.ok) {
      throw new RetryableError(`Listing ${toKindName(primary)} failed: ${page.failure.message}`);
    }
    await wake(options, group, page.value.items);
  }
  return true;
}

/** Sends a request for each of these primaries that a source concerns. Throws when one is refused. */
async function wake(options: ResyncOptions, group: Group, primaries: readonly Unstructured[]): Promise<void> {
  const { managementCluster, newId, queues, watchFilter } = options;
  const { name: reconciler, primary: kind } = group.declaration;
  const messages = primaries.flatMap(primary => {
    const wish = passesWatchFilter(primary, watchFilter)
      ? group.wishes.find(({ watches, expansion }) => concerns(options, watches, { primary, source: expansion.source }))
      : undefined;
    if (wish === undefined) {
      return [];
    }
    const key = toKey(managementCluster, kind, primary);
    const { trace } = wish.expansion;
    return [toWorkMessage({ v: messageVersion, reconciler, key, cause: 'expand', attempt: 0, trace }, newId)];
  });
  for (const outcome of messages.length === 0 ? [] : await queues.send(workQueueOf(reconciler), messages)) {
    if (!outcome.ok) {
      throw new RetryableError(`Waking ${toKindName(kind)} failed: ${outcome.error.message}`, { cause: outcome.error });
    }
  }
}

/** A source without a name may be any. A primary that cannot be judged is taken: one reconcile too many is harmless, one too few is not. */
function concerns(
  { log }: ResyncOptions,
  watches: readonly Watch[],
  { primary, source }: { readonly primary: Unstructured; readonly source: SourceRef },
): boolean {
  if (!isNamed(source)) {
    return true;
  }
  try {
    return watches.some(watch => watch.matches?.(primary, source) === true);
  } catch (error) {
    const { namespace, name } = primary.metadata;
    log.error('Judging whether a source concerns an object failed', error, { kind: primary.kind, namespace, name });
    return true;
  }
}
