// Lists every kind that affects a reconciler: its primaries, its watched kinds, and the kinds that primaries reference.
import { hash } from 'node:crypto';
import {
  type Answer,
  answered,
  type GroupKind,
  type Kind,
  type Kubernetes,
  pagesOf,
  toApiVersion,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type Declaration, type SourceEvent, toError } from '@capi-serverless/reconciler';
import { FollowedKinds } from '../../shared/event-source/followed-kinds.ts';
import { isDefined, locateProviderKind } from '../../shared/event-source/referenced-kinds.ts';
import { type Origin, type RouterOptions, routeEvent } from '../../shared/event-source/router.ts';
import { brokenEvents, sourceFailures } from '../../shared/event-source/source-metrics.ts';
import { isState, type StateOptions } from '../../shared/event-source/state-config-map.ts';
import {
  type Referrer,
  toKindName,
  toReading,
  toWatchSet,
  type WatchRoute,
} from '../../shared/event-source/watch-set.ts';
import { Dependants } from './dependants.ts';
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

export interface TakenInventory {
  readonly inventory: Inventory;
  /** A hash of the settings. */
  readonly settings: string;
  /** The ids of the kinds that could not be listed. */
  readonly unknown: ReadonlySet<string>;
  /** Names and reasons of these kinds. */
  readonly failures: readonly string[];
  readonly dependants: Dependants;
}

interface Source {
  /** The same in each run. */
  readonly id: string;
  readonly origin: Origin;
  readonly as: 'metadata' | 'object';
  readonly parts?: readonly string[] | undefined;
  locate(): Promise<Answer<Kind>>;
}

interface UnknownSource {
  readonly id: string;
  readonly failure: string;
}

interface Listed {
  readonly parts: readonly Inventory[];
  readonly unknown: readonly UnknownSource[];
}

/** A primary kind whose objects reference other kinds, and these kinds. */
interface Following {
  readonly referrer: Referrer;
  readonly kinds: FollowedKinds;
}

/** What objects of primary kinds show beyond the requests for them. */
interface References {
  /** By the name of the primary kind. */
  readonly followed: ReadonlyMap<string, Following>;
  readonly dependants: Dependants;
}

/** A failed kind does not stop the others. A kind that the API server does not serve has no objects. */
export async function takeInventory(options: InventoryOptions): Promise<TakenInventory> {
  const { declared, referrers } = toWatchSet(options.declarations);
  const followed = new Map(
    referrers.map(
      referrer => [referrer.name, { referrer, kinds: new FollowedKinds({ ...options, referrer }) }] as const,
    ),
  );
  const dependants = new Dependants();
  const references: References = { followed, dependants };
  const sources = declared.map(({ kind, as, parts, routes }): Source => {
    const name = toKindName(kind);
    const id = toId(name);
    dependants.addAll(id, routes);
    return { id, origin: { name, origin: 'declared', routes }, as, parts, locate: async () => answered(kind) };
  });
  const first = await listAll(options, sources, references);
  const others = await listReferenced(options, references);
  const inventory = new Inventory();
  for (const part of [...first.parts, ...others.parts]) {
    inventory.merge(part);
  }
  const unknown = [...first.unknown, ...others.unknown];
  return {
    inventory,
    settings: toSettings(options),
    unknown: new Set(unknown.map(({ id }) => id)),
    failures: unknown.map(({ failure }) => failure),
    dependants,
  };
}

/** Short, because the ids of many kinds may be stored. Every Cluster can name kinds. */
function toId(...names: readonly string[]): string {
  return hash('sha256', JSON.stringify(names), 'base64url').slice(0, 8);
}

/**
 * Lists the referenced kinds. A kind that no provider defines may give its place to another one. Each kind is listed at
 * most once.
 */
async function listReferenced(options: InventoryOptions, references: References): Promise<Listed> {
  const parts: Inventory[] = [];
  const unknown: UnknownSource[] = [];
  const begun = new Set<string>();
  const toNewSources = (): readonly Source[] =>
    [...references.followed.values()].flatMap(following =>
      [...following.kinds.all.values()].flatMap(kind => {
        const source = toReferenced(options, following, kind);
        const isNew = !begun.has(source.id);
        begun.add(source.id);
        return isNew ? [source] : [];
      }),
    );
  for (let sources = toNewSources(); sources.length > 0; sources = toNewSources()) {
    const listed = await listAll(options, sources, references);
    parts.push(...listed.parts);
    unknown.push(...listed.unknown);
  }
  return { parts, unknown };
}

function toReferenced({ kubernetes }: InventoryOptions, { referrer, kinds }: Following, kind: GroupKind): Source {
  const name = toKindName(kind);
  return {
    id: toReferencedId(referrer, kind),
    origin: { name, origin: 'referenced', routes: referrer.routes },
    as: referrer.as,
    locate: async () => {
      const located = await locateProviderKind(kubernetes, kind);
      kinds.located(kind, located);
      return located;
    },
  };
}

function toReferencedId(referrer: Referrer, kind: GroupKind): string {
  return toId(referrer.name, toKindName(kind));
}

async function listAll(options: InventoryOptions, sources: readonly Source[], references: References): Promise<Listed> {
  const answers = await Promise.all(
    sources.map(async source => ({ source, answer: await list(options, source, references) })),
  );
  const parts: Inventory[] = [];
  const unknown: UnknownSource[] = [];
  for (const { source, answer } of answers) {
    if (answer.ok) {
      parts.push(answer.value);
      continue;
    }
    const { name } = source.origin;
    const { reason, message } = answer.failure;
    options.metrics.count(sourceFailures, { source: name, reason });
    options.log.error('Listing a kind failed', new Error(message), { source: name });
    unknown.push({ id: source.id, failure: `${name}: ${message}` });
  }
  return { parts, unknown };
}

/** A continue token may expire during a long list. Then the list starts again, once. */
async function list(options: InventoryOptions, source: Source, references: References): Promise<Answer<Inventory>> {
  const kind = await source.locate();
  if (!kind.ok) {
    return isDefined(kind) === false ? answered(toUnserved(source)) : kind;
  }
  const listing = { source, kind: kind.value, references };
  const answer = await listOnce(options, listing);
  return !answer.ok && answer.failure.reason === 'Gone' ? listOnce(options, listing) : answer;
}

/**
 * A kind that is not served has no objects. If it had some, all primaries that they may have affected are enqueued. Its
 * version is not known, so the source of this expansion is the primary kind, as after gaps between watches.
 */
function toUnserved({ origin }: Source): Inventory {
  return withExpansions(new Inventory(), origin, ({ primary }) => primary);
}

/** Each route that selects primaries has an expansion for the whole kind. */
function withExpansions(part: Inventory, { name, routes }: Origin, sourceOf: (route: WatchRoute) => Kind): Inventory {
  for (const route of routes.filter(({ selects }) => selects)) {
    const { kind, ...of } = sourceOf(route);
    part.expandKind(name, { reconciler: route.reconciler, source: { apiVersion: toApiVersion(of), kind } });
  }
  return part;
}

interface Listing {
  readonly source: Source;
  readonly kind: Kind;
  readonly references: References;
}

async function listOnce(options: InventoryOptions, { source, kind, references }: Listing): Promise<Answer<Inventory>> {
  const { watches, signal, log, metrics } = options;
  const { origin } = source;
  const part = withExpansions(new Inventory(kind.version), origin, () => kind);
  for await (const page of pagesOf(
    watches,
    { apiVersion: toApiVersion(kind), kind: kind.kind, ...toReading(source) },
    signal,
  )) {
    if (!page.ok) {
      return page.failure.reason === 'NotFound' ? answered(toUnserved(source)) : page;
    }
    for (const object of page.value.items) {
      const event = { type: 'ADDED', object, ...withoutUndefined({ detail: page.value.detail }) } as const;
      try {
        // The next run would take its own ConfigMap for a change.
        const isRouted =
          !isState(object, options) && routeEvent(options, origin, { event, cause: 'list', exits: part });
        if (isRouted && origin.origin === 'declared') {
          seeReferences(references, origin, event);
        }
      } catch (error) {
        metrics.count(brokenEvents, { source: origin.name });
        log.error('Reading an object failed', toError(error), { source: origin.name });
      }
    }
  }
  signal.throwIfAborted();
  return answered(part);
}

/** Kinds that are not followed, such as those beyond a maximum, are not recorded. */
function seeReferences({ followed, dependants }: References, { name }: Origin, event: SourceEvent): void {
  const following = followed.get(name);
  if (following === undefined) {
    return;
  }
  const { referrer, kinds } = following;
  kinds.see(event, 'list');
  for (const kind of referrer.kindsOf(event.object)) {
    if (kinds.all.has(toKindName(kind))) {
      dependants.add(toReferencedId(referrer, kind), referrer.routes, event.object.metadata);
    }
  }
}

/** The layout is one of the settings, because a deployment that changes it deletes work queues with their messages. */
function toSettings({ managementCluster, watchFilter, layout }: InventoryOptions): string {
  const parts = [stateFormat, managementCluster, watchFilter, layout];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}

/** Fingerprints of another format are not comparable. */
const stateFormat = 2;
