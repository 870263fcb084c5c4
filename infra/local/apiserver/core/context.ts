// What the write paths share.
import type { Instant } from '../../../../shared/api/object.ts';
import type { Admit } from './admission.ts';
import { deepFreeze } from './json.ts';
import { type Address, type Registry, type Resource, type Surroundings, storageOf } from './kinds.ts';
import { type Draft, inVersion, type Stored } from './object.ts';
import { notFound } from './status.ts';
import type { Store } from './store.ts';

export interface IdSource {
  /** Never the same twice. */
  uid(of: NewObject): string;
  /** Five characters that make a generated name unique. */
  nameSuffix(): string;
}

/** What an id is drawn for. */
export interface NewObject {
  readonly kind: string;
  /** "" for none. */
  readonly namespace: string;
  readonly name: string | undefined;
}

/** How one write is meant. */
export interface WriteOptions {
  /** Does everything but store: no version is used up, nobody is told. */
  readonly dryRun?: boolean;
  /** Whom the fields that are written belong to. Default: `unknown`. */
  readonly manager?: string;
  /** Told once, before anything is stored, which members are dropped because nobody knows them. May refuse. */
  readonly onUnknown?: (paths: readonly string[]) => void;
  /** Told what is accepted but unwise. */
  readonly onWarning?: (text: string) => void;
}

export interface Context {
  /** Of the request at hand. */
  readonly write?: WriteOptions;
  readonly store: Store;
  readonly registry: Registry;
  readonly now: () => Instant;
  readonly ids: IdSource;
  /** Asked about every write of a main resource. Default: all are fine. */
  readonly admit?: Admit;
}

/** The object as it is stored. Throws NotFound. */
export function liveAt(context: Context, { endpoint, namespace, name }: Address): Stored {
  const live = context.store.get(endpoint.resource, namespace, name);
  if (live === undefined) {
    throw notFound(endpoint.resource, name);
  }
  return live;
}

/** What the kind looks at when it prepares the object of this name. */
export function around(context: Context, resource: Resource, of: Pick<Address, 'namespace' | 'name'>): Surroundings {
  return {
    now: context.now(),
    others: () =>
      context.store
        .list(resource)
        .filter(({ metadata }) => metadata.name !== of.name || (metadata.namespace ?? '') !== of.namespace),
  };
}

/** Stores the object, unless this is a dry run; returns it as stored. */
export function put(context: Context, resource: Resource, object: Stored): Stored {
  return context.write?.dryRun === true ? deepFreeze(object) : context.store.put(resource, object);
}

/** Takes the object out, unless this is a dry run. */
export function remove(context: Context, resource: Resource, object: Stored): void {
  if (context.write?.dryRun !== true) {
    context.store.remove(resource, object);
  }
}

/** Collects the members that nobody knows while `read` works, then tells them. */
export function tellUnknown<T>(context: Context, read: (onUnknown: (path: string) => void) => T): T {
  const paths: string[] = [];
  const value = read(path => paths.push(path));
  context.write?.onUnknown?.(paths);
  return value;
}

/** What a request brought, in the shape of stored objects and as the server reads it; the apiVersion stays. */
export function completed({ resource }: Address['endpoint'], draft: Draft): Draft {
  const stored = resource.storedAs?.toStored(draft) ?? draft;
  return resource.strategy.complete?.(stored) ?? stored;
}

/** The object as this endpoint shows it. */
export function shownAt({ resource, version }: Address['endpoint'], object: Stored): Stored {
  const shaped = resource.storedAs?.toShown(object) ?? object;
  const versioned = inVersion(shaped, { group: resource.group, version: version.name });
  return version.schema?.shown(versioned) ?? versioned;
}

/** The object as it goes into the store. */
export function forStorage(endpoint: Address['endpoint'], object: Stored): Stored {
  const { resource } = storageOf(endpoint);
  return inVersion(object, { group: resource.group, version: resource.storageVersion });
}
