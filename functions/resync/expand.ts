// Lists the primaries that a changed source affects, and enqueues each of them.

import {
  groupOf,
  type ObjectRef,
  pagesOf,
  toApiVersion,
  toDisplayName,
  type Unstructured,
  type WatchQuery,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import {
  type Declaration,
  type ListScope,
  RetryableError,
  TerminalError,
  toError,
  type Watch,
} from '@capi-serverless/reconciler';
import { passesWatchFilter } from '../../shared/kernel/watch-filter.ts';
import type { Expansion, SourceRef } from '../../shared/workqueue/expand.ts';
import { messageVersion } from '../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import { workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { type ExpandOptions, toKey, toKindName } from './options.ts';

/** Expansions that share one list, because they have the same reconciler and scope. */
interface ExpansionGroup {
  readonly declaration: Declaration;
  readonly scope: ListScope;
  readonly selected: SelectedExpansion[];
}

interface SelectedExpansion {
  readonly expansion: Expansion;
  readonly watches: readonly Watch[];
}

/**
 * Processes a batch of expansions. Primaries are listed once per reconciler and scope. Each affected primary is
 * enqueued once. Never throws: returns the error of each failed expansion. A TerminalError means that a retry cannot
 * succeed. Expansions that share a list fail or succeed together.
 */
export async function expand(
  options: ExpandOptions,
  expansions: readonly Expansion[],
): Promise<ReadonlyMap<Expansion, Error>> {
  const { groups, failures } = toGroups(options.declarations, expansions);
  await Promise.all(
    groups.map(async group => {
      try {
        await serve(options, group);
      } catch (thrown) {
        const error = toError(thrown);
        for (const { expansion } of group.selected) {
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
): { readonly groups: readonly ExpansionGroup[]; readonly failures: Map<Expansion, Error> } {
  const groups = new Map<string, ExpansionGroup>();
  const failures = new Map<Expansion, Error>();
  for (const expansion of expansions) {
    const { reconciler, source } = expansion;
    const selected = select(declarations, expansion);
    if (selected === undefined) {
      const of = toDisplayName({ ...source, name: source.name ?? '(unnamed)' });
      const text = `Expanding ${source.kind} ${of} failed: reconciler "${reconciler}" selects by no such kind`;
      failures.set(expansion, new TerminalError(text));
      continue;
    }
    const { declaration, watches } = selected;
    const scope = toScope(watches, source);
    const id = JSON.stringify([reconciler, scope]);
    const group = groups.get(id) ?? { declaration, scope, selected: [] };
    groups.set(id, group);
    group.selected.push({ expansion, watches });
  }
  return { groups: [...groups.values()], failures };
}

/** Returns false if no reconciler of this deployment selects its primaries by this source. */
export function canExpand(declarations: readonly Declaration[], expansion: Expansion): boolean {
  return select(declarations, expansion) !== undefined;
}

/** Returns the reconciler of the expansion, with the watches that select its primaries. */
function select(
  declarations: readonly Declaration[],
  { reconciler, source }: Expansion,
): (Pick<ExpansionGroup, 'declaration'> & Pick<SelectedExpansion, 'watches'>) | undefined {
  const declaration = declarations.find(({ name }) => name === reconciler);
  const watches = declaration?.watches.filter(watch => selectsFor(watch, source)) ?? [];
  return declaration === undefined || (watches.length === 0 && isNamed(source)) ? undefined : { declaration, watches };
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

/** If several watches select by the same source, only a common scope limits the list. */
function toScope(watches: readonly Watch[], source: SourceRef): ListScope {
  const [scope = inNamespace(source), ...others] = watches.map(watch => scopeOf(watch, source));
  return others.every(other => JSON.stringify(other) === JSON.stringify(scope)) ? scope : {};
}

/**
 * References to provider objects do not cross namespaces. Sources of other watches may be referenced from any
 * namespace.
 */
function scopeOf(watch: Watch, source: SourceRef): ListScope {
  return watch.scopeOf?.(source) ?? (watch.source === 'referenced' ? inNamespace(source) : {});
}

function inNamespace({ namespace }: SourceRef): ListScope {
  return withoutUndefined({ namespace });
}

/** Retries before it treats a kind as not served, because a starting API server answers NotFound. */
async function serve(options: ExpandOptions, group: ExpansionGroup): Promise<void> {
  const isServed = await serveOnce(options, group);
  if (!isServed) {
    await serveOnce(options, group);
  }
}

async function serveOnce(options: ExpandOptions, group: ExpansionGroup): Promise<boolean> {
  const { primary } = group.declaration;
  const query = {
    apiVersion: toApiVersion(primary),
    kind: primary.kind,
    ...toContent(group),
    ...group.scope,
  } as const;
  for await (const page of pagesOf(options.watches, query, options.signal)) {
    if (!page.ok && page.failure.reason === 'NotFound') {
      return false;
    }
    if (!page.ok) {
      throw new RetryableError(`Listing ${toKindName(primary)} failed: ${page.failure.message}`);
    }
    const { items, detail } = page.value;
    await enqueueAffected(options, group, { items, isWhole: detail === undefined });
  }
  return true;
}

/** Reads only the fields that the expansions compare. */
function toContent({ selected }: ExpansionGroup): Pick<WatchQuery, 'as' | 'parts'> {
  const compared = selected.flatMap(({ watches, expansion }) => (isNamed(expansion.source) ? watches : []));
  const parts = compared.flatMap(({ matchParts }) => matchParts ?? 'all');
  if (parts.length === 0) {
    return { as: 'metadata' };
  }
  return parts.includes('all') ? { as: 'object' } : { as: 'object', parts: [...new Set(parts)] };
}

/**
 * Enqueues the affected primaries. Throws if a queue refuses a message. A primary that is too large to be compared is
 * enqueued, because an extra reconcile is harmless.
 */
async function enqueueAffected(
  options: ExpandOptions,
  group: ExpansionGroup,
  { items: primaries, isWhole }: { readonly items: readonly Unstructured[]; readonly isWhole: boolean },
): Promise<void> {
  const { managementCluster, newId, queues, watchFilter } = options;
  const { name: reconciler, primary: kind } = group.declaration;
  const messages = primaries.flatMap(primary => {
    const concerned = passesWatchFilter(primary, watchFilter)
      ? group.selected.find(
          ({ watches, expansion }) => !isWhole || concerns(options, watches, { primary, source: expansion.source }),
        )
      : undefined;
    if (concerned === undefined) {
      return [];
    }
    const key = toKey(managementCluster, kind, primary);
    const { trace, cause = 'expand' } = concerned.expansion;
    return [toWorkMessage({ v: messageVersion, reconciler, key, cause, attempt: 0, trace }, newId)];
  });
  for (const outcome of messages.length === 0 ? [] : await queues.send(workQueueOf(reconciler), messages)) {
    if (!outcome.ok) {
      throw new RetryableError(`Enqueueing ${toKindName(kind)} failed: ${outcome.error.message}`, {
        cause: outcome.error,
      });
    }
  }
}

/**
 * A source without a name matches every object. If a mapping throws, the primary is enqueued, because an extra
 * reconcile is harmless.
 */
function concerns(
  { log }: ExpandOptions,
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
    log.error('Mapping a source to an object failed', error, { kind: primary.kind, namespace, name });
    return true;
  }
}
