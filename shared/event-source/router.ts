// Routes a change to the reconcilers that it affects: predicates, mapping, keys. The event source sends the result.
import { toApiVersion, type Unstructured } from '@capi-serverless/apimachinery';
import type { Log, SourceEvent } from '@capi-serverless/reconciler';
import type { Metrics } from '../kernel/metrics.ts';
import type { SourceRef } from '../workqueue/expand.ts';
import { type Key, toKeyText } from '../workqueue/message.ts';
import type { Arrival } from './bundle.ts';
import { type EventDetail, isEnough, type Mapped, mapEvent, toNearby, whyDropped } from './map-event.ts';
import type { ExpandTarget, WorkTarget } from './messages.ts';
import type { SeenVersions } from './seen-versions.ts';
import { brokenEvents, droppedEvents } from './source-metrics.ts';
import { toKindName, type WatchRoute } from './watch-set.ts';

/** The source of an event. */
export interface Origin {
  readonly name: string;
  readonly origin: 'declared' | 'referenced';
  readonly routes: readonly WatchRoute[];
}

export interface RouterOptions {
  /** The uid of the kube-system namespace. */
  readonly managementCluster: string;
  /** "" selects every object. */
  readonly watchFilter: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** If absent, every event is forwarded. */
  readonly versions?: SeenVersions;
}

/** Receives the mapped changes. */
export interface ChangeReceiver {
  /** Receives a change for the work queue of the target's reconciler. */
  work(arrival: Arrival<WorkTarget>): void;
  expand(arrival: Arrival<ExpandTarget>): void;
}

export interface ReceivedEvent {
  readonly event: SourceEvent;
  /** 'event': one specific change. 'list' and 'deletion': the object exists or is being deleted, in any version. */
  readonly cause: 'list' | 'event' | 'deletion';
  /** Default: that of the event, which is `object` if it has none. */
  readonly detail?: EventDetail;
}

/**
 * Returns false if a predicate dropped the event. Counts drops and failed mappings, and logs the latter. Throws if the
 * object has no name.
 */
export function routeEvent(
  { managementCluster, watchFilter, log, metrics, versions }: RouterOptions,
  { name: source, origin, routes }: Origin,
  received: ReceivedEvent & { readonly exits: ChangeReceiver },
): boolean {
  const { event, cause, exits } = received;
  const detail = detailOf(received);
  requireName(event.object);
  // A name alone has no labels and annotations to check. The reconciler reads and checks them.
  const reason = detail === 'name' ? undefined : whyDropped(event.object, { origin, watchFilter });
  if (event.detail !== undefined) {
    const { namespace, name } = event.object.metadata;
    log.info('Reading only the metadata of an object, because it is too large', { source, namespace, name });
  }
  if (reason !== undefined) {
    metrics.count(droppedEvents, { source, reason });
    return false;
  }
  const news = versions === undefined ? routes : routes.filter(route => isNews(versions, route, received));
  if (news.length === 0 && routes.length > 0) {
    metrics.count(droppedEvents, { source, reason: 'same version' });
    return true;
  }
  const { mapped, broken } = mapEvent(news, event, detail);
  for (const { route, error } of broken) {
    metrics.count(brokenEvents, { source });
    const { namespace, name } = event.object.metadata;
    log.error('Mapping a change failed', error, { reconciler: route.reconciler, source, namespace, name });
  }
  if (mapped.length === 0 && broken.length === 0) {
    metrics.count(droppedEvents, { source, reason: 'no target' });
  }
  const seen = toArrivalFacts(event, cause);
  for (const one of mapped) {
    // Sources with seen versions compared the part above, and only the resync, which has none, reads it.
    const part = versions === undefined ? toPart(one.route, received) : {};
    offer(exits, one, { managementCluster, seen: { ...seen, ...part } });
  }
  return true;
}

function detailOf({ event, detail = event.detail ?? 'object' }: ReceivedEvent): EventDetail {
  return detail;
}

/** An event that contains less than the route reads has no known version. If reading fails, `mapEvent` reports it. */
function isNews(versions: SeenVersions, route: WatchRoute, received: ReceivedEvent): boolean {
  const { event, cause } = received;
  const detail = detailOf(received);
  const isWhole = isEnough(detail, route) && (route.contentParts === undefined || detail === 'object');
  try {
    return !isWhole || versions.isNews(route, event, cause === 'list');
  } catch {
    return true;
  }
}

/** The version of the part that the primaries read. */
function toPart(route: WatchRoute, received: ReceivedEvent): { readonly part?: string } {
  const { versionOf } = route;
  try {
    return versionOf === undefined || !isEnough(detailOf(received), route)
      ? {}
      : { part: versionOf(received.event.object) };
  } catch {
    return {};
  }
}

/** Routes a change of an object without a known name. Enqueues all primaries that it may affect. */
export function routeUnnamed(
  options: Pick<RouterOptions, 'managementCluster'>,
  { routes }: Pick<Origin, 'routes'>,
  { source, exits }: { readonly source: SourceRef; readonly exits: ChangeReceiver },
): void {
  for (const route of routes) {
    offer(exits, toNearby(route, source), { ...options, seen: { cause: 'list', source: undefined } });
  }
}

/**
 * Routes a list that follows a gap between watches. The list does not contain objects that were deleted during the gap.
 * Therefore all primaries that they may affect are enqueued. Primaries of the listed kind were enqueued one by one.
 */
export function routeGap(
  options: Pick<RouterOptions, 'managementCluster'>,
  { name, routes }: Pick<Origin, 'name' | 'routes'>,
  exits: ChangeReceiver,
): void {
  for (const route of routes.filter(({ primary }) => toKindName(primary) !== name)) {
    // The source of the expansion is the primary kind, so that gaps of several kinds merge into one expansion.
    const { kind } = route.primary;
    const mapped = toNearby(route, { apiVersion: toApiVersion(route.primary), kind });
    offer(exits, mapped, { ...options, seen: { cause: 'list', source: undefined } });
  }
}

type ArrivalFacts = Pick<Arrival<unknown>, 'cause' | 'source' | 'part'>;

function offer(
  exits: ChangeReceiver,
  mapped: Mapped,
  { managementCluster, seen }: { readonly managementCluster: string; readonly seen: ArrivalFacts },
): void {
  const { reconciler, primary } = mapped.route;
  if (mapped.to === 'expand') {
    const target = { reconciler, source: mapped.source };
    exits.expand({ key: JSON.stringify(target), target, ...seen });
    return;
  }
  const key: Key = { managementCluster, group: primary.group, kind: primary.kind, ...mapped.name };
  exits.work({ key: toKeyText(key), target: { reconciler, key }, ...seen });
}

/** Objects are not validated before this point. Later code relies on the name only. */
function requireName(object: Unstructured): void {
  if (typeof object?.metadata?.name !== 'string') {
    throw new Error('A watched object has no metadata or no name');
  }
}

/** A change can be deduplicated with another event for it only if it has a uid and a version. */
function toArrivalFacts({ type, object }: SourceEvent, cause: ReceivedEvent['cause']): ArrivalFacts {
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (uid !== '' && resourceVersion !== '') {
    return { cause, source: { uid, resourceVersion } };
  }
  return { cause: type === 'DELETED' ? 'deletion' : 'list', source: undefined };
}
