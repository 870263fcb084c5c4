// Maps one change of a source to the primaries to reconcile, or to an expansion that lists them. Pure.
import { type Name, toDisplayName, toRef, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import type { SourceEvent } from '@capi-serverless/reconciler';
import { passesWatchFilter } from '../kernel/watch-filter.ts';
import type { SourceRef } from '../workqueue/expand.ts';
import { isObjectName } from '../workqueue/object-names.ts';
import type { WatchRoute } from './watch-set.ts';

export type Mapped =
  | { readonly to: 'work'; readonly route: WatchRoute; readonly name: Name }
  | { readonly to: 'expand'; readonly route: WatchRoute; readonly source: SourceRef };

interface Mapping {
  readonly mapped: readonly Mapped[];
  /** Routes whose `map` threw. They do not affect the other routes. */
  readonly broken: readonly { readonly route: WatchRoute; readonly error: unknown }[];
}

/** The content of an object in an event: the whole object, its metadata, or only its name. */
export type EventDetail = 'object' | 'metadata' | 'name';

/**
 * Maps the event through every route. Duplicate primaries of one reconciler are returned once. An event may contain
 * less than a route needs. If such a route returns nothing or throws, all primaries that the object may affect are
 * enqueued.
 */
export function mapEvent(routes: readonly WatchRoute[], event: SourceEvent, detail: EventDetail = 'object'): Mapping {
  const mapped = new Map<string, Mapped>();
  const broken: { readonly route: WatchRoute; readonly error: unknown }[] = [];
  for (const route of routes) {
    try {
      const targets = isEnough(detail, route) ? mapRoute(route, event) : mapPart(route, event);
      for (const one of targets.mapped) {
        mapped.set(`${route.reconciler} ${toTargetText(one)}`, one);
      }
      if (targets.error !== undefined) {
        broken.push({ route, error: targets.error });
      }
    } catch (error) {
      broken.push({ route, error });
    }
  }
  return { mapped: [...mapped.values()], broken };
}

/** The reason why an event is dropped before it is mapped. */
type DropReason = 'watch filter' | 'paused';

const pausedAnnotation = 'cluster.x-k8s.io/paused';

/**
 * The predicates of Cluster API's controllers. Objects of declared kinds must have the configured watch-filter label (""
 * accepts all). Objects of referenced kinds must not be paused.
 * https://cluster-api.sigs.k8s.io/developer/core/controllers/cluster
 */
export function whyDropped(
  object: Unstructured,
  { origin, watchFilter }: { readonly origin: 'declared' | 'referenced'; readonly watchFilter: string },
): DropReason | undefined {
  switch (origin) {
    case 'declared':
      return passesWatchFilter(object, watchFilter) ? undefined : 'watch filter';
    case 'referenced':
      return object.metadata.annotations?.[pausedAnnotation] === undefined ? undefined : 'paused';
    default:
      return origin satisfies never;
  }
}

/** Returns true if an event with this content has everything that the route reads. */
export function isEnough(detail: EventDetail, { as }: WatchRoute): boolean {
  return detail === 'object' || detail === as;
}

function mapPart(route: WatchRoute, { type, object }: SourceEvent): Targets {
  try {
    const targets = mapRoute(route, { type, object: toMetadataOnly(object) });
    return targets.mapped.length === 0 ? { ...targets, mapped: [toNearby(route, toRef(object))] } : targets;
  } catch {
    // The mapping has read a field that the event does not contain.
    return { mapped: [toNearby(route, toRef(object))] };
  }
}

/** An expansion to all primaries that an object of this kind and namespace may affect. */
export function toNearby(route: WatchRoute, { apiVersion, kind, namespace }: SourceRef): Mapped {
  return { to: 'expand', route, source: { apiVersion, kind, ...withoutUndefined({ namespace }) } };
}

function toExpansion(route: WatchRoute, object: Unstructured): Mapped {
  const { expandsTo = toRef } = route;
  const source = expandsTo === 'namespace' ? undefined : expandsTo(toMetadataOnly(object));
  return source === undefined ? toNearby(route, toRef(object)) : { to: 'expand', route, source };
}

/** The targets of one route. */
interface Targets {
  readonly mapped: readonly Mapped[];
  /** The reason why some names are omitted. */
  readonly error?: Error;
}

/**
 * The maximum number of primaries of one object. If an object references more, its namespace is listed instead, so that
 * one event produces one message.
 */
const maxNamesPerEvent = 100;

function mapRoute(route: WatchRoute, { type, object }: SourceEvent): Targets {
  const passed = route.as === 'object' ? object : toMetadataOnly(object);
  const names = route.map({ type, object: passed });
  if (names === 'expand') {
    return { mapped: [toExpansion(route, object)] };
  }
  const distinct = [...new Map(names.map(name => [toDisplayName(name), name])).values()];
  const { valid = [], invalid = [] } = Object.groupBy(distinct, name => (isObjectName(name) ? 'valid' : 'invalid'));
  const error = toNamesError(invalid);
  const mapped: readonly Mapped[] =
    valid.length > maxNamesPerEvent
      ? [toNearby(route, toRef(object))]
      : valid.map(name => ({ to: 'work', route, name }));
  return error === undefined ? { mapped } : { mapped, error };
}

/** A mapping may return names from fields of an object. No API server accepts these names, so no such object exists. */
function toNamesError([first, ...others]: readonly Name[]): Error | undefined {
  if (first === undefined) {
    return undefined;
  }
  const more = others.length === 0 ? '' : `, like ${others.length} more`;
  return new Error(`Mapping to ${JSON.stringify(shortened(first))} failed: not the name of an object${more}`);
}

function shortened(name: Name): string {
  const text = toDisplayName(name);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

const longestShown = 253;

/**
 * Reads the metadata for routes with `as: 'metadata'`, because another route of the same watch may need the whole
 * object.
 */
function toMetadataOnly({ apiVersion, kind, metadata }: Unstructured): Unstructured {
  return { apiVersion, kind, metadata };
}

function toTargetText(mapped: Mapped): string {
  return mapped.to === 'work' ? toDisplayName(mapped.name) : JSON.stringify(mapped.source);
}
