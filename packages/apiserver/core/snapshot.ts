// Saves all stored objects as one JSON value, and restores them.
import { definitions } from './built-in-kinds.ts';
import type { Context } from './context.ts';
import { resourceKey } from './kinds.ts';
import type { Stored } from './object.ts';

/** The version that this code writes. It reads no other version. */
export const snapshotVersion = 1;

export interface StoreSnapshot {
  readonly v: typeof snapshotVersion;
  /** The version of the last write before the snapshot. */
  readonly resourceVersion: number;
  /** Definitions are first, because other objects need their kinds. */
  readonly objects: readonly Stored[];
}

/** The error if the snapshot is invalid. The message contains the field. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

export function takeSnapshot({ store, registry }: Context): StoreSnapshot {
  const isDefinition = (key: string): boolean => key === resourceKey(definitions);
  const resources = [...registry.stored()].sort(
    (a, b) => Number(isDefinition(resourceKey(b))) - Number(isDefinition(resourceKey(a))),
  );
  return {
    v: snapshotVersion,
    resourceVersion: store.version,
    objects: resources.flatMap(resource => store.list(resource)),
  };
}

/**
 * Stores the objects with their uids and versions. The history starts at this state. Throws SnapshotError for an
 * invalid object.
 */
export function restoreSnapshot({ store, registry }: Context, { objects, resourceVersion }: StoreSnapshot): void {
  for (const [index, object] of objects.entries()) {
    const resource = registry.ofGroupKind(object.apiVersion, object.kind);
    const { name, namespace = '' } = object.metadata;
    if (resource === undefined || resource.storedAs !== undefined) {
      throw new SnapshotError(`objects.${index}: kind ${object.kind} of ${object.apiVersion} is not defined before it`);
    }
    if (resource.namespaced !== (namespace !== '')) {
      throw new SnapshotError(`objects.${index}.metadata.namespace: ${resource.namespaced ? 'missing' : 'unexpected'}`);
    }
    if (store.get(resource, namespace, name) !== undefined) {
      throw new SnapshotError(`objects.${index}: ${object.kind} ${name} occurs twice`);
    }
    store.restore(resource, object);
  }
  store.resume(resourceVersion);
}
