// The finalizers that the server itself removes: those of namespaces and CustomResourceDefinitions. Explicit steps that
// return the number of deleted or changed objects.

import { memberOf } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { definitions, namespaces } from './built-in-kinds.ts';
import { type Context, liveAt } from './context.ts';
import { decodeObject } from './decode.ts';
import { cleanupFinalizer, toResource } from './definition-strategy.ts';
import { deleteObject, withFinalizers } from './delete.ts';
import { isHeld } from './held.ts';
import type { Resource } from './kinds.ts';
import { withRemaining } from './namespace-conditions.ts';
import { finalizersOf, type Stored } from './object.ts';
import { badRequest, conflict } from './status.ts';

/** Deletes the content of terminating namespaces, and removes empty ones. */
export function finalizeNamespaces(context: Context): number {
  return sum(context.store.list(namespaces).filter(isDeleting), namespace => emptyNamespace(context, namespace));
}

function emptyNamespace(context: Context, namespace: Stored): number {
  const { name } = namespace.metadata;
  if (namespaces.strategy.holds?.(namespace) !== true) {
    return 0;
  }
  const objects = contentOf(context, name);
  if (objects.length === 0) {
    release(context, namespaces, namespace, { ...namespace, spec: {} });
    return 1;
  }
  const removed = sum(objects, ({ resource, object }) => remove(context, resource, object));
  return removed + reportRemaining(context, namespace);
}

function contentOf({ registry, store }: Context, namespace: string) {
  const contained = registry.stored().filter(resource => resource.namespaced);
  return contained.flatMap(resource => store.list(resource, namespace).map(object => ({ resource, object })));
}

/** Finalizers hold what remains after the deletion. An empty namespace is removed in the next round. */
function reportRemaining(context: Context, namespace: Stored): number {
  const remaining = contentOf(context, namespace.metadata.name);
  const reported = remaining.length === 0 ? undefined : withRemaining(namespace, remaining, toTimestamp(context.now()));
  if (reported === undefined) {
    return 0;
  }
  context.store.put(namespaces, reported);
  return 1;
}

/** Replaces the finalizers in the spec of a namespace, and returns the namespace in its new state. */
export function finalizeNamespace(context: Context, name: string, body: unknown): Stored {
  const endpoint = context.registry.endpointOfKind('v1', 'Namespace');
  const draft = decodeObject(body, endpoint);
  const live = liveAt(context, { endpoint, namespace: '', name });
  const { resourceVersion = live.metadata.resourceVersion } = draft.metadata;
  if (draft.metadata.name !== name) {
    throw badRequest(
      `the name of the object (${draft.metadata.name ?? ''}) does not match the name on the URL (${name})`,
    );
  }
  if (resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(namespaces, name);
  }
  const finalizers = memberOf(draft.spec, 'finalizers') ?? [];
  if (!Array.isArray(finalizers) || finalizers.some(each => typeof each !== 'string')) {
    throw badRequest('spec.finalizers is not a list of strings');
  }
  const next: Stored = { ...live, spec: finalizers.length === 0 ? {} : { finalizers } };
  if (!isDeleting(live)) {
    return context.store.put(namespaces, next);
  }
  release(context, namespaces, live, next);
  return next;
}

/** Deletes the objects of terminating definitions, and removes definitions without objects. */
export function finalizeDefinitions(context: Context): number {
  const terminating = context.store
    .list(definitions)
    .filter(definition => isDeleting(definition) && finalizersOf(definition).includes(cleanupFinalizer));
  return sum(terminating, definition => {
    const resource = toResource(definition);
    const objects = context.store.list(resource);
    if (objects.length > 0) {
      return sum(objects, object => remove(context, resource, object));
    }
    const others = finalizersOf(definition).filter(name => name !== cleanupFinalizer);
    release(context, definitions, definition, withFinalizers(definition, others));
    return 1;
  });
}

function isDeleting(object: Stored): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

function remove(context: Context, resource: Resource, object: Stored): number {
  if (isDeleting(object)) {
    return 0;
  }
  const [version] = resource.versions;
  if (version === undefined) {
    return 0;
  }
  const { name, namespace = '', uid } = object.metadata;
  deleteObject(context, { endpoint: { resource, version }, namespace, name }, { uid });
  return 1;
}

/** Stores a terminating object without one of its finalizers, or removes it after the last one. */
function release(context: Context, resource: Resource, live: Stored, next: Stored): void {
  if (isHeld(resource, next)) {
    context.store.put(resource, next);
  } else {
    context.store.remove(resource, live);
  }
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
