// Turns one change of one source into the primaries to reconcile, or into an order to look them up. Pure.
import type { Name, Unstructured } from '../api/object.ts';
import { toDisplayName, toRef } from '../api/object.ts';
import type { SourceEvent } from '../kernel/types.ts';
import { passesWatchFilter } from '../kernel/watch-filter.ts';
import type { SourceRef } from '../workqueue/expand.ts';
import type { Route } from './watch-set.ts';

export type Mapped =
  | { readonly to: 'work'; readonly route: Route; readonly name: Name }
  | { readonly to: 'expand'; readonly route: Route; readonly source: SourceRef };

export interface Mapping {
  readonly mapped: readonly Mapped[];
  /** Routes whose `map` threw; the others are served all the same. */
  readonly broken: readonly { readonly route: Route; readonly error: unknown }[];
}

/** What is known of an object besides its kind: all of it, its metadata, or its name alone. */
export type Shown = 'object' | 'metadata' | 'name';

/**
 * Asks every route. Several names of one primary from one reconciler come back once. A route that is shown less than it
 * asks for, and cannot tell from it, has the primaries near the object looked up: nothing is lost, some wake for nothing.
 */
export function mapEvent(routes: readonly Route[], event: SourceEvent, shown: Shown = 'object'): Mapping {
  const mapped = new Map<string, Mapped>();
  const broken: { readonly route: Route; readonly error: unknown }[] = [];
  for (const route of routes) {
    try {
      for (const one of isEnough(shown, route) ? mapRoute(route, event) : mapPart(route, event)) {
        mapped.set(`${route.reconciler} ${toTargetText(one)}`, one);
      }
    } catch (error) {
      broken.push({ route, error });
    }
  }
  return { mapped: [...mapped.values()], broken };
}

/** Why an event goes nowhere, whatever the routes say. */
export type DropReason = 'watch filter' | 'paused';

const pausedAnnotation = 'cluster.x-k8s.io/paused';

/**
 * The predicates of Cluster API's controllers: declared kinds must carry the configured watch-filter label ("" accepts
 * all), referenced ones must not be paused. https://cluster-api.sigs.k8s.io/developer/core/controllers/cluster
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

function isEnough(shown: Shown, { as }: Route): boolean {
  return shown === 'object' || shown === as;
}

function mapPart(route: Route, { type, object }: SourceEvent): readonly Mapped[] {
  try {
    const mapped = mapRoute(route, { type, object: toMetadataOnly(object) });
    return mapped.length === 0 ? [toNearby(route, toRef(object))] : mapped;
  } catch {
    // It read what it was not shown.
    return [toNearby(route, toRef(object))];
  }
}

/** Has every primary looked up that such an object may concern. */
export function toNearby(route: Route, { apiVersion, kind, namespace }: SourceRef): Mapped {
  return { to: 'expand', route, source: { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) } };
}

function mapRoute(route: Route, { type, object }: SourceEvent): readonly Mapped[] {
  const shown = route.as === 'object' ? object : toMetadataOnly(object);
  const names = route.map({ type, object: shown });
  if (names === 'expand') {
    return [{ to: 'expand', route, source: toRef(object) }];
  }
  return names.map(name => ({ to: 'work', route, name: checked(name) }));
}

const segment = /^[^/]{0,253}$/;

/** A mapping may hand on what an object says about others: only what a key can hold goes on. */
function checked(name: Name): Name {
  if (name.name !== '' && segment.test(name.name) && segment.test(name.namespace)) {
    return name;
  }
  throw new Error(`Mapping to "${name.namespace}/${name.name}" failed: not the name of an object`);
}

/** Keeps the promise of `as: 'metadata'` where another route of the same watch needs the whole object. */
function toMetadataOnly({ apiVersion, kind, metadata }: Unstructured): Unstructured {
  return { apiVersion, kind, metadata };
}

function toTargetText(mapped: Mapped): string {
  return mapped.to === 'work' ? toDisplayName(mapped.name) : JSON.stringify(mapped.source);
}
