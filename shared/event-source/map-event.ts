// Maps one change of a source to the primaries to reconcile, or to an expansion that lists them. Pure.
import { type Name, toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { SourceEvent } from '@capi-serverless/reconciler';
import { passesWatchFilter } from '../kernel/watch-filter.ts';
import type { SourceRef } from '../workqueue/expand.ts';
import type { Route } from './watch-set.ts';

export type Mapped =
  | { readonly to: 'work'; readonly route: Route; readonly name: Name }
  | { readonly to: 'expand'; readonly route: Route; readonly source: SourceRef };

interface Mapping {
  readonly mapped: readonly Mapped[];
  /** Routes whose `map` threw. They do not affect the other routes. */
  readonly broken: readonly { readonly route: Route; readonly error: unknown }[];
}

/** The content of an object in an event: the whole object, its metadata, or only its name. */
export type EventDetail = 'object' | 'metadata' | 'name';

/**
 * Maps the event through every route. Duplicate primaries of one reconciler are returned once. An event may contain
 * less than a route needs. If such a route returns nothing or throws, all primaries that the object may affect are
 * enqueued.
 */
export function mapEvent(routes: readonly Route[], event: SourceEvent, detail: EventDetail = 'object'): Mapping {
  const mapped = new Map<string, Mapped>();
  const broken: { readonly route: Route; readonly error: unknown }[] = [];
  for (const route of routes) {
    try {
      for (const one of isEnough(detail, route) ? mapRoute(route, event) : mapPart(route, event)) {
        mapped.set(`${route.reconciler} ${toTargetText(one)}`, one);
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

function isEnough(detail: EventDetail, { as }: Route): boolean {
  return detail === 'object' || detail === as;
}

function mapPart(route: Route, { type, object }: SourceEvent): readonly Mapped[] {
  try {
    const mapped = mapRoute(route, { type, object: toMetadataOnly(object) });
    return mapped.length === 0 ? [toNearby(route, toRef(object))] : mapped;
  } catch {
    // The mapping has read a field that the event does not contain.
    return [toNearby(route, toRef(object))];
  }
}

/** An expansion to all primaries that an object of this kind and namespace may affect. */
export function toNearby(route: Route, { apiVersion, kind, namespace }: SourceRef): Mapped {
  return { to: 'expand', route, source: { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) } };
}

function mapRoute(route: Route, { type, object }: SourceEvent): readonly Mapped[] {
  const passed = route.as === 'object' ? object : toMetadataOnly(object);
  const names = route.map({ type, object: passed });
  if (names === 'expand') {
    return [{ to: 'expand', route, source: toRef(object) }];
  }
  return names.map(name => ({ to: 'work', route, name: checked(name) }));
}

const segment = /^[^/]{0,253}$/;

/** A mapping may return names from fields of an object. Throws if a key cannot contain the name. */
function checked(name: Name): Name {
  if (name.name !== '' && segment.test(name.name) && segment.test(name.namespace)) {
    return name;
  }
  throw new Error(`Mapping to "${name.namespace}/${name.name}" failed: not the name of an object`);
}

/** For routes with `as: 'metadata'`. Another route of the same watch may need the whole object. */
function toMetadataOnly({ apiVersion, kind, metadata }: Unstructured): Unstructured {
  return { apiVersion, kind, metadata };
}

function toTargetText(mapped: Mapped): string {
  return mapped.to === 'work' ? toDisplayName(mapped.name) : JSON.stringify(mapped.source);
}
