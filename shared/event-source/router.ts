// Carries a change to the reconcilers that it concerns: predicates, mapping, keys. What happens then is up to the source.
import { toApiVersion, type Unstructured } from '../api/object.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { SourceEvent } from '../kernel/types.ts';
import type { SourceRef } from '../workqueue/expand.ts';
import { type Key, toKeyText } from '../workqueue/message.ts';
import type { Arrival } from './bundle.ts';
import { type Mapped, mapEvent, type Shown, toNearby, whyDropped } from './map-event.ts';
import type { ExpandTarget, WorkTarget } from './messages.ts';
import { brokenEvents, droppedEvents } from './metrics.ts';
import { type Route, toKindName } from './watch-set.ts';

/** Where an event was seen. */
export interface Origin {
  readonly name: string;
  readonly origin: 'declared' | 'referenced';
  readonly routes: readonly Route[];
}

export interface RouterOptions {
  /** uid of the kube-system namespace. */
  readonly managementCluster: string;
  /** "" accepts every object. */
  readonly watchFilter: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What takes in the arrivals. */
export interface Exits {
  /** For the work queue of the target's reconciler. */
  work(arrival: Arrival<WorkTarget>): void;
  expand(arrival: Arrival<ExpandTarget>): void;
}

export interface Sighting {
  readonly event: SourceEvent;
  /** 'event': this very change was seen; 'list', 'deletion': the object is there or goes, whatever its version says. */
  readonly cause: 'list' | 'event' | 'deletion';
  /** Default: what the routes ask for. */
  readonly shown?: Shown;
}

/**
 * Returns whether the object is one of ours. Drops and mappings that threw are counted, the latter logged too. Throws when
 * the object has no name.
 */
export function routeSighting(
  { managementCluster, watchFilter, log, metrics }: RouterOptions,
  { name: source, origin, routes }: Origin,
  sighting: Sighting & { readonly exits: Exits },
): boolean {
  const { event, cause, shown = 'object', exits } = sighting;
  requireName(event.object);
  // Without labels and annotations only the reconciler, which reads them, can tell.
  const reason = shown === 'name' ? undefined : whyDropped(event.object, { origin, watchFilter });
  if (reason !== undefined) {
    metrics.count(droppedEvents, { source, reason });
    return false;
  }
  const { mapped, broken } = mapEvent(routes, event, shown);
  for (const { route, error } of broken) {
    metrics.count(brokenEvents, { source });
    const { namespace, name } = event.object.metadata;
    log.error('Mapping a change failed', error, { reconciler: route.reconciler, source, namespace, name });
  }
  if (mapped.length === 0 && broken.length === 0) {
    metrics.count(droppedEvents, { source, reason: 'no target' });
  }
  const seen = toSeen(event, cause);
  for (const one of mapped) {
    offer(exits, one, { managementCluster, seen });
  }
  return true;
}

/** For a change of an object that nothing names: each reconciler looks at all primaries that it may concern. */
export function routeUnnamed(
  options: Pick<RouterOptions, 'managementCluster'>,
  { routes }: Pick<Origin, 'routes'>,
  { source, exits }: { readonly source: SourceRef; readonly exits: Exits },
): void {
  for (const route of routes) {
    offer(exits, toNearby(route, source), { ...options, seen: { cause: 'list', source: undefined } });
  }
}

/**
 * For a list that comes after a time nobody watched. What went meanwhile is in no list, so each reconciler looks at all primaries
 * that it may have concerned; those of the listed kind itself were told one by one.
 */
export function routeGap(
  options: Pick<RouterOptions, 'managementCluster'>,
  { name, routes }: Pick<Origin, 'name' | 'routes'>,
  exits: Exits,
): void {
  for (const route of routes.filter(({ primary }) => toKindName(primary) !== name)) {
    // Named after the primaries, so that the gaps of several kinds become one look.
    const { kind } = route.primary;
    const mapped = toNearby(route, { apiVersion: toApiVersion(route.primary), kind });
    offer(exits, mapped, { ...options, seen: { cause: 'list', source: undefined } });
  }
}

type Seen = Pick<Arrival<unknown>, 'cause' | 'source'>;

function offer(
  exits: Exits,
  mapped: Mapped,
  { managementCluster, seen }: { readonly managementCluster: string; readonly seen: Seen },
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

/** Objects are not validated one by one on their way here; whatever follows may rely on this much. */
function requireName(object: Unstructured): void {
  if (typeof object?.metadata?.name !== 'string') {
    throw new Error('A watched object has no metadata or no name');
  }
}

/** Only a change that was seen, with its version, may share its id with another sighting of it. */
function toSeen({ type, object }: SourceEvent, cause: Sighting['cause']): Seen {
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (uid !== '' && resourceVersion !== '') {
    return { cause, source: { uid, resourceVersion } };
  }
  return { cause: type === 'DELETED' ? 'deletion' : 'list', source: undefined };
}
