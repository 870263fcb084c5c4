// Lists every kind that affects a reconciler: its primaries, its watched kinds, and the kinds that primaries reference.
import { hash } from 'node:crypto';
import {
  type Answer,
  type ApiFailure,
  answered,
  type GroupKind,
  type Kind,
  type Kubernetes,
  pagesOf,
  toApiVersion,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type Declaration, toError } from '@capi-serverless/reconciler';
import { FollowedKinds } from '../../shared/event-source/followed-kinds.ts';
import { locateProviderKind } from '../../shared/event-source/referenced-kinds.ts';
import { type Origin, type RouterOptions, routeEvent } from '../../shared/event-source/router.ts';
import { brokenEvents, sourceFailures } from '../../shared/event-source/source-metrics.ts';
import { isState, type StateOptions } from '../../shared/event-source/state-config-map.ts';
import { type Referrer, toKindName, toReading, toWatchSet } from '../../shared/event-source/watch-set.ts';
import { Inventory } from './inventory.ts';
import type { ResyncOptions } from './options.ts';

export interface InventoryOptions
  extends RouterOptions,
    Pick<StateOptions, 'stateNamespace'>,
    Pick<ResyncOptions, 'layout'> {
  readonly declarations: readonly Declaration[];
  readonly kubernetes: Pick<Kubernetes, 'metadata'>;
  readonly watches: Pick<Kubernetes['watches'], 'page'>;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
}

interface TakenInventory {
  readonly inventory: Inventory;
  /** A hash of the settings and of the kinds that were listed. */
  readonly settings: string;
  /** The declared kinds that could not be listed, with reasons. Failures of referenced kinds are only logged. */
  readonly failures: readonly string[];
}

interface Source {
  readonly origin: Origin;
  readonly as: 'metadata' | 'object';
  readonly parts?: readonly string[] | undefined;
  locate(): Promise<Answer<Kind>>;
}

interface ListedSource {
  readonly source: Source;
  /** Undefined if the kind is not served. */
  readonly version: string | undefined;
  readonly part: Inventory;
}

/** A failed kind does not stop the others. A kind that the API server does not serve has no objects. */
export async function takeInventory(options: InventoryOptions): Promise<TakenInventory> {
  const { declared, referrers } = toWatchSet(options.declarations);
  const followed = new Map(
    referrers.map(referrer => [referrer.name, new FollowedKinds({ ...options, referrer })] as const),
  );
  const sources = declared.map(({ kind, as, parts, routes }): Source => {
    const name = toKindName(kind);
    return { origin: { name, origin: 'declared', routes }, as, parts, locate: async () => answered(kind) };
  });
  const first = await listAll(options, sources, followed);
  const listed = [...first.listed, ...(await listReferenced(options, referrers, followed))];
  const inventory = new Inventory();
  for (const { part } of listed) {
    inventory.merge(part);
  }
  return { inventory, settings: toSettings(options, listed), failures: first.failures };
}

/** The referenced kinds by the name of the referrer. */
type Followed = ReadonlyMap<string, FollowedKinds>;

/**
 * Lists the referenced kinds. A kind that no provider defines may give its place to another one. Each kind is listed at
 * most once.
 */
async function listReferenced(
  options: InventoryOptions,
  referrers: readonly Referrer[],
  followed: Followed,
): Promise<readonly ListedSource[]> {
  const listed: ListedSource[] = [];
  const begun = new Set<string>();
  const toNewSources = (): readonly Source[] =>
    referrers.flatMap(referrer =>
      [...(followed.get(referrer.name)?.all ?? [])].flatMap(([name, kind]) => {
        const id = `${referrer.name} ${name}`;
        const isNew = !begun.has(id);
        begun.add(id);
        return isNew ? [toReferenced(options, { referrer, followed }, kind)] : [];
      }),
    );
  for (let sources = toNewSources(); sources.length > 0; sources = toNewSources()) {
    listed.push(...(await listAll(options, sources, followed)).listed);
  }
  return listed;
}

function toReferenced(
  { kubernetes }: InventoryOptions,
  { referrer, followed }: { readonly referrer: Referrer; readonly followed: Followed },
  kind: GroupKind,
): Source {
  return {
    origin: { name: toKindName(kind), origin: 'referenced', routes: referrer.routes },
    as: referrer.as,
    locate: async () => {
      const located = await locateProviderKind(kubernetes, kind);
      followed.get(referrer.name)?.located(kind, located);
      return located;
    },
  };
}

async function listAll(
  options: InventoryOptions,
  sources: readonly Source[],
  followed: Followed,
): Promise<{ readonly listed: readonly ListedSource[]; readonly failures: readonly string[] }> {
  const answers = await Promise.all(
    sources.map(async source => ({ source, answer: await list(options, source, followed) })),
  );
  const listed: ListedSource[] = [];
  const failures: string[] = [];
  for (const { source, answer } of answers) {
    if (answer.ok) {
      listed.push(answer.value);
      continue;
    }
    const { name } = source.origin;
    const { reason, message } = answer.failure;
    options.metrics.count(sourceFailures, { source: name, reason });
    options.log.error('Listing a kind failed', new Error(message), { source: name });
    failures.push(`${name}: ${message}`);
  }
  return { listed, failures };
}

/** A continue token may expire during a long list. Then the list starts again, once. */
async function list(options: InventoryOptions, source: Source, followed: Followed): Promise<Answer<ListedSource>> {
  const kind = await source.locate();
  if (!kind.ok) {
    return isUnserved(kind.failure) ? answered(toUnserved(source)) : kind;
  }
  const answer = await listOnce(options, { source, kind: kind.value, followed });
  return !answer.ok && answer.failure.reason === 'Gone'
    ? listOnce(options, { source, kind: kind.value, followed })
    : answer;
}

function isUnserved({ reason }: ApiFailure): boolean {
  return reason === 'NotFound';
}

function toUnserved(source: Source): ListedSource {
  return { source, version: undefined, part: new Inventory() };
}

interface Listing {
  readonly source: Source;
  readonly kind: Kind;
  readonly followed: Followed;
}

async function listOnce(options: InventoryOptions, { source, kind, followed }: Listing): Promise<Answer<ListedSource>> {
  const { watches, signal, log, metrics } = options;
  const { origin } = source;
  const part = new Inventory();
  for (const { reconciler } of origin.routes.filter(route => route.selects)) {
    part.expandKind({ reconciler, source: { apiVersion: toApiVersion(kind), kind: kind.kind } });
  }
  for await (const page of pagesOf(
    watches,
    { apiVersion: toApiVersion(kind), kind: kind.kind, ...toReading(source) },
    signal,
  )) {
    if (!page.ok) {
      return isUnserved(page.failure) ? answered(toUnserved(source)) : page;
    }
    for (const object of page.value.items) {
      const event = { type: 'ADDED', object, ...withoutUndefined({ detail: page.value.detail }) } as const;
      try {
        // The next run would take its own ConfigMap for a change.
        const isOurs = !isState(object, options) && routeEvent(options, origin, { event, cause: 'list', exits: part });
        if (isOurs && origin.origin === 'declared') {
          followed.get(origin.name)?.see(event, 'list');
        }
      } catch (error) {
        metrics.count(brokenEvents, { source: origin.name });
        log.error('Reading an object failed', toError(error), { source: origin.name });
      }
    }
  }
  signal.throwIfAborted();
  return answered({ source, version: kind.version, part });
}

/**
 * Kinds that are not served have no rows, and every Cluster can name such kinds, so they do not count. The layout is one
 * of the settings, because a deployment that changes it deletes work queues with the messages that are in them.
 */
function toSettings(
  { managementCluster, watchFilter, layout }: InventoryOptions,
  listed: readonly ListedSource[],
): string {
  const kinds = listed
    .filter(({ version }) => version !== undefined)
    .map(({ source: { origin }, version }) =>
      JSON.stringify([origin.origin, origin.name, version, origin.routes.map(({ reconciler }) => reconciler)]),
    );
  const parts = [managementCluster, watchFilter, layout, ...kinds.toSorted()];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}
