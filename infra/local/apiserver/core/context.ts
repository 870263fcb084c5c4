// What the write paths share.
import type { Instant } from '../../../../shared/api/object.ts';
import type { Address, Registry } from './kinds.ts';
import { inVersion, type Stored } from './object.ts';
import { notFound } from './status.ts';
import type { Store } from './store.ts';

export interface IdSource {
  uid(): string;
  /** Five characters that make a generated name unique. */
  nameSuffix(): string;
}

export interface Context {
  readonly store: Store;
  readonly registry: Registry;
  readonly now: () => Instant;
  readonly ids: IdSource;
}

/** The object as it is stored. Throws NotFound. */
export function liveAt(context: Context, { endpoint, namespace, name }: Address): Stored {
  const live = context.store.get(endpoint.resource, namespace, name);
  if (live === undefined) {
    throw notFound(endpoint.resource, name);
  }
  return live;
}

/** The object as this endpoint shows it. */
export function shownAt({ resource, version }: Address['endpoint'], object: Stored): Stored {
  const versioned = inVersion(object, { group: resource.group, version: version.name });
  return version.schema?.shown(versioned) ?? versioned;
}

/** The object as it goes into the store. */
export function forStorage({ resource }: Address['endpoint'], object: Stored): Stored {
  return inVersion(object, { group: resource.group, version: resource.storageVersion });
}
