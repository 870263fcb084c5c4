// The finalizers that the server itself removes: those of namespaces and CustomResourceDefinitions. Explicit steps that
// return the number of deleted or changed objects.

import { memberOf } from '@capi-serverless/apimachinery';
import { definitions, namespaces } from './built-in-kinds.ts';
import { type Context, liveAt } from './context.ts';
import { decodeObject } from './decode.ts';
import { cleanupFinalizer, toResource } from './definition-strategy.ts';
import { deleteObject, withFinalizers } from './delete.ts';
import { isHeld } from './held.ts';
import type { Resource } from './kinds.ts';
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
  const contained = context.registry.stored().filter(resource => resource.namespaced);
  const objects = contained.flatMap(resource =>
    context.store.list(resource, name).map(object => ({ resource, object })),
  );
  if (objects.length === 0) {
    release(context, namespaces, namespace, { ...namespace, spec: {} });
    return 1;
  }
  return sum(objects, ({ resource, object }) => remove(context, resource, object));
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
